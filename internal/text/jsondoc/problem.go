package jsondoc

import "github.com/mcp-docs-server/mcp-docs-server/problems"

// Problem and Problems say what is wrong with a document.
type (
	Problem  = problems.Problem
	Problems = problems.List
)

// maxProblems is the maximum number of problems of a document: nobody fixes more at a time, and a
// large file of the wrong kind has millions.
const maxProblems = 1000

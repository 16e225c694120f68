// Package tools lists and calls the tools of a project for a model ([Set]).
//
//  1. Tools of other packages are a part of [Options]. A [Tool] declares its [Hints], gets a [Call],
//     through which it reports progress, and answers with a list of [Block].
//  2. The description of a tool follows the documents.
//  3. A mistake of the model is a [Mistake], which the server puts into the result, so that the model
//     reads it. The server decides about error codes.
//
// The tools of this package only read:
//
//	docs.go       the tool for documents, named after the project
//	resources.go  list_resources and read_resource, for clients that only know tools
//	search.go     search, and fetch.go fetch, for connectors of ChatGPT
package tools

package explain

import (
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// prompt answers how clients see a prompt file.
func (q *inquiry) prompt(name string) error {
	for _, p := range q.prompts.Prompts() {
		if p.File == name {
			q.answer.File = name
			q.answer.Prompt = &Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
			for _, a := range p.Arguments {
				q.answer.Prompt.Arguments = append(q.answer.Prompt.Arguments, a.Name)
			}
			return nil
		}
	}
	var notices []loader.Notice
	for _, p := range q.prompts.Problems().Errors() {
		where := ""
		if p.Line > 0 {
			where = fmt.Sprintf("line %d: ", p.Line)
		}
		notices = append(notices, loader.Notice{Path: p.File, Reason: where + p.Reason})
	}
	return q.missing(name, notices)
}

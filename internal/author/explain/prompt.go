package explain

import (
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// prompts returns the prompts.
func (q *inquiry) prompts() (*prompts.Set, error) {
	if q.set == nil {
		set, err := prompts.Scan(q.ctx, q.Files, prompts.Folder, nil)
		if err != nil {
			return nil, err
		}
		q.set = set
	}
	return q.set, nil
}

// prompt answers how clients see a prompt file.
func (q *inquiry) prompt(name string) error {
	set, err := q.prompts()
	if err != nil {
		return err
	}
	for _, p := range set.Prompts() {
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
	for _, p := range set.Problems().Errors() {
		where := ""
		if p.Line > 0 {
			where = fmt.Sprintf("line %d: ", p.Line)
		}
		notices = append(notices, loader.Notice{Path: p.File, Reason: where + p.Reason})
	}
	return q.missing(name, notices)
}

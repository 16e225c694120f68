package page

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
)

// An explanation shows some of very many templates and spellings, and the number of the others.
func TestExplanationsAreBounded(t *testing.T) {
	a := explain.Answer{File: "f", Resource: &explain.Resource{URI: "x://h/f", Lost: make([]explain.Lost, 1000), Spellings: make([]explain.Spelling, 31)}}
	var b strings.Builder
	if err := pages().ExecuteTemplate(&b, "answer", &a); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Count(s, "<dt>Lost</dt>") != maxReasons+1 || !strings.Contains(s, "<dd>970 more</dd>") || !strings.Contains(s, "<li>1 more</li>") {
		t.Error(s)
	}
}

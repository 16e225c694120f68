package project

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
)

// A live project is checked as it is on the disk, also when its settings have a mistake. Each
// change is announced.
func TestLiveCheck(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("docs/index.md", "# Index\n\n[broken](none.md)\n")
	put("docs/.draft.md", "draft")
	put("resources/x/h/a.txt", "a")
	p, _, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	live, err := p.Live(LiveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := live.Explain(t.Context(), "docs/index.md"); err == nil {
		t.Error("an explanation before anything was read")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- live.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	if _, err := live.catalog.Load(ctx); err != nil {
		t.Fatal(err)
	}
	r, err := live.Check(ctx)
	if err != nil || r.Errors != 1 || r.Findings[0].Rule != check.BrokenLink || r.Findings[0].File != "docs/index.md" || len(r.Hidden) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	changed := live.Changed()
	put("mcp-docs-server.json", `{"name": 1}`)
	<-changed
	r, err = live.Check(ctx)
	if err != nil || r.Errors == 0 || r.Findings[0].Rule != check.Settings || r.Findings[0].File != "mcp-docs-server.json" {
		t.Errorf("%+v, %v", r, err)
	}
	<-live.docsFolder.ready
	<-live.promptsFolder.ready
	for question, served := range map[string]bool{"docs/index.md": true, "docs/.draft.md": false, "x://h/a.txt": true, filepath.Join(dir, "resources/x/h/a.txt"): true, "none": false} {
		a, err := live.Explain(ctx, question)
		if err != nil || a.Served != served {
			t.Errorf("%s: %+v, %v", question, a, err)
		}
	}
}

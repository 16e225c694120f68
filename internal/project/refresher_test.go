package project

import (
	"context"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func TestConcerned(t *testing.T) {
	r := newRefresher(func(string) {}, func() string { return "resources/docs/Acme" }, nil)
	r.visited = map[string]bool{".": true, "resources/x/h/linked": true}
	for _, test := range []struct {
		change loader.Changes
		want   bool
	}{
		{loader.Changes{Trees: []string{"."}}, true},
		{loader.Changes{Dirs: []string{"."}}, true},
		{loader.Changes{Dirs: []string{"elsewhere"}}, true},
		{loader.Changes{Dirs: []string{"resources"}}, true},
		{loader.Changes{Dirs: []string{"resources/docs/Acme/guides"}}, true},
		{loader.Changes{Dirs: []string{"resources/x/h/linked"}}, true},
		{loader.Changes{Trees: []string{"resources/x/h"}}, true},
		{loader.Changes{Dirs: []string{"resources/x/h"}}, false},
		{loader.Changes{Dirs: []string{"resources/y"}, Trees: []string{"resources/y/z"}, Files: []string{"resources/y/z"}}, false},
		{loader.Changes{Trees: []string{"resources/x/h/link"}}, false},
	} {
		if got := r.concerned(test.change); got != test.want {
			t.Errorf("%+v: %v, want %v", test.change, got, test.want)
		}
	}
}

// Following the resources does not wait for documents that are being read, and the end of the server
// ends their reading.
func TestRefresherBlocksNobody(t *testing.T) {
	r := newRefresher(func(string) {}, func() string { return "docs" }, func(ctx context.Context, r *refresher) bool {
		r.visit("docs")
		<-ctx.Done()
		return false
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.run(ctx) }()
	r.notify(loader.Changes{Dirs: []string{"docs"}, Files: []string{"docs/a.md"}}) // does not block
	cancel()
	<-done
	if r.wait(ctx) {
		t.Error("a reading that did not end counts as done")
	}
}

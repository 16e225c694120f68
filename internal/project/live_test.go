package project

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

var rounds = flag.Int("rounds", 40, "rounds of random edits in TestLiveIsScan")

// open opens a project without mistakes.
func open(t *testing.T, dir string) *Project {
	t.Helper()
	p, _, err := Open(t.Context(), Options{Dir: dir})
	must.Do(t, err)
	t.Cleanup(p.Close)
	return p
}

// follow serves a project's tree without a client.
func follow(t *testing.T, dir string, o LiveOptions) *Live {
	t.Helper()
	return start(t, open(t, dir), o)
}

func start(t *testing.T, p *Project, o LiveOptions) *Live {
	t.Helper()
	l := must.Get(p.Live(o))(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := l.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return l
}

// state describes a catalog.
func state(c *loader.Catalog) []string {
	var out []string
	for r := range c.All() {
		entry, ok := r.Template()
		out = append(out, fmt.Sprintf("%s %s %d %v %d %v", r.URI(), r.Path(), r.Size(), r.ModTime(), entry, ok))
	}
	for _, n := range c.Warnings() {
		out = append(out, n.Path+": "+n.Reason)
	}
	return out
}

// fresh returns the state of a new catalog.
func fresh(t *testing.T, dir string) []string {
	t.Helper()
	p, _, err := Open(t.Context(), Options{Dir: dir})
	must.Do(t, err)
	defer p.Close()
	c := must.Get(p.Scan(t.Context()))(t)
	return state(c)
}

// settles waits until the catalog has the same contents as a new scan.
func settles(t *testing.T, l *Live, dir, what string) {
	t.Helper()
	deadline := must.LastMoment(t)
	for {
		want := fresh(t, dir)
		c := must.Get(l.catalog.Load(t.Context()))(t)
		if slices.Equal(state(c), want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s (-scan +live):\n%s", what, cmp.Diff(want, state(c)))
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Each case is a small tree and a change. The catalog is right soon after the change.
func TestFollows(t *testing.T) {
	for _, test := range []struct {
		name   string
		tree   []string
		change func(f given.Dir)
	}{
		{"a new file", []string{"resources/x/h/a=1"}, func(f given.Dir) { f.Write("resources/x/h/b", "2") }},
		{"an edit", []string{"resources/x/h/a=1"}, func(f given.Dir) { f.Write("resources/x/h/a", "22") }},
		{"an atomic save", []string{"resources/x/h/a=1"}, func(f given.Dir) {
			f.Write("resources/x/h/.a.tmp", "22")
			f.Rename("resources/x/h/.a.tmp", "resources/x/h/a")
		}},
		{"a file is removed", []string{"resources/x/h/a=1"}, func(f given.Dir) { f.Remove("resources/x/h/a") }},
		{"the first resources", nil, func(f given.Dir) { f.Write("resources/x/h/a", "1") }},
		{"resources are removed", []string{"resources/x/h/a=1"}, func(f given.Dir) { f.Remove("resources") }},
		{"resources are removed and come back", []string{"resources/x/h/a=1"}, func(f given.Dir) { f.Remove("resources"); f.Write("resources/y/h/b/c", "1") }},
		{"resources are exchanged", []string{"resources/x/h/a=1", "other/x/h/b=2"}, func(f given.Dir) {
			f.Rename("resources", "old")
			f.Rename("other", "resources")
			f.Write("resources/x/h/c", "3")
		}},
		{"a link to resources turns", []string{"one/x/h/a=1", "two/x/h/b=2"}, func(f given.Dir) {
			f.Link("one", "resources")
			f.Link("two", "new")
			f.Rename("new", "resources")
			f.Write("two/x/h/c", "3")
		}},
		{"deep folders at once", []string{"resources/x/h/a=1"}, func(f given.Dir) { f.Write("resources/x/h/1/2/3/4/5/6/7/8/b", "2") }},
		{"a folder is renamed", []string{"resources/x/h/d/e/a=1"}, func(f given.Dir) { f.Rename("resources/x/h/d", "resources/x/h/g"); f.Write("resources/x/h/g/e/b", "2") }},
		{"there and back", []string{"resources/x/h/d/e/a=1"}, func(f given.Dir) {
			f.Rename("resources/x/h/d", "resources/x/h/g")
			f.Rename("resources/x/h/g", "resources/x/h/d")
			f.Write("resources/x/h/d/e/b", "2")
		}},
		{"a folder moves into a new one", []string{"resources/x/h/d/e/f/a=1"}, func(f given.Dir) {
			must.Do(f.T, os.MkdirAll(f.File("resources/y/h"), 0o700))
			f.Rename("resources/x/h/d", "resources/y/h/d")
			time.Sleep(30 * time.Millisecond)
			f.Write("resources/y/h/d/e/f/b", "2")
		}},
		{"a folder moves in", []string{"resources/x/h/a=1", "outside/d/e/f=1"}, func(f given.Dir) {
			f.Rename("outside", "resources/x/h/in")
			f.Write("resources/x/h/in/d/g", "2")
		}},
		{"a folder takes a file's place", []string{"resources/x/h/a=1"}, func(f given.Dir) { f.Remove("resources/x/h/a"); f.Write("resources/x/h/a/b", "2") }},
		{"a file takes a folder's place", []string{"resources/x/h/a/b=1"}, func(f given.Dir) { f.Remove("resources/x/h/a"); f.Write("resources/x/h/a", "2") }},
		{"the target of a link changes", []string{"resources/x/h/a=1", "docs/d=1"}, func(f given.Dir) {
			f.Link("../../../docs/d", "resources/x/h/l")
			time.Sleep(20 * time.Millisecond)
			f.Write("docs/d", "22")
		}},
		{"a linked folder changes", []string{"resources/x/h/a=1", "docs/s/d=1"}, func(f given.Dir) {
			f.Link("../../../docs", "resources/x/h/l")
			time.Sleep(20 * time.Millisecond)
			f.Write("docs/s/e", "22")
		}},
		{"templates", []string{"resources/x/h/a=1"}, func(f given.Dir) {
			f.Write("resources/templates.json", `[{"uriTemplate": "x://{h}/{n}", "name": "n"}]`)
		}},
		{"the configuration", []string{"resources/x/h/a=1", "resources/x/h/b=1"}, func(f given.Dir) {
			f.Write("mcp-docs-server.json", `{"name": "n", "package": "p", "version": "1", "exclude": ["x/h/b"]}`)
		}},
		{"broken templates, then good ones", []string{"resources/x/h/a=1"}, func(f given.Dir) {
			f.Write("resources/templates.json", `[{]`)
			time.Sleep(20 * time.Millisecond)
			f.Write("resources/templates.json", `[{"uriTemplate": "x://{h}/{n}", "name": "n"}]`)
		}},
		{"many files", []string{"resources/x/h/a=1"}, func(f given.Dir) {
			for i := range 500 {
				f.Write(fmt.Sprintf("resources/x/h/%d/%d", i%50, i), "1")
			}
			f.Remove("resources/x/h/7")
		}},
	} {
		for _, w := range []LiveOptions{{}, {Poll: 10 * time.Millisecond}} {
			t.Run(fmt.Sprintf("%s/poll=%v", test.name, w.Poll), func(t *testing.T) {
				t.Parallel()
				dir := given.Folder(t, test.tree...)
				l := follow(t, dir, w)
				settles(t, l, dir, "the start")
				test.change(given.In(t, dir))
				settles(t, l, dir, test.name)
			})
		}
	}
}

// Documents, prompts and titles follow changes, also of files behind links and of files with the
// same size and time.
func TestFollowsDocumentsAndPrompts(t *testing.T) {
	type question struct {
		method string
		params map[string]any
	}
	search := question{"tools/call", map[string]any{"name": "searchAcme", "arguments": map[string]any{"query": "weasel"}}}
	prompt := question{"prompts/get", map[string]any{"name": "a"}}
	list := question{"resources/list", nil}
	const found = "line 1"
	past := time.Now().Add(-time.Hour)
	// same replaces a file by one with the same number of bytes and the same time.
	same := func(f given.Dir, name, content string) {
		f.Write(name, content)
		must.Do(f.T, os.Chtimes(f.File(name), past, past))
	}
	for _, test := range []struct {
		name    string
		tree    []string
		prepare func(f given.Dir)
		change  func(f given.Dir)
		asked   question
		want    string
	}{
		{"a folder of documents that is a link", []string{"resources/x/h/d/a.md=a walrus"}, func(f given.Dir) { f.Link("resources/x/h/d", "docs") },
			func(f given.Dir) { f.Write("resources/x/h/d/a.md", "one weasel") }, search, found},
		{"a document that is a link", []string{"resources/x/h/a.md=a walrus", "docs/b.md="}, func(f given.Dir) { f.Link("../resources/x/h/a.md", "docs/a.md") },
			func(f given.Dir) { f.Write("resources/x/h/a.md", "one weasel") }, search, found},
		{"a folder of documents appears behind a link", []string{"resources/x/h/a.md=a walrus"}, func(f given.Dir) { f.Link("resources/x/h", "docs") },
			func(f given.Dir) { f.Write("resources/x/h/new/b.md", "one weasel") }, search, found},
		{"a folder of prompts that is a link", []string{"resources/x/h/p/a.md=one"}, func(f given.Dir) { f.Link("resources/x/h/p", "prompts") },
			func(f given.Dir) { f.Write("resources/x/h/p/a.md", "three") }, prompt, "three"},
		{"a prompt that is a link", []string{"resources/x/h/a.md=one", "prompts/b.md=b"}, func(f given.Dir) { f.Link("../resources/x/h/a.md", "prompts/a.md") },
			func(f given.Dir) { f.Write("resources/x/h/a.md", "three") }, prompt, "three"},
		{"documents below resources that could not be read", []string{`mcp-docs-server.json={"name": "Acme", "package": "a", "version": "1", "docs": "resources/docs/Acme"}`, "resources/docs/x="},
			func(f given.Dir) { f.Link("../../../..", "resources/docs/Acme") },
			func(f given.Dir) { f.Remove("resources/docs/Acme"); f.Write("resources/docs/Acme/a.md", "one weasel") }, search, found},
		{"a document of the same size and time", []string{"docs/a.md=a walrus"}, func(f given.Dir) { same(f, "docs/a.md", "a walrus") },
			func(f given.Dir) { same(f, "docs/a.md", "a weasel") }, search, found},
		{"a prompt of the same size and time", []string{"prompts/a.md=one"}, func(f given.Dir) { same(f, "prompts/a.md", "one") },
			func(f given.Dir) { same(f, "prompts/a.md", "two") }, prompt, "two"},
		{"a title of the same size and time", []string{`mcp-docs-server.json={"name": "Acme", "package": "a", "version": "1", "describe": true}`, "resources/x/h/a.md=# One"},
			func(f given.Dir) { same(f, "resources/x/h/a.md", "# One") }, func(f given.Dir) { same(f, "resources/x/h/a.md", "# Two") }, list, `"title":"Two"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := given.In(t, given.Folder(t, append([]string{`mcp-docs-server.json={"name": "Acme"}`}, test.tree...)...))
			test.prepare(f)
			l := follow(t, f.Path, LiveOptions{})
			answer := func() string {
				data, _, _ := protocol.NewClient(l.Server()).Call(t.Context(), test.asked.method, test.asked.params)
				return string(data)
			}
			if got := answer(); strings.Contains(got, test.want) {
				t.Fatalf("at first: %s", got)
			}
			test.change(f)
			must.Until(t, test.name, func() bool { return strings.Contains(answer(), test.want) })
		})
	}
}

// The project folder itself is replaced.
func TestFollowsTheProjectFolder(t *testing.T) {
	parent := given.Folder(t, "one/resources/x/h/a=1", "two/resources/x/h/b=2")
	f := given.In(t, parent)
	f.Link("one", "current")
	dir := filepath.Join(parent, "current")
	l := follow(t, dir, LiveOptions{})
	settles(t, l, dir, "the start")
	f.Link("two", "new")
	f.Rename("new", "current")
	settles(t, l, dir, "a link turned")
	f.Write("two/resources/x/h/c", "3")
	settles(t, l, dir, "a change in the new folder")
}

func TestNoWatch(t *testing.T) {
	dir := given.Folder(t, "resources/x/h/a=1")
	l := follow(t, dir, LiveOptions{NoWatch: true})
	settles(t, l, dir, "the start")
	if l.liveness().On {
		t.Error("liveness is on")
	}
}

// After any edits, the catalog has the same contents as a new scan.
func TestLiveIsScan(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	dir := given.Folder(t, "resources/a/h/f=1", "outside/d/e/f=1")
	l := follow(t, dir, LiveOptions{})
	f := given.In(t, dir)
	name := func() string {
		p := "resources/" + pick(r, "a", "b", "A")
		for range 1 + r.IntN(4) {
			p += "/" + pick(r, "h", "i", "d", "é %")
		}
		return p
	}
	for round := range *rounds {
		what := ""
		for range 1 + r.IntN(6) {
			from, to := name(), name()
			switch r.IntN(9) {
			case 0, 1, 2:
				what += "write " + from + "; "
				tryWrite(f, from+"/f", fmt.Sprint(r.IntN(100)))
			case 3:
				what += "remove " + from + "; "
				_ = os.RemoveAll(f.File(from))
			case 4:
				what += "rename " + from + " " + to + "; "
				_ = os.Rename(f.File(from), f.File(to))
			case 5:
				what += "there and back " + from + "; "
				if os.Rename(f.File(from), f.File("outside/x")) == nil {
					_ = os.Rename(f.File("outside/x"), f.File(from))
				}
			case 6:
				what += "link " + to + "; "
				_ = os.Symlink(f.File(pick(r, "outside", "outside/d/e/f", "resources/a/h", "nowhere")), f.File(to))
			case 7:
				what += "atomic " + from + "; "
				tryWrite(f, "outside/tmp", fmt.Sprint(r.IntN(100)))
				_ = os.Rename(f.File("outside/tmp"), f.File(from+"/f"))
			case 8:
				what += "templates; "
				tryWrite(f, "resources/templates.json", pick(r, `[]`, `[{"uriTemplate": "a://{h}/{+p}", "name": "n"}]`, `[`+"{"))
			}
			if r.IntN(3) == 0 {
				time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			}
		}
		// A broken file keeps the last good state, which a fresh scan does not have.
		tryWrite(f, "resources/templates.json", fmt.Sprintf(`[{"uriTemplate": "a://{h}/{n}", "name": "n%d"}]`, round%2))
		settles(t, l, dir, fmt.Sprintf("round %d: %s", round, what))
	}
}

func pick(r *rand.Rand, options ...string) string { return options[r.IntN(len(options))] }

// tryWrite is write that may fail, for example because a file has the name of the folder.
func tryWrite(f given.Dir, name, content string) {
	if os.MkdirAll(filepath.Dir(f.File(name)), 0o700) == nil {
		_ = os.WriteFile(f.File(name), []byte(content), 0o600)
	}
}

func TestConcerned(t *testing.T) {
	r := newRefresher(func(string) {}, func() string { return "resources/docs/Acme" }, nil)
	r.visited = map[string]int{".": 1, "resources/x/h/linked": 1}
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

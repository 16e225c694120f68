package project

import (
	"io/fs"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A large project has a folder that is not listed before listed is closed, or whose files are not opened.
type large struct {
	Files
	folder string
	listed chan struct{}
	lists  bool         // folders are listed, and their files are not opened
	opened atomic.Int32 // resources
}

func (f *large) ReadDir(name string) ([]fs.DirEntry, error) {
	if walk.Holds(f.folder, name) && !f.lists {
		<-f.listed
	}
	return f.Files.ReadDir(name)
}

// Entries is the fast listing of the folder, which does not wait.
func (f *large) Entries(name string) iter.Seq2[fs.DirEntry, error] {
	return walk.Entries(f.Files, name)
}

func (f *large) Open(name string) (fs.File, error) {
	if walk.Holds(loader.Resources, name) {
		f.opened.Add(1)
	} else if walk.Holds(f.folder, name) && strings.HasSuffix(name, ".md") {
		<-f.listed
	}
	return f.Files.Open(name)
}

// serveLarge serves a project with a slow folder, or slow files, if the folder ends with "/*". Its clock stands still while anything is read.
func serveLarge(t *testing.T, folder string, lines []string, test func(t *testing.T, l *Live, files *large)) {
	synctest.Test(t, func(t *testing.T) {
		config := `mcp-docs-server.json={"name": "Acme", "package": "acme", "version": "1.0.0", "search": {"resources": true}}`
		p := open(t, given.Folder(t, append([]string{config}, lines...)...))
		files := &large{Files: p.Files, folder: strings.TrimSuffix(folder, "/*"), lists: strings.HasSuffix(folder, "/*"), listed: make(chan struct{})}
		p.Files = files
		l := start(t, p, LiveOptions{NoWatch: true})
		test(t, l, files)
		select {
		case <-files.listed:
		default:
			close(files.listed)
		}
	})
}

// The first answer says what the project has, as far as that is known soon, and waits for nothing else.
func TestInstructionsWaitForLittle(t *testing.T) {
	for name, test := range map[string]struct {
		slow    string // a folder that takes long to read
		lines   []string
		want    string
		without []string
	}{
		"documents":                      {"docs", []string{"docs/walrus.md=# Walrus"}, "it searches and reads them.", []string{"Walrus"}},
		"resources next to documents":    {"resources", []string{"docs/walrus.md=# Walrus", "resources/zoo/h/a.yaml=a"}, "Resources: zoo://", []string{"Walrus"}},
		"resources that are text":        {"resources", []string{"resources/zoo/h/a.png=a", "resources/zoo/i/b.yaml=b"}, "Resources: zoo://", nil},
		"resources that are pictures":    {"resources", []string{"resources/zoo/h/a.png=a", "resources/templates.json=[]"}, "Resources: zoo://", nil},
		"instructions as they are given": {"docs", []string{"docs/walrus.md=# Walrus", `mcp-docs-server.json={"name": "Acme", "package": "acme", "version": "1.0.0", "instructions": "Ask first."}`}, "Ask first.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			serveLarge(t, test.slow, test.lines, func(t *testing.T, l *Live, _ *large) {
				answer, err := protocol.NewClient(l.Server()).Discover(t.Context())
				if got := string(answer); err != nil || !strings.Contains(got, test.want) {
					t.Errorf("%s, %v lacks %q", got, err, test.want)
				}
				for _, text := range test.without {
					if strings.Contains(string(answer), text) {
						t.Errorf("%s has %q", answer, text)
					}
				}
			})
		})
	}
}

// The description of the tool is made of names: it is the same while no document can be read, and after an edit.
func TestToolsAreListedBeforeDocumentsAreRead(t *testing.T) {
	lines := []string{"docs/index.md=# Walrus", "docs/tutorials/first.md=# First", "docs/de/a.md=# A"}
	serveLarge(t, "docs/*", lines, func(t *testing.T, l *Live, files *large) {
		list := func() string {
			begin := time.Now()
			answer, failed, err := protocol.NewClient(l.Server()).Call(t.Context(), "tools/list", nil)
			if err != nil || failed || time.Since(begin) > 0 {
				t.Fatalf("after %v: %s, %v", time.Since(begin), answer, err)
			}
			return string(answer)
		}
		early := list()
		for _, want := range []string{`Start at \"docs/index.md\".`, `At the top: \"docs/de/\", \"docs/tutorials/\", \"docs/index.md\".`} {
			if !strings.Contains(early, want) {
				t.Errorf("%s lacks %s", early, want)
			}
		}
		close(files.listed)
		must.Get(l.documents.Load(t.Context()))(t)
		if later := list(); later != early {
			t.Errorf("first\n%s\nthen\n%s", early, later)
		}
	})
}

// In a project without documents, resources are searched. They are not read before the first search.
func TestResourcesAreIndexedForTheFirstSearch(t *testing.T) {
	serveLarge(t, "docs", []string{"resources/zoo/h/a.yaml=walrus", "resources/zoo/h/b.yaml=narwhal"}, func(t *testing.T, l *Live, files *large) {
		library := must.Get(l.documents.Load(t.Context()))(t)
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := files.opened.Load(); n > 0 {
			t.Errorf("%d files are read, though nobody has searched", n)
		}
		for _, query := range []string{"walrus", "narwhal"} {
			if hits, indexed, err := library.Search(t.Context(), query, 10); len(hits) != 1 || !indexed || err != nil {
				t.Errorf("%q finds %v, %v, %v", query, hits, indexed, err)
			}
		}
	})
}

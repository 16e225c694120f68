// Package examples holds complete projects that authors can copy. It exports nothing: its tests load the
// projects, run the commands that the documentation shows, and compare the output.
package examples

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A resource is the information that a client gets about a file.
type resource struct {
	Template  string // as published, or "" for none
	Variables string // "name=value" joined by ", "
	MIME      string
	Blob      bool
}

// load scans a project that must be without mistakes.
func load(t *testing.T, project fs.FS) *loader.Catalog {
	t.Helper()
	var c config.Config
	if data, err := fs.ReadFile(project, config.File); err == nil {
		var problems jsondoc.Problems
		if c, problems = config.Decode(config.File, "", data); len(problems) > 0 {
			t.Fatal(problems)
		}
	}
	data := must.Get(fs.ReadFile(project, loader.TemplatesFile))(t)
	entries, problems := templates.Decode(loader.TemplatesFile, data)
	index, more := matcher.New(loader.TemplatesFile, entries)
	if problems = append(problems, more...); len(problems) > 0 {
		t.Fatal(problems)
	}
	catalog := must.Get(loader.Scan(context.Background(), project, loader.Options{
		Templates: index, HideUnmatched: c.Unmatched == "hide", Include: c.Include, Exclude: c.Exclude,
	}))(t)
	if warnings := catalog.Warnings(); len(warnings) > 0 {
		t.Errorf("warnings: %v", warnings)
	}
	return catalog
}

// describe reads every resource and compares its bytes with the file's.
func describe(t *testing.T, project fs.FS, catalog *loader.Catalog) map[string]resource {
	t.Helper()
	got := make(map[string]resource)
	for r := range catalog.All() {
		want, err := fs.ReadFile(project, r.Path())
		must.Do(t, err)
		content, data, err := catalog.Content(r, 1<<20)
		must.Do(t, err)
		if !bytes.Equal(data, want) || r.Size() != int64(len(want)) {
			t.Errorf("%s has %d bytes %q, want %d bytes %q", r.URI(), r.Size(), data, len(want), want)
		}
		if content.IsText && !bytes.HasPrefix(want, []byte{0xFF, 0xFE}) && content.Text != string(want) {
			t.Errorf("%s is the text %q, want %q", r.URI(), content.Text, want)
		}
		if again, ok := catalog.Lookup(r.URI()); !ok || again != r {
			t.Errorf("%s does not name itself", r.URI())
		}
		described := resource{MIME: content.MIME, Blob: !content.IsText}
		m, matched := catalog.Templates().Match(r.URI())
		if entry, ok := r.Template(); ok != matched || ok && entry != m.Entry {
			t.Errorf("%s has the template %d, %t in the catalog and %d, %t by itself", r.URI(), entry, ok, m.Entry, matched)
		}
		if matched {
			described.Template = m.Template.String()
			var vars []string
			for _, v := range m.Variables {
				vars = append(vars, v.Name+"="+v.Value)
			}
			described.Variables = strings.Join(vars, ", ")
			// A client that expands the template gets the same file.
			expanded := catalog.Templates().Pattern(m.Entry).Expand(m.Variables)
			if again, ok := catalog.Lookup(expanded); !ok || again != r {
				t.Errorf("%s expands to %s, which names something else", r.URI(), expanded)
			}
		}
		got[r.URI()] = described
	}
	return got
}

// files returns the files below resources/, except templates.json.
func files(t *testing.T, project fs.FS) []string {
	t.Helper()
	var names []string
	must.Do(t, fs.WalkDir(project, loader.Resources, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && name != loader.TemplatesFile {
			names = append(names, name)
		}
		return err
	}))
	return names
}

func TestProjects(t *testing.T) {
	hidden := map[string]int{"mixed": 2} // files that are not served
	for _, c := range given.Cases(t, "projects.txt") {
		want := make(map[string]resource)
		for line := range strings.SplitSeq(c.Text, "\n") {
			part := strings.Split(line, "; ")
			mime, blob := strings.CutSuffix(part[3], " blob")
			want[part[0]] = resource{part[1], part[2], mime, blob}
		}
		t.Run(c.Name, func(t *testing.T) {
			root := must.Get(rootfs.Open(c.Name))(t)
			defer root.Close()
			for name, fsys := range map[string]fs.FS{"rootfs": root, "os.DirFS": os.DirFS(c.Name)} {
				catalog := load(t, fsys)
				got := describe(t, fsys, catalog)
				must.Equal(t, want, got, name)
				if all := files(t, os.DirFS(c.Name)); len(all) != len(got)+hidden[c.Name] {
					t.Errorf("%s: %d of the files %q are served", name, len(got), all)
				}
			}
			for _, name := range []string{config.File, "docs/index.md"} {
				if _, err := root.Stat(name); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestExact checks bytes that a checkout with other settings of Git might change.
func TestExact(t *testing.T) {
	catalog := load(t, os.DirFS("mixed"))
	for uri, want := range map[string]string{
		"files://texts/windows.csv": "name,size\r\nalpha,1\r\nbeta,2\r\n",
		"files://texts/utf-16.txt":  "\uFEFFÜber 😀\r\n",
		"files://texts/bom.json":    "\uFEFF{\"bom\": true}\n",
		"files://texts/empty.txt":   "",
		"files://texts/no-newline":  "The last line has no end.",
	} {
		r, ok := catalog.Lookup(uri)
		if !ok {
			t.Errorf("%s does not exist", uri)
			continue
		}
		content, _, err := catalog.Content(r, 1<<20)
		if err != nil || !content.IsText || content.Text != want {
			t.Errorf("%s is %q, %t, %v, want the text %q", uri, content.Text, content.IsText, err, want)
		}
	}
}

// TestNames checks that Git can store the names on every system, and that archives of Go modules
// accept them.
func TestNames(t *testing.T) {
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, _ fs.DirEntry, err error) error {
		base := path.Base(name)
		for _, r := range base {
			if r < 128 && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()+,-.=@[]^_{}~ ", r) || r >= 128 && !unicode.IsLetter(r) {
				t.Errorf("%q holds %q", name, r)
			}
		}
		if name != "." && strings.HasSuffix(base, ".") || strings.HasSuffix(base, " ") {
			t.Errorf("%q ends in a way that Windows does not keep", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

package site

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const capturedFront = "---\nurl: \"https://a.example/x\"\ntitle: \"X\"\nfetched: \"2026-11-22T01:02:03Z\"\nsha256: \"9c56\"\nassets:\n  - \"ab12 a.example/own.png\"\n---\n\n"

func capturedFiles() map[string]string {
	return map[string]string{"docs/p.md": "# P\n\nPRIVATE\n", "src/x.py": "PRIVATE = 1\n", "docs/private.png": "png", "docs/web/a.example/own.png": "png", "docs/web/b.example/other.png": "png"}
}

// A page that was captured from the web includes nothing, in its own text and as a part of another document.
func TestCapturedIncludesNothing(t *testing.T) {
	all := ".. include:: p.md\n\ninclude::p.md[]\n\n#+include: p.md\n\n"
	for _, form := range includeForms {
		all += form.text + "\n\n"
	}
	all += "\n\n[[p]] ![](private.png) ![](web/a.example/own.png) ![[private.png]] ![](other.png)\n"
	for _, page := range []string{"docs/web/a.example/x.md", "docs/x.md", "x.md", "docs/x.rst", "docs/x.adoc", "docs/x.org"} {
		for _, front := range []string{capturedFront, strings.ReplaceAll(capturedFront, "\n", "\r\n"), "\ufeff" + strings.Replace(capturedFront, "---\nurl", "---\nnote: [not YAML\n\"url\"", 1)} {
			files := capturedFiles()
			files[page] = front + all
			files["docs/author.md"] = "# Author\n\n--8<-- \"" + page + "\"\n"
			s := load(t, files)
			p := pageOf(t, s, page)
			if got, want := content(t, s, p, files[page]).Text, strings.TrimPrefix(files[page], "\ufeff"); got != want {
				t.Errorf("%s: -want +got:\n%s", page, cmp.Diff(want, got))
			}
			for _, name := range uses(t, s, p, files[page]) {
				if name != "docs/web/a.example/own.png" {
					t.Errorf("%s uses %s", page, name)
				}
			}
			if got := content(t, s, s.Page("docs/author.md"), files["docs/author.md"]).Text; strings.Contains(got, "PRIVATE") || !strings.Contains(got, "{!p.md!}") {
				t.Errorf("a page that includes %s has %s", page, got)
			}
			for _, l := range s.Links(p, files[page]) {
				if strings.HasPrefix(l.Link, "[[") {
					t.Errorf("%s links to %s", page, l.Link)
				}
			}
		}
	}
}

func pageOf(t *testing.T, s *Set, file string) *Page {
	t.Helper()
	p := s.files[file]
	if p == nil {
		p = &Page{File: file, Folder: "docs", Tree: s.Page("docs/p.md").Tree}
	}
	return p
}

// Of the images that a captured page names, it has its own.
func TestCaptureOf(t *testing.T) {
	for text, want := range map[string]bool{
		capturedFront: true, "": false, "---\nurl: x\n---\nsha256: y\n": false, "---\nurl: x\nbinary:\n  sha256: y\n---\n": false,
		"---\n'url' : x\nsha256: y\n---": true, "+++\nurl: x\nsha256: y\n+++\n": false,
	} {
		if got := CaptureOf(text) != nil; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	files := capturedFiles()
	files["docs/web/a.example/x.md"] = capturedFront + "![](own.png) ![](private.png) `b.example/other.png`\n"
	s := load(t, files)
	got := uses(t, s, s.Page("docs/web/a.example/x.md"), files["docs/web/a.example/x.md"])
	if !slices.Equal(got, []string{"docs/web/a.example/own.png"}) {
		t.Errorf("uses %v", got)
	}
}

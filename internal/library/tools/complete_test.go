package tools

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// While other languages are being read, a request for one waits for them, and any other request does not.
func TestWaitsForOtherLanguages(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{"m/en/mkdocs.yml": "", "m/en/docs/a.md": "# A\n\nzebra\n", "m/de/mkdocs.yml": "", "m/de/docs/a.md": "# Deutsch\n\nzebra\n"} {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	read := func(t *testing.T, quick bool) *docs.Library {
		l, err := docs.Detect(t.Context(), fsys, docs.Reading{Sites: site.Options{Quick: quick}})
		if err != nil || l.Sites().Quick() != quick {
			t.Fatal(err)
		}
		return l
	}
	for arguments, waits := range map[string]bool{
		`{"paths": ["a.md"]}`: false, `{"query": "zebra"}`: false, `{"paths": ["m/de/docs/a.md"], "query": "zebra"}`: true, `{"paths": ["a.md", "m/de/docs/a.md"]}`: true, `{"query": "zebra language:de"}`: true,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := startNamed(t, "Acme", "p", fsys, Features{})
			s.library.Publish(read(t, true))
			var text string
			answered := false
			go func() {
				out, err := s.Call(t.Context(), "searchAcme", Call{Arguments: json.RawMessage(arguments)})
				if err != nil {
					t.Error(err)
					return
				}
				for _, b := range out.blocks {
					text += b.(*contents.Block).Text
				}
				answered = true
			}()
			synctest.Wait()
			if answered == waits {
				t.Errorf("%s: answered before the other languages: %t", arguments, answered)
			}
			s.library.Publish(read(t, false))
			synctest.Wait()
			if !answered || strings.Contains(text, "Deutsch") != waits {
				t.Errorf("%s: %q", arguments, text)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := startNamed(t, "Acme", "p", fsys, Features{})
		s.library.Publish(read(t, true))
		_, err := s.Call(t.Context(), "searchAcme", Call{Arguments: json.RawMessage(`{"query": "zebra language:de"}`)})
		if _, ok := errors.AsType[*Mistake](err); !ok || !strings.Contains(err.Error(), "still being read") {
			t.Errorf("other languages that do not come: %v", err)
		}
	})
}

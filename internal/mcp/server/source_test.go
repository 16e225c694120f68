package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// notes is a source of notes. Each is visible to one caller or to all. Its template matches notes
// that are made on lookup.
type notes struct {
	mu        sync.Mutex
	all       []*view.Resource
	snapshots map[string]*snapshot // by caller; nil after each change
	changed   func(view.Change)
}

type snapshot struct{ *view.List }

func (n *notes) Name() string { return "the notes" }

func (n *notes) Notify(changed func(view.Change)) { n.changed = changed }

func (n *notes) Snapshot(_ *loader.Catalog, caller string) view.Snapshot {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.snapshots[caller] == nil {
		var seen []*view.Resource
		for _, r := range n.all {
			if r.Owner == "" || r.Owner == caller {
				seen = append(seen, r)
			}
		}
		if n.snapshots == nil {
			n.snapshots = make(map[string]*snapshot)
		}
		n.snapshots[caller] = &snapshot{view.NewList(seen)}
	}
	return n.snapshots[caller]
}

// put adds or changes a note and reports the change.
func (n *notes) put(owner, uri, text string) {
	n.mu.Lock()
	had := len(n.all)
	n.all = slices.DeleteFunc(slices.Clone(n.all), func(r *view.Resource) bool { return r.URI == uri && r.Owner == owner })
	list := len(n.all) == had
	n.all = append(n.all, note(owner, uri, text))
	n.snapshots = nil
	n.mu.Unlock()
	if n.changed != nil {
		n.changed(view.Change{Owner: owner, List: list, Updated: []string{uri}})
	}
}

func note(owner, uri, text string) *view.Resource {
	_, name, _ := strings.Cut(uri, "://")
	return &view.Resource{
		URI: uri, Name: name, Title: "A note", MIMEType: "text/plain", Size: int64(len(text)), Owner: owner,
		Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Read: view.Bytes([]byte(text)),
	}
}

func (s *snapshot) Lookup(text string) (*view.Resource, bool) {
	if r, ok := s.List.Lookup(text); ok {
		return r, true
	}
	if word, ok := strings.CutPrefix(text, "note://made/"); ok {
		r := note("", text, "made of "+uri.Decode(word))
		r.Size = -1
		return r, true
	}
	return nil, false
}

func (s *snapshot) Templates() []templates.Entry {
	parsed, err := templates.Parse("note://made/{word}")
	if err != nil {
		panic(err)
	}
	return []templates.Entry{{Definition: templates.Definition{URITemplate: parsed.String(), Name: "Notes"}, Template: parsed}}
}

func (s *snapshot) Complete(_ context.Context, template, variable, prefix string, _ map[string]string) []string {
	return []string{template + variable + prefix}
}

// Resources that are not files are listed, found, read and completed like files.
func TestSource(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		n := &notes{}
		n.put("", "note://a", "one\ntwo")
		n.put("", "x://h/b", "between files")
		n.put("", "x://h/c", "a file has my URI")
		n.put("", "note://blob", "\x00\xff")
		n.put("", "note://utf16", "\xff\xfea\x00")
		n.put("bob", "note://bob", "private")
		f := startAs(t, e, given.Resources("x/h/a=1", "x/h/c=2", "x/h/d=3"), "[]", Options{Sources: []view.Source{n}, Features: Features{ResourceTools: true, Connector: true}}, func(s *Server) {})

		var got []string
		for cursor := any(""); cursor != nil; {
			page := f.must("resources/list", map[string]any{"cursor": cursor})
			for _, item := range page["resources"].([]any) {
				got = append(got, item.(map[string]any)["uri"].(string))
				if uri := item.(map[string]any)["uri"]; uri == "note://a" {
					want := map[string]any{"uri": uri, "name": "a", "title": "A note", "mimeType": "text/plain", "size": 7.0, "annotations": map[string]any{"lastModified": "2026-01-02T03:04:05Z"}}
					must.Equal(t, want, item)
				}
			}
			cursor = page["nextCursor"]
		}
		all := []string{"note://a", "note://blob", "note://utf16", "x://h/a", "x://h/b", "x://h/c", "x://h/d"}
		if !slices.Equal(got, all) {
			t.Errorf("listed: %q", got)
		}

		for requested, want := range map[string]map[string]any{
			"note://a":         {"uri": "note://a", "mimeType": "text/plain", "text": "one\ntwo"},
			"NOTE://A":         {"uri": "note://a", "mimeType": "text/plain", "text": "one\ntwo"},
			"note://utf16":     {"uri": "note://utf16", "mimeType": "text/plain", "text": "\ufeffa"},
			"note://blob":      {"uri": "note://blob", "mimeType": "text/plain", "blob": "AP8="},
			"note://made/a%20": {"uri": "note://made/a%20", "mimeType": "text/plain", "text": "made of a "},
			"x://h/b":          {"uri": "x://h/b", "mimeType": "text/plain", "text": "between files"},
			"x://h/c":          {"uri": "x://h/c", "mimeType": "text/plain", "text": "2"},
		} {
			got := f.must("resources/read", map[string]any{"uri": requested})["contents"]
			must.Equal(t, []any{want}, got, requested)
		}
		code := int64(codeResourceNotFound)
		if e == protocol.Stateless {
			code = jsonrpc.CodeInvalidParams
		}
		if err := f.fails(code, "resources/read", map[string]any{"uri": "note://aa"}); !strings.Contains(err.Message, "did you mean note://a") {
			t.Error(err)
		}
		f.fails(code, "resources/read", map[string]any{"uri": "note://bob"})

		list := f.must("resources/templates/list", nil)["resourceTemplates"]
		must.Equal(t, []any{map[string]any{"uriTemplate": "note://made/{word}", "name": "Notes"}}, list)
		done := f.must("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": "note://made/{word}"}, "argument": map[string]any{"name": "word", "value": "w"}})
		must.Equal(t, map[string]any{"values": []any{"note://made/{word}wordw"}, "total": 1.0, "hasMore": false}, done["completion"])

		said := func(tool string, args map[string]any) string {
			t.Helper()
			content := f.must("tools/call", map[string]any{"name": tool, "arguments": args})["content"].([]any)
			return content[0].(map[string]any)["text"].(string)
		}
		if got := said("list_resources", map[string]any{"prefix": "note://"}); got != "note://a\ttext/plain\t7\tA note\nnote://blob\ttext/plain\t2\tA note\nnote://utf16\ttext/plain\t4\tA note\n" {
			t.Errorf("list_resources: %q", got)
		}
		must.Equal(t, "two", said("read_resource", map[string]any{"uri": "note://a", "offset": 2}), "read_resource")
		must.Equal(t, `{"results":[{"id":"note://blob","title":"A note","url":"note://blob"}]}`, said("search", map[string]any{"query": "note blob"}), "search")
		if got := said("fetch", map[string]any{"id": "note://made/x"}); !strings.Contains(got, `"text":"made of x"`) {
			t.Errorf("fetch: %s", got)
		}
	})
}

// Clients are notified of changes in a source.
func TestSourceChanges(t *testing.T) { synctest.Test(t, testSourceChanges) }

func testSourceChanges(t *testing.T) {
	n := &notes{}
	n.put("", "note://a", "1")
	f := startAs(t, protocol.Handshake, given.Resources("x/h/a=1"), "[]", Options{Sources: []view.Source{n}}, func(s *Server) {})
	f.must("resources/subscribe", map[string]any{"uri": "note://A"})
	f.fails(codeResourceNotFound, "resources/subscribe", map[string]any{"uri": "note://b"})
	n.put("", "note://b", "1")
	f.hears(heard{Method: listChanged})
	n.put("", "note://b", "2")
	n.put("bob", "note://a", "not for everybody")
	n.put("", "note://a", "2")
	f.hears(heard{Method: updated, URI: "note://A"})
	// A file hides the note, whose changes are then not reported, and is removed.
	f.change(given.Resources("x/h/a=1", "note/a=file"))
	f.hears(heard{Method: listChanged}, heard{Method: updated, URI: "note://A"})
	n.put("", "note://a", "3")
	f.change(given.Resources("x/h/a=1"))
	f.hears(heard{Method: listChanged}, heard{Method: updated, URI: "note://A"})
}

// Other callers do not see a private resource, even if they have one with the same URI.
func TestSourceOwners(t *testing.T) {
	n := &notes{}
	f := startAs(t, protocol.Handshake, given.Resources("x/h/a=1"), "[]", Options{Sources: []view.Source{n}}, func(s *Server) {})
	n.put("alice", "note://own", "of alice")
	n.put("bob", "note://own", "of bob")
	n.put("bob", "note://bob", "of bob")
	for caller, want := range map[string]string{"": "", "alice": "of alice", "bob": "of bob"} {
		result, err := f.server.Answer(t.Context(), &protocol.Call{ID: []byte("1"), Method: "resources/read", Params: []byte(`{"uri":"note://own"}`), Version: "2025-06-18", Caller: caller, Shared: true})
		if want == "" {
			if err == nil {
				t.Errorf("%q reads it", caller)
			}
			continue
		}
		must.Do(t, err)
		var b strings.Builder
		w := jsonwire.NewWriter(&b)
		err = cmp.Or(result.WriteJSON(w), w.Flush())
		result.Release()
		if err != nil || !strings.Contains(b.String(), fmt.Sprintf("%q", want)) {
			t.Errorf("%q reads %s, %v", caller, b.String(), err)
		}
	}

	alice, bob := f.server.Open("alice"), f.server.Open("bob")
	defer alice.Close()
	defer bob.Close()
	for caller, s := range map[string]interface {
		Subscribe(view.View, string) error
		Initialized()
	}{"alice": alice, "bob": bob} {
		v := must.Get(f.server.views.Load(t.Context(), caller))(t)
		s.Initialized()
		must.Do(t, s.Subscribe(v, "note://own"))
	}
	n.put("bob", "note://own", "other bytes")
	n.put("bob", "note://second", "one more")
	var methods []string
	for range 2 {
		note := must.Get(bob.Next(t.Context(), nil, nil))(t)
		methods = append(methods, note.Method)
	}
	if slices.Sort(methods); !slices.Equal(methods, []string{listChanged, updated}) {
		t.Errorf("bob is notified of %q", methods)
	}
	over := make(chan struct{})
	close(over)
	if note, err := alice.Next(t.Context(), over, nil); err == nil {
		t.Errorf("alice is notified of a resource of bob: %s", note.Method)
	}
}

// A source may not know the size of a resource, report a wrong one, or fail to return the resource.
func TestSourceReads(t *testing.T) {
	n := &notes{}
	long := strings.Repeat("long ", 100_000)
	n.all = []*view.Resource{
		{URI: "note://unknown", Size: -1, Read: func(_ context.Context, alloc func(int) []byte) ([]byte, error) {
			b := alloc(len(long))
			if b == nil {
				return nil, loader.ErrNoRoom
			}
			return b[:copy(b, long)], nil
		}},
		{URI: "note://wrong", Size: 1, Read: view.Bytes([]byte(long))},
		{URI: "note://too-large", Size: -1, Read: func(_ context.Context, alloc func(int) []byte) ([]byte, error) {
			if b := alloc(1 << 40); b == nil {
				return nil, loader.ErrNoRoom
			}
			return nil, nil
		}},
		{URI: "note://gone", Read: func(context.Context, func(int) []byte) ([]byte, error) { return nil, fs.ErrNotExist }},
		{URI: "note://refused", Read: func(context.Context, func(int) []byte) ([]byte, error) {
			return nil, &view.Refusal{Reason: "not on a Sunday"}
		}},
		{URI: "note://broken", Read: func(context.Context, func(int) []byte) ([]byte, error) {
			return nil, errors.New("/secret/path is broken")
		}},
		{URI: "note://panics", Read: func(context.Context, func(int) []byte) ([]byte, error) { panic("x") }},
	}
	f := startAs(t, protocol.Handshake, given.Resources(), "[]", Options{Sources: []view.Source{n}}, func(s *Server) {})
	f.server.SetLimits(Limits{ReadBytes: 1 << 20, FrameBytes: 1 << 20, PageItems: 3})
	for _, uri := range []string{"note://unknown", "note://wrong"} {
		got := f.must("resources/read", map[string]any{"uri": uri})["contents"].([]any)[0].(map[string]any)
		if got["text"] != long {
			t.Errorf("%s has %d bytes", uri, len(fmt.Sprint(got["text"])))
		}
	}
	f.fails(codeResourceNotFound, "resources/read", map[string]any{"uri": "note://gone"})
	for uri, want := range map[string]string{
		"note://too-large": "maxReadBytes",
		"note://broken":    "an input or output error",
		"note://panics":    "internal error",
	} {
		if err := f.fails(jsonrpc.CodeInternalError, "resources/read", map[string]any{"uri": uri}); !strings.Contains(err.Message, want) || strings.Contains(err.Message, "secret") {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if err := f.fails(jsonrpc.CodeInvalidParams, "resources/read", map[string]any{"uri": "note://refused"}); err.Message != "cannot read \"note://refused\": not on a Sunday" || string(err.Data) != `{"uri":"note://refused","reason":"not on a Sunday"}` {
		t.Errorf("%v, %s", err, err.Data)
	}
	if u := f.server.options.Memory.Usage(); u.Bytes != 0 {
		t.Errorf("%d bytes were not released", u.Bytes)
	}
}

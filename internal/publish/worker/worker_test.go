package worker

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

func TestName(t *testing.T) {
	for slug, want := range map[string]string{
		"acme-docs": "acme-docs", "Acme.Docs_2": "acme-docs-2", "-x-": "x", strings.Repeat("a", 100): strings.Repeat("a", 63),
		strings.Repeat("a", 62) + "-b": strings.Repeat("a", 62), "": "",
	} {
		if got := Name(slug); got != want {
			t.Errorf("%q: %q, want %q", slug, got, want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, test := range []struct {
		options Options
		want    string
	}{
		{Options{Name: "docs"}, ""},
		{Options{Name: "docs", Hosts: []string{"docs.example.com:8443"}, Origins: []string{"https://app.example.com"}}, ""},
		{Options{}, `--name "" is part of a host`},
		{Options{Name: "Docs"}, `--name "Docs" is part of a host`},
		{Options{Name: "docs.example"}, "is part of a host"},
		{Options{Name: "docs", Hosts: []string{"*"}}, `--allow-host "*": it must name a host`},
		{Options{Name: "docs", Hosts: []string{"https://docs.example.com"}}, "it must be a host"},
		{Options{Name: "docs", Origins: []string{"null"}}, `--allow-origin "null": it cannot be allowed`},
	} {
		err := test.options.Check()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", test.options, err, test.want)
		}
	}
}

func TestConfiguration(t *testing.T) {
	files, err := Options{Name: "docs", Hosts: []string{"a.example", "b.example"}, Version: "1.2.3"}.files("b/x", []bundle.File{bundle.Bytes("b/x", bundle.ModePlain, nil)})
	must.Do(t, err)
	text := make(map[string]string)
	for _, f := range files {
		var b strings.Builder
		must.Do(t, f.Copy(&b))
		text[f.Name] = b.String()
	}
	_, data, _ := strings.Cut(text["wrangler.jsonc"], "\n{")
	var c struct {
		Main   string
		Assets struct {
			RunWorkerFirst bool `json:"run_worker_first"`
		}
		Vars map[string]string
	}
	must.Do(t, json.Unmarshal([]byte("{"+data), &c))
	if !c.Assets.RunWorkerFirst || c.Vars["ACCESS"] != "token" || c.Vars["HOSTS"] != "a.example b.example" || c.Vars["MANIFEST"] != "b/x" || c.Main != "worker.js" {
		t.Errorf("%+v", c)
	}
	if _, there := text["assets/b/x"]; !there || !strings.HasPrefix(text["wrangler.jsonc"], mark) || !strings.Contains(text["README.md"], "wrangler secret put MCP_DOCS_TOKEN") {
		t.Errorf("%q", text)
	}
	if !strings.Contains(string(script), "MIT License") {
		t.Error("worker.js has no licence")
	}
	if open := (Options{Name: "docs", Open: true}); open.variables("")["ACCESS"] != "open" || strings.Contains(open.readme(), "MCP_DOCS_TOKEN") {
		t.Error("--no-auth: the Worker asks for a token")
	}
}

func TestLimitsOfPlans(t *testing.T) {
	assets := make([]bundle.File, PaidFiles+1)
	for i := range assets {
		assets[i].Name = fmt.Sprintf("b/%d", i)
	}
	o := Options{Name: "docs"}
	if _, err := o.files("", assets); err == nil || !strings.Contains(err.Error(), `100001 assets, and a Worker can have at most 100000: leave some files out with "exclude"`) {
		t.Error(err)
	}
	large := []bundle.File{{Name: "b/x", Size: FileBytes + 1}}
	if _, err := o.files("", large); err == nil || !strings.Contains(err.Error(), "has 26214401 bytes, and an asset of a Worker can have at most 26214400") {
		t.Error(err)
	}
	for n, want := range map[int]string{FreeFiles: "", FreeFiles + 1: "the Worker has 20001 assets: Cloudflare's free plan allows 20000"} {
		files := must.Get(o.files("", assets[:n]))(t)
		if got := Notice(files); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestKeys(t *testing.T) {
	for canonical, want := range map[string]string{
		"docs://": "d:docs://", "docs://Guide/": "d:docs://guide", "docs://Guide/a%20B": "d:docs://guide/a%20B", "x://%C3%9F%FF": "d:x://%C3%9F%EF%BF%BD",
	} {
		if got := keyOf("d", namesOf(canonical)); got != want {
			t.Errorf("%s: %q, want %q", canonical, got, want)
		}
	}
}

func TestFailureOmitsTheURI(t *testing.T) {
	f, err := failureOf(&jsonrpc.Error{Code: -32603, Message: `cannot read "a://b": too large`, Data: json.RawMessage(`{"uri":"a://b","size":5}`)}, "a://b")
	if err != nil || f.Message != "cannot read \x00: too large" || !f.Located || len(f.Data) != 1 || string(f.Data["size"]) != "5" {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := failureOf(fmt.Errorf("a disk error"), "a://b"); err == nil {
		t.Error("an error of the build becomes an answer")
	}
}

package cli

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
)

// What of the environment is wrong ends the start, with the variable.
func TestCaptureVariables(t *testing.T) {
	withoutVariables(t)
	for _, name := range append([]string{"LLM_API_KEY", "LLM_API_BASE_URL"}, append(serviceVariables, captureVariables...)...) {
		t.Setenv(name, "")
	}
	dir := t.TempDir()
	for _, test := range []struct{ name, value, want string }{
		{"OPTIMIZE_FOR", "speed", "OPTIMIZE_FOR is speed, which is Firecrawl alone: set FIRECRAWL_API_KEY too"},
		{"OPTIMIZE_FOR", "quality", `OPTIMIZE_FOR is "quality", must be cost or speed`},
		{"LLM_PROVIDER", "google", `LLM_PROVIDER is "google", must be anthropic, openai or openai-compatible`},
		{"LLM_PROVIDER", "openai", "LLM_API_KEY is not set"},
		{"MCP_RESOURCE_TTL", "soon", `MCP_RESOURCE_TTL is "soon"`},
	} {
		t.Run(test.name+"="+test.value, func(t *testing.T) {
			t.Setenv(test.name, test.value)
			code, _, errors := run(t, strings.NewReader(""), "serve", "--capture", dir)
			if code == exitFine || !strings.Contains(errors, test.want) {
				t.Errorf("exit code %d: %s", code, errors)
			}
			if code, _, errors := run(t, strings.NewReader(""), "serve", dir); code != exitFine {
				t.Errorf("without --capture: exit code %d: %s", code, errors)
			}
		})
	}
	t.Setenv("LLM_API_KEY", "sk-0123456789")
	t.Setenv("LLM_PROVIDER", "openai")
	if _, out, _ := run(t, strings.NewReader(""), "serve", "--print-config"); line(out, "LLM_API_KEY") != "set" || line(out, "LLM_PROVIDER") != "openai" || strings.Contains(out, "0123456789") {
		t.Errorf("%s", out)
	}
}

// What worked for a site outlives the server, beside captures in files.
func TestLearnedIsKept(t *testing.T) {
	dir := t.TempDir()
	w := &webAccess{logger: slog.New(slog.DiscardHandler)}
	memory := fetch.NewMemory()
	run, err := w.remember(memory, dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(ctx)
	}()
	memory.Learn(&url.URL{Scheme: "https", Host: "example.com", Path: "/blog/a"}, fetch.BrowserName)
	cancel() // it is written at the end at the latest
	<-ended
	again := fetch.NewMemory()
	if _, err := w.remember(again, dir); err != nil {
		t.Fatal(err)
	}
	if data, err := json.Marshal(again); err != nil || !strings.Contains(string(data), `"example.com/blog/":{"strategy":"browser"`) {
		t.Errorf("%s %v", data, err)
	}
	if err := os.WriteFile(filepath.Join(dir, learnedFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.remember(fetch.NewMemory(), dir); err != nil {
		t.Errorf("a file that cannot be read ends the start: %v", err)
	}
}

package cli

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
)

// An invalid environment variable ends the start, and the error names it.
func TestCaptureVariables(t *testing.T) {
	withoutVariables(t)
	for _, name := range append([]string{"LLM_API_KEY", "LLM_API_BASE_URL"}, append(webaccess.ServiceVariables, webaccess.CaptureVariables...)...) {
		t.Setenv(name, "")
	}
	dir := t.TempDir()
	for _, test := range []struct{ name, value, want string }{
		{"OPTIMIZE_FOR", "speed", "OPTIMIZE_FOR is speed, which needs Firecrawl: also set FIRECRAWL_API_KEY"},
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

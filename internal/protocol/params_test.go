package protocol

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An error names the wrong member, and no Go type.
func TestDecodeErrors(t *testing.T) {
	for params, want := range map[string]string{
		`[1]`: "invalid params: they have the wrong type",
		`5`:   "invalid params: they have the wrong type",
		`{"capabilities":{"roots":{"listChanged":1}}}`:     "invalid params: capabilities.roots.listChanged has the wrong type",
		`{"clientInfo":{"icons":[{"src":"x"},{"src":1}]}}`: "invalid params: clientInfo.icons.1.src has the wrong type",
		`{"_meta":{"x":1e400}}`:                            "invalid params: _meta.x has the wrong type",
	} {
		if err := Decode([]byte(params), &mcp.InitializeParams{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", params, err, want)
		}
	}
}

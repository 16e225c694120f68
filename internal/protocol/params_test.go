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

// Clients write an empty object as an empty list, and null for what they leave out.
func TestDecodeEmptyObjects(t *testing.T) {
	for _, params := range []string{
		`[]`, ` [ ] `, `{"capabilities":[]}`, `{"capabilities":{"roots":[ ]},"clientInfo":{"name":"a[]\"[]","version":null,"icons":[]}}`, `{"capabilities":null,"clientInfo":null}`,
	} {
		var p mcp.InitializeParams
		if err := Decode([]byte(params), &p); err != nil {
			t.Errorf("%s: %v", params, err)
		} else if p.ClientInfo != nil && p.ClientInfo.Name != `a[]"[]` {
			t.Errorf("%s is read as %+v", params, p.ClientInfo)
		}
	}
	if era, err := EraOf(&Call{Params: []byte(`{"_meta":[]}`)}); era != Handshake || err != nil {
		t.Errorf("%v, %v", era, err)
	}
}

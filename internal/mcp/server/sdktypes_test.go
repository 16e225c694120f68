package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The types of this package exist because the types of the SDK write other bytes: they leave out false and zero, which clients
// then do not know. If a case fails, the SDK has changed, and its type may replace ours.
func TestSDKTypes(t *testing.T) {
	priority := 0.0
	for _, test := range []struct {
		name      string
		ours, sdk any
		lost      string // what the SDK leaves out
	}{
		{"an argument that is not required", promptArgument{Name: "a"}, mcp.PromptArgument{Name: "a"}, `"required":false`},
		{"a priority of 0", annotations{Priority: &priority}, mcp.Annotations{Priority: priority}, `"priority":0`},
		{"a completion without more values", completion{Values: []string{}}, mcp.CompletionResultDetails{Values: []string{}}, `"total":0,"hasMore":false`},
	} {
		ours, err := json.Marshal(test.ours)
		if err != nil {
			t.Fatal(err)
		}
		sdk, err := json.Marshal(test.sdk)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(ours), test.lost) || strings.Contains(string(sdk), test.lost) {
			t.Errorf("%s: ours is %s, the SDK's is %s", test.name, ours, sdk)
		}
	}
}

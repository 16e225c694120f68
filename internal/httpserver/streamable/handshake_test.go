package streamable

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

func TestHandshakeEra(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		s := start(t, DefaultLimits, given.Resources("x/h/a=1", "x/h/b=2"))
		session := s.session(version)
		status, body := s.post(call("resources/read", `"uri":"x://h/a"`), session, "MCP-Protocol-Version: "+version)
		if status != 200 || body != `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"x://h/a","mimeType":"text/plain","text":"1"}]}}` {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if status, body := s.post(call("ping", ""), session); status != 200 || body != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if status, body := s.post(call("resources/read", `"uri":"x://h/none"`), session); status != 200 || !strings.Contains(body, `"code":-32002`) {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if res := s.request(http.MethodDelete, "", session); res.StatusCode != 204 {
			t.Errorf("DELETE: %d", res.StatusCode)
		}
		if status, _ := s.post(call("ping", ""), session); status != 404 {
			t.Errorf("a session that has ended: %d", status)
		}
	}
}

func TestOldVersionIsNotAgreedOn(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources())
	if _, body := s.post(hello("2024-11-05")); !strings.Contains(body, `"protocolVersion":"2025-03-26"`) {
		t.Error(body)
	}
}

package streamable

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
)

// A slowTree opens the files of resources slowly.
type slowTree struct{ fstest.MapFS }

func (t slowTree) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".txt") {
		time.Sleep(3 * shortTimeout)
	}
	return t.MapFS.Open(name)
}

const shortTimeout = 50 * time.Millisecond

// An answer that takes longer than the server's write deadline for a request is
// sent nevertheless, as a result or as an error.
func TestAnswersAfterTheDeadlineOfTheRequest(t *testing.T) {
	s := startWith(t, Limits{}, slowTree{fstest.MapFS{"resources/x/h/slow.txt": {Data: []byte("slow")}}}, server.Options{})
	slow := httptest.NewUnstartedServer(s.handler)
	slow.Config.WriteTimeout = shortTimeout
	slow.Start()
	defer slow.Close()
	for _, test := range []struct{ uri, want string }{
		{"x://h/slow.txt", `"text":"slow"`},
		{"x://h/other.txt", `"error"`},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + test.uri + `","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, slow.URL+"/mcp", strings.NewReader(body))
		must.Do(t, err)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28",
			"Mcp-Method": "resources/read", "Mcp-Name": test.uri,
		} {
			r.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", test.uri, err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(answer), test.want) {
			t.Errorf("%s: %d %s, %v", test.uri, resp.StatusCode, answer, err)
		}
	}
}

package streamable

import (
	"io/fs"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

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
	s.url = slow.URL + "/mcp"
	for uri, want := range map[string]string{"x://h/slow.txt": `"text":"slow"`, "x://h/other.txt": `"error"`} {
		body, headers := modern("resources/read", `"uri":"`+uri+`"`, uri)
		if status, answer := s.post(body, headers...); !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", uri, status, answer)
		}
	}
}

package probe

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

const answer = `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"Acme","version":"1.2.3"}}}`

// TestMain makes the program of the tests the program that is started.
func TestMain(m *testing.M) {
	switch os.Getenv("PROBE_TEST") {
	case "":
		os.Exit(m.Run())
	case "fine":
		os.Stdout.WriteString("noise\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n" + answer + "\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "refuses":
		os.Stdout.WriteString(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}` + "\n")
	case "fails":
		os.Stderr.WriteString("first line\nno such folder\n")
		os.Exit(3)
	case "silent":
	case "endless":
		for {
			if _, err := os.Stdout.WriteString(strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	}
}

func TestStart(t *testing.T) {
	for kind, want := range map[string]string{
		"fine": "", "refuses": "it refuses the handshake: no", "fails": "exit status 3: no such folder", "silent": "it ends", "endless": "token too long",
	} {
		a, err := Start(t.Context(), os.Args[0], nil, map[string]string{"PROBE_TEST": kind})
		if want == "" && (err != nil || a != (Answer{"Acme", "1.2.3"})) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %v", kind, a, err)
		}
	}
	if _, err := Start(t.Context(), "/nowhere/at/all", nil, nil); err == nil {
		t.Error("a program that is not there starts")
	}
}

func TestAsk(t *testing.T) {
	for path, test := range map[string]struct{ handler http.HandlerFunc }{
		"": {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, answer) }},
		"stream": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: message\ndata: "+answer+"\n\n")
		}},
		"it answers, and wants a token":       {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) }},
		"it answers with HTTP 404":            {http.NotFound},
		"it answers with HTTP 307":            {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusTemporaryRedirect) }},
		"it does not answer as an MCP server": {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>\n") }},
		"bufio.Scanner: token too long":       {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", 2<<20)) }},
	} {
		server := httptest.NewServer(test.handler)
		a, err := Ask(t.Context(), server.URL)
		if path == "" || path == "stream" {
			if err != nil || a.Name != "Acme" {
				t.Errorf("%v, %v", a, err)
			}
		} else if err == nil || err.Error() != path {
			t.Errorf("the error is %v, not %s", err, path)
		}
		server.Close()
	}
	if _, err := Ask(t.Context(), "http://127.0.0.1:1/"); err == nil || errors.Is(err, ErrToken) {
		t.Errorf("nobody is there: %v", err)
	}
}

package probe

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const answer = `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"Acme","version":"1.2.3"}}}`

// TestMain lets the test program act as the server to start.
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
	case "leaves":
		child := exec.Command(os.Args[0])
		child.Env, child.Stdout = append(os.Environ(), "PROBE_TEST=holds"), os.Stdout
		if err := child.Start(); err != nil {
			os.Exit(1)
		}
		file := os.Getenv("PROBE_FILE")
		if os.WriteFile(file+".new", []byte(strconv.Itoa(child.Process.Pid)), 0o600) != nil || os.Rename(file+".new", file) != nil {
			os.Exit(1)
		}
		time.Sleep(time.Minute)
	case "holds":
		time.Sleep(time.Minute)
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

// A killed program may leave a child that has its output open. Start does not wait for the child.
func TestStartEnds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := Start(ctx, os.Args[0], nil, map[string]string{"PROBE_TEST": "leaves", "PROBE_FILE": file})
		ended <- err
	}()
	var pid int
	for pid == 0 {
		if text, err := os.ReadFile(file); err == nil {
			pid, _ = strconv.Atoi(string(text))
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "there is no answer") {
		t.Errorf("%v", err)
	}
	left, err := os.FindProcess(pid)
	if err == nil {
		err = left.Kill() // it has not ended by itself
	}
	if err != nil {
		t.Errorf("Start waited for the child of the program: %v", err)
	}
}

func TestAsk(t *testing.T) {
	for path, test := range map[string]struct{ handler http.HandlerFunc }{
		"": {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, answer) }},
		"stream": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: message\ndata: "+answer+"\n\n")
		}},
		"it answers, but needs a token":       {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) }},
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
		t.Errorf("without a server: %v", err)
	}
}

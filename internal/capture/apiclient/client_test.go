package apiclient

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const secret = "fc-0123456789abcdef"

// asked is a service that gives its answers in turn, and repeats the last one.
type asked struct {
	*httptest.Server
	requests []*http.Request
	bodies   []string
	waits    []time.Duration
}

func serve(t *testing.T, answers ...http.HandlerFunc) (*asked, *Client) {
	t.Helper()
	a := &asked{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.requests, a.bodies = append(a.requests, r), append(a.bodies, string(body))
		answers[min(len(a.requests), len(answers))-1](w, r)
	}))
	t.Cleanup(a.Close)
	return a, client(t, a.URL+"/api", a)
}

func client(t *testing.T, base string, a *asked) *Client {
	t.Helper()
	c := must.Get(New(Options{
		Name: "Firecrawl", Base: base, BaseVar: "FIRECRAWL_BASE_URL", Key: secret, KeyVar: "FIRECRAWL_API_KEY", Version: "1.2.3",
		Pause: func(_ context.Context, d time.Duration) error { a.waits = append(a.waits, d); return nil },
	}))(t)
	return c
}

func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func TestRequest(t *testing.T) {
	a, c := serve(t, says(200, `{"n": 7}`))
	var got struct{ N int }
	err := c.Do(t.Context(), Request{
		Method: "POST", Path: "v2/crawl", Query: url.Values{"q": {"ä & b"}}, Body: map[string]int{"x": 1},
	}, &got)
	if err != nil || got.N != 7 {
		t.Fatal(got, err)
	}
	r := a.requests[0]
	if r.RequestURI != "/api/v2/crawl?q=%C3%A4+%26+b" || r.Method != "POST" {
		t.Errorf("%s %s", r.Method, r.RequestURI)
	}
	for name, want := range map[string]string{"Authorization": "Bearer " + secret, "Content-Type": "application/json", "Accept": "application/json", "User-Agent": "mcp-docs-server/1.2.3"} {
		must.Equal(t, want, r.Header.Get(name), name)
	}
	must.Equal(t, `{"x":1}`, a.bodies[0], "the body is")
}

// Each status has a text that says what to change, and is tried again only where that can help.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		answer http.HandlerFunc
		want   []string // parts of the error
		tries  int
	}{
		{says(401, `{"success":false,"error":"Unauthorized: Invalid token"}`), []string{"401", "Invalid token", "FIRECRAWL_API_KEY"}, 1},
		{says(403, `{"error":{"code":"x","detail":"no plan"}}`), []string{"403", "no plan"}, 1},
		{says(402, `{"error":"Payment required"}`), []string{"402", "no credits left"}, 1},
		{says(429, `{"error":"Rate limit exceeded."}`), []string{"429", "Rate limit exceeded. Wait", "(can be tried again)"}, 3},
		{says(429, `{}`, "Retry-After", "3"), []string{"429", "again in 3s"}, 3},
		{says(400, `{"message":"limit\n is  wrong\u0000"}`), []string{"400", "limit is wrong"}, 1},
		{says(404, `[1]`), []string{"404", "it does not say why"}, 1},
		{says(400, `{"error":true,"detail":"d"}`), []string{"400 Bad Request - d. "}, 1},
		{says(400, `{"message":"b","error":{"message":"a"}}`), []string{"400 Bad Request - a. "}, 1},
		{says(500, `<html>`), []string{"500", "can be tried again"}, 3},
		{says(302, ``, "Location", "https://elsewhere.example/"), []string{"302", "is not followed", "FIRECRAWL_BASE_URL"}, 1},
		{says(200, `<html>`), []string{"is not the JSON that was expected", "FIRECRAWL_BASE_URL"}, 1},
		{says(400, `{"error":"bad key `+secret+`"}`), []string{"bad key …. "}, 1},
		{says(400, `{"error":"`+strings.Repeat("a", longestMessage-6)+secret+`"}`), []string{strings.Repeat("a", longestMessage-6) + "…. "}, 1},
		{says(200, `{"a":"`, "Content-Length", "1000"), []string{"its answer was cut", "(can be tried again)"}, 3},
	} {
		a, c := serve(t, test.answer)
		var answer map[string]any
		err := c.Do(t.Context(), Request{Method: "GET", Path: "x", Query: url.Values{"q": {"private words"}}}, &answer)
		for _, part := range test.want {
			if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "private") || strings.Contains(err.Error(), secret) {
				t.Errorf("%v, want %q", err, part)
			}
		}
		if len(a.requests) != test.tries || len(a.waits) != test.tries-1 {
			t.Errorf("%q: %d tries with pauses %v, want %d", test.want, len(a.requests), a.waits, test.tries)
		}
	}
}

func TestNotReached(t *testing.T) {
	a, _ := serve(t, says(200, "{}"))
	a.Close()
	c := client(t, a.URL, a)
	err := c.Do(t.Context(), Request{Method: "POST", Path: "x", Query: url.Values{"q": {"private"}}, Once: true}, nil)
	failure, ok := errors.AsType[*Error](err)
	if !ok || !failure.Retryable || strings.Contains(err.Error(), "private") || len(a.waits) != tries-1 {
		t.Errorf("%v after %v", err, a.waits)
	}
}

// A request with effects is not sent again if the service may have received it.
func TestOnce(t *testing.T) {
	for status, want := range map[int]int{500: 1, 429: 3} {
		a, c := serve(t, says(status, "", "Retry-After", "1"))
		if err := c.Do(t.Context(), Request{Method: "POST", Once: true}, nil); err == nil || len(a.requests) != want {
			t.Errorf("%d: %d requests, want %d; %v", status, len(a.requests), want, err)
		}
	}
}

func TestRecovery(t *testing.T) {
	a, c := serve(t, says(503, "", "Retry-After", "2"), says(200, `{"n":1}`))
	var got struct{ N int }
	if err := c.Do(t.Context(), Request{Method: "GET"}, &got); err != nil || got.N != 1 || len(a.waits) != 1 || a.waits[0] != 2*time.Second {
		t.Errorf("%v, %v, %v", got, err, a.waits)
	}
}

func TestSizeOfAnswer(t *testing.T) {
	_, c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		spaces := []byte(strings.Repeat(" ", 1<<20))
		for range 3 {
			if _, err := z.Write(spaces); err != nil {
				return
			}
		}
		z.Close()
	})
	c.maxAnswer = 2 << 20
	var answer any
	err := c.Do(t.Context(), Request{Method: "GET"}, &answer)
	if err == nil || !strings.Contains(err.Error(), "its answer has more than 2 MiB") || strings.Contains(err.Error(), "again") {
		t.Error(err)
	}
}

func TestTimeout(t *testing.T) {
	release := make(chan struct{})
	a, c := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	err := c.Do(t.Context(), Request{Method: "GET", Timeout: time.Millisecond}, nil)
	if failure, ok := errors.AsType[*Error](err); !ok || !failure.Retryable || !strings.Contains(err.Error(), "it did not answer within 1ms") {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Do(ended, Request{Method: "GET"}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	must.Equal(t, 0, len(a.waits), a.waits)
}

func TestSettings(t *testing.T) {
	const wrongURL = `B must be a URL such as https://api.example.com/path, without user name, password, "?" and "#"`
	for _, test := range []struct{ base, key, want string }{
		{"", "", wrongURL}, {"ftp://h/", "", wrongURL}, {"https://:80/", "", wrongURL}, {"https://user:" + secret + "@h/", "", wrongURL}, {"https://h/?a=b", "", wrongURL},
		{"https://h/", secret + "\n", "K has a character that no key has; look for spaces and line ends in it"},
	} {
		_, err := New(Options{Name: "N", Base: test.base, BaseVar: "B", Key: test.key, KeyVar: "K"})
		if err == nil || err.Error() != test.want {
			t.Errorf("%q, %q: %v, want %s", test.base, test.key, err, test.want)
		}
	}
}

// A key that the service repeats is removed from its answer.
func TestKeyInAnAnswer(t *testing.T) {
	server := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"error":"wrong: `+r.Header.Get("Authorization")+`"}`)
	}))
	c := must.Get(New(Options{Name: "S", Base: server.URL, Key: "fc-0123456789", KeyVar: "S_KEY"}))(t)
	var answer struct{ Error string }
	if err := c.Do(t.Context(), Request{Method: http.MethodGet, Path: "x"}, &answer); err != nil || answer.Error != "wrong: Bearer …" {
		t.Errorf("%q, %v", answer.Error, err)
	}
}

package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

const (
	alice = "alice-0123456789"
	bob   = "bob-0123456789ab"
)

// newAuthenticator adds the options that every server sets.
func newAuthenticator(t *testing.T, o Options) (*Authenticator, *must.Output, error) {
	t.Helper()
	l := new(must.Output)
	o.Logger = slog.New(slog.NewTextHandler(l, nil))
	o.Path = "/mcp"
	if o.PublicURL == nil {
		o.PublicURL = func(r *http.Request) string { return "http://" + r.Host }
	}
	o.ClientAddr = func(r *http.Request) netip.Addr {
		ap, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil {
			return netip.Addr{}
		}
		return ap.Addr()
	}
	a, err := New(o)
	return a, l, err
}

func mustAuthenticator(t *testing.T, o Options) (*Authenticator, *must.Output) {
	t.Helper()
	a, l, err := newAuthenticator(t, o)
	must.Do(t, err)
	return a, l
}

// run begins what runs until its context ends, and returns a function that ends it.
func run(t *testing.T, run func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	return func() { cancel(); running.Wait() }
}

func tokenFile(t *testing.T, text string) *string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tokens")
	must.Write(t, name, text)
	return &name
}

func request(authorization ...string) *http.Request {
	r := httptest.NewRequest("POST", "http://localhost:8080/mcp", nil)
	r.RemoteAddr = "192.0.2.7:5000"
	for _, value := range authorization {
		r.Header.Add("Authorization", value)
	}
	return r
}

func TestTokenFile(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a " + alice, "a"},
		{"a " + alice + "\nb " + bob + "\n", "a b"},
		{"\ufeffa " + alice + "\r\nb " + bob + "\r\n", "a b"},
		{"# tokens\n\n  \t\n a\t \t" + alice + "  # of Alice\n#b " + bob, "a"},
		{"müller " + alice, "müller"},
		{"a 0123456789abc#ef", "a"},

		{"", "the file has no tokens"},
		{"# a " + alice, "the file has no tokens"},
		{"a", "line 1: it must be a name"},
		{"a " + alice + " " + bob, "line 1: it must be a name"},
		{"a replace-this-by-a-random-token", "line 1: the token is the placeholder"},
		{"\na 0123456789abcde", "line 2: the token is shorter than 16"},
		{"a #123456789abcdef0", "line 1: it must be a name"},
		{"a " + strings.Repeat("x", longestToken+1), "longer than"},
		{"a päßwörter-0123456789", "visible ASCII"},
		{"a 0123456789\x00abcdef", "visible ASCII"},
		{"a\x1b[31m " + alice, "not printable"},
		{"a\xff " + alice, "not printable"},
		{strings.Repeat("n", 101) + " " + alice, "name is longer"},
		{"a " + alice + "\na " + bob, "line 2: line 1 has the same name"},
		{"a " + alice + "\nb " + alice, "line 2: line 1 has the same token"},
		{"a " + alice + "\na " + alice, "line 2: line 1 has the same name"},
		{"a\nb\n", "line 1: it must be a name, a blank, and a token\nline 2"},
	} {
		list, err := parseTokens(nil, []byte(test.text))
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%.60q: %v, want %q", test.text, err, test.want)
			}
			continue
		}
		var names []string
		for _, e := range list {
			names = append(names, e.name)
		}
		must.Equal(t, test.want, strings.Join(names, " "), test.text)
	}
}

// Errors and logs contain no text of the file: a token may be where a name should be.
func TestErrorsHaveNoTokens(t *testing.T) {
	const secret = "s3cr3t"
	for _, text := range []string{
		secret + "0123456789abcdef", secret + "0123456789abcdef name", "a " + secret, "a " + secret + "0123456789abcdef\nb " + secret + "0123456789abcdef",
		secret + "0123456789abcdef " + alice + "\n" + secret + "0123456789abcdef " + bob, "a " + secret + "é0123456789abcdef", "a " + secret + "0123456789abcdef b",
	} {
		if _, err := parseTokens(nil, []byte(text)); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRefusedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		options Options
		want    string
	}{
		{Options{TokenFile: new("")}, "--token-file is empty"},
		{Options{TokenFile: new(filepath.Join(dir, "none"))}, "none"},
		{Options{TokenFile: new(dir)}, "not a regular file"},
		{Options{TokenFile: tokenFile(t, "")}, "no tokens"},
		{Options{Token: new("")}, "MCP_DOCS_TOKEN: the token is empty"},
		{Options{Token: new("short")}, "MCP_DOCS_TOKEN: the token is shorter"},
		{Options{Token: new(alice + "\n")}, "MCP_DOCS_TOKEN: the token may have only visible"},
		{Options{Token: new(alice), TokenFile: tokenFile(t, "a "+alice)}, "the environment variable MCP_DOCS_TOKEN has the same token"},
		{Options{Token: new(alice), TokenFile: tokenFile(t, "MCP_DOCS_TOKEN "+bob)}, "the environment variable MCP_DOCS_TOKEN has the same name"},
		{Options{Token: new(alice), TokenFile: tokenFile(t, "")}, "no tokens"},
		{Options{Issuer: new("")}, "--oauth-issuer \"\": it is empty"},
		{Options{Issuer: new("https://a.example")}, "needs --oauth-audience"},
		{Options{Issuer: new("https://a.example"), Audience: []string{""}}, "--oauth-audience is empty"},
		{Options{Issuer: new("https://a.example"), Audience: []string{"b"}, Scopes: []string{""}}, `--oauth-scope ""`},
		{Options{Issuer: new("https://a.example"), Audience: []string{"b"}, Scopes: []string{"a b"}}, `--oauth-scope "a b"`},
		{Options{Issuer: new("http://a.example"), Audience: []string{"b"}}, "must begin with https"},
		{Options{Issuer: new("http://127.0.0.1.a.example"), Audience: []string{"b"}}, "must begin with https"},
		{Options{Issuer: new("a.example"), Audience: []string{"b"}}, "must begin with https"},
		{Options{Issuer: new("https:///path"), Audience: []string{"b"}}, "and a host"},
		{Options{Issuer: new("https://a.example?x"), Audience: []string{"b"}}, "no user, query"},
		{Options{Issuer: new("https://u:p@a.example"), Audience: []string{"b"}}, "no user, query"},
		{Options{Audience: []string{"b"}}, "need --oauth-issuer"},
		{Options{Scopes: []string{"b"}}, "need --oauth-issuer"},
	} {
		if _, _, err := newAuthenticator(t, test.options); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("want an error with %q, got %v", test.want, err)
		}
	}
}

func TestAuthorizationHeader(t *testing.T) {
	a, _ := mustAuthenticator(t, Options{TokenFile: tokenFile(t, "alice "+alice), Token: new(bob)})
	for _, test := range []struct {
		headers []string
		status  int
		want    string
	}{
		{[]string{"Bearer " + alice}, 0, "alice"},
		{[]string{"bearer " + alice}, 0, "alice"},
		{[]string{"BEARER   " + alice + " "}, 0, "alice"},
		{[]string{"Bearer " + bob}, 0, "MCP_DOCS_TOKEN"},

		{nil, 401, `Bearer realm="mcp-docs-server"`},
		{[]string{""}, 401, `Bearer realm="mcp-docs-server"`},
		{[]string{"Bearer"}, 401, `Bearer realm="mcp-docs-server"`},
		{[]string{"Bearer  "}, 401, `Bearer realm="mcp-docs-server"`},
		{[]string{alice}, 401, `Bearer realm="mcp-docs-server"`},
		{[]string{"Basic " + alice}, 401, `Bearer realm="mcp-docs-server"`},
		{[]string{"Bearer" + alice}, 401, `Bearer realm="mcp-docs-server"`},
		{[]string{"Bearer " + alice[1:]}, 401, `error="invalid_token"`},
		{[]string{"Bearer " + alice + "x"}, 401, `error="invalid_token"`},
		{[]string{"Bearer " + strings.ToUpper(alice)}, 401, `error="invalid_token"`},
		{[]string{"Bearer " + strings.Repeat("x", longestToken+1)}, 401, `error="invalid_token"`},
		{[]string{"Bearer alice " + alice}, 400, `error="invalid_request"`},
		{[]string{"Bearer " + alice + ", Bearer " + bob}, 400, `error="invalid_request"`},
		{[]string{"Bearer " + alice, "Bearer " + alice}, 400, `error="invalid_request"`},
		{[]string{"Bearer wrong-0123456789", "Bearer " + alice}, 400, `error="invalid_request"`},
	} {
		caller, err := a.Authenticate(request(test.headers...))
		if err == nil {
			if test.status != 0 || caller.Name != test.want || caller.Key != "token:"+test.want {
				t.Errorf("%.60q: %+v, want %d %s", test.headers, caller, test.status, test.want)
			}
			continue
		}
		refusal, ok := errors.AsType[*Refusal](err)
		if !ok || refusal.Status != test.status || !strings.Contains(refusal.Challenge, test.want) {
			t.Errorf("%.60q: %+v, want %d %s", test.headers, refusal, test.status, test.want)
		}
		if refusal.Code == "" && strings.Contains(refusal.Challenge, "error") {
			t.Errorf("%.60q: a request without a token gets an error code: %s", test.headers, refusal.Challenge)
		}
		if caller.Key != "address:192.0.2.7" {
			t.Errorf("%.60q: refused as %+v", test.headers, caller)
		}
	}

	r := request()
	r.URL.RawQuery = "access_token=" + alice
	if _, err := a.Authenticate(r); err == nil || !strings.Contains(err.Error(), "URLs") {
		t.Errorf("token in the URL: %v", err)
	}
}

func TestNoTokensNeeded(t *testing.T) {
	a, _ := mustAuthenticator(t, Options{})
	if a.Required() {
		t.Error("tokens are needed")
	}
	for peer, want := range map[string]Caller{
		"192.0.2.7:5000":       {Key: "address:192.0.2.7", Name: "192.0.2.7", rateKey: "address:192.0.2.7"},
		"[2001:db8::1:2]:5000": {Key: "address:2001:db8::1:2", Name: "2001:db8::1:2", rateKey: "address:2001:db8::/64"},
		"@":                    {Key: "address:unknown", Name: "unknown", rateKey: "address:unknown"},
	} {
		r := request("Bearer of something else", "twice")
		r.RemoteAddr = peer
		if got, err := a.Authenticate(r); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", peer, got, err, want)
		}
	}
}

// stream begins a request that lasts as long as its context, and returns the cause of its end.
func stream(a *Authenticator, token string) <-chan error {
	ended := make(chan error, 1)
	h := a.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		ended <- context.Cause(r.Context())
	}), Browsers{})
	go func() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request("Bearer "+token))
		if w.Code != http.StatusOK {
			ended <- fmt.Errorf("status %d", w.Code)
		}
	}()
	return ended
}

func TestReload(t *testing.T) {
	file := tokenFile(t, "alice "+alice+"\nbob "+bob+"\n")
	synctest.Test(t, func(t *testing.T) {
		a, log := mustAuthenticator(t, Options{TokenFile: file})
		defer run(t, a.Run)()
		settle := func() { time.Sleep(3 * FileInterval); synctest.Wait() }
		known := func(token string) bool { _, err := a.Authenticate(request("Bearer " + token)); return err == nil }
		ended := func(c <-chan error) error {
			select {
			case err := <-c:
				return err
			default:
				return nil
			}
		}

		first, _ := a.Authenticate(request("Bearer " + alice))
		ofAlice, ofBob := stream(a, alice), stream(a, bob)
		session := must.Get(a.Authenticate(request("Bearer " + bob)))(t)
		synctest.Wait()

		for _, bad := range []string{"", "# none left", "alice " + alice + "\nbob short", "alice " + alice + "\nalice " + bob} {
			must.Write(t, *file, bad)
			settle()
			if !known(alice) || !known(bob) || ended(ofBob) != nil {
				t.Errorf("%q: the old list is not in use", bad)
			}
		}
		must.Do(t, os.Remove(*file))
		settle()
		if !known(alice) || !known(bob) || ended(ofBob) != nil {
			t.Error("without the file: the old list is not in use")
		}
		if n := strings.Count(log.String(), "level=ERROR"); n != 5 {
			t.Errorf("%d errors in the log, want 5:\n%s", n, log)
		}

		const other = "carol-0123456789"
		must.Write(t, *file+".new", "carol "+other+"\nalice "+alice+"\n")
		must.Do(t, os.Rename(*file+".new", *file))
		settle()
		if !known(alice) || known(bob) || !known(other) {
			t.Error("the new list is not in use")
		}
		if err := ended(ofBob); !errors.Is(err, ErrRevoked) {
			t.Errorf("the stream of a removed token: %v", err)
		}
		select {
		case <-session.Revoked():
		default:
			t.Error("the session of a removed token continues")
		}
		if err := ended(ofAlice); err != nil {
			t.Errorf("the stream of a token that stayed: %v", err)
		}

		must.Write(t, *file, "alice another-0123456789\n")
		settle()
		if err := ended(ofAlice); !errors.Is(err, ErrRevoked) {
			t.Errorf("the stream of a token that was replaced by another with the same name: %v", err)
		}
		if second, err := a.Authenticate(request("Bearer another-0123456789")); err != nil || second.Key != first.Key || second.SessionKey() == first.SessionKey() {
			t.Errorf("the new token of a name owns the sessions of the old one: %v", err)
		}
		for _, secret := range []string{alice, bob, other, "another"} {
			if strings.Contains(log.String(), secret) {
				t.Errorf("the log has a token:\n%s", log)
			}
		}
		if !strings.Contains(log.String(), "removed=[bob]") {
			t.Errorf("the log does not name the removed caller:\n%s", log)
		}
	})
}

func TestHandlerRefuses(t *testing.T) {
	a, log := mustAuthenticator(t, Options{Token: new(alice)})
	h := a.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, ok := FromContext(r.Context())
		fmt.Fprint(w, caller.Name, ok)
	}), Browsers{})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request("Bearer wrong-0123456789"))
	if w.Code != 401 || w.Header().Get("WWW-Authenticate") == "" || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if got := log.String() + w.Body.String(); strings.Contains(got, "wrong") || !strings.Contains(got, "192.0.2.7") {
		t.Errorf("log and body: %s", got)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, request("Bearer "+alice))
	if w.Code != 200 || w.Body.String() != "MCP_DOCS_TOKENtrue" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w = httptest.NewRecorder()
	a.Metadata().ServeHTTP(w, httptest.NewRequest("GET", MetadataPath, nil))
	must.Equal(t, 404, w.Code, "metadata without OAuth")
}

func TestHandlerLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := mustAuthenticator(t, Options{TokenFile: tokenFile(t, "alice "+alice+"\nbob "+bob), Limiter: hosts.NewLimiter(1, 2)})
		h := a.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), Browsers{})
		codes := func(token string) (got []int) {
			for range 3 {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, request("Bearer "+token))
				got = append(got, w.Code)
				if (w.Code == 429) != (w.Header().Get("Retry-After") == "1") {
					t.Errorf("%d with Retry-After %q", w.Code, w.Header().Get("Retry-After"))
				}
			}
			return got
		}
		for token, want := range map[string][]int{alice: {200, 200, 429}, bob: {200, 200, 429}, "wrong": {401, 401, 429}} {
			if got := codes(token); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", token, got, want)
			}
		}
	})
}

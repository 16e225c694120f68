package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A fake is a strategy that calls a function for each answer.
type fake struct {
	name    string
	refuses func(*Request) string
	answers func(context.Context, *Request) (*Answer, error)
}

func (f *fake) Name() string { return f.name }
func (f *fake) Refuses(r *Request) string {
	if f.refuses == nil {
		return ""
	}
	return f.refuses(r)
}
func (f *fake) Fetch(ctx context.Context, r *Request) (*Answer, error) { return f.answers(ctx, r) }

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	return must.Get(url.Parse(s))(t)
}

func page(text string) func(context.Context, *Request) (*Answer, error) {
	return func(context.Context, *Request) (*Answer, error) {
		return &Answer{ContentType: "text/html", Body: []byte(text)}, nil
	}
}

func fails(err error) func(context.Context, *Request) (*Answer, error) {
	return func(context.Context, *Request) (*Answer, error) { return nil, err }
}

const article = "<html><body><p>A page with a text that says something to those who read it.</p></body></html>"

// The error lists the strategies that were tried, why each failed and how long it took.
func TestFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewChain(
			&fake{name: "native", answers: func(context.Context, *Request) (*Answer, error) {
				time.Sleep(5 * time.Second)
				return nil, errors.New("Network timeout")
			}},
			&fake{name: "browser", refuses: func(*Request) string { return "set --browser" }},
			&fake{name: "firecrawl", answers: func(context.Context, *Request) (*Answer, error) {
				time.Sleep(1200 * time.Millisecond)
				return nil, errors.New("API key invalid")
			}})
		var asked []string
		_, _, err := c.Fetch(t.Context(), &Request{URL: parse(t, "https://example.com")}, func(s string) { asked = append(asked, s) })
		want := "Failed to scrape https://example.com: All strategies failed\n\nDiagnostics:\nStrategies attempted: native, firecrawl\n\n" +
			"Errors:\n- native: Network timeout\n- firecrawl: API key invalid\n\nTiming:\n- native: 5000ms\n- firecrawl: 1200ms"
		if err == nil || err.Error() != want {
			t.Errorf("%v", err)
		}
		if !slices.Equal(asked, []string{"native", "firecrawl"}) {
			t.Errorf("%v", asked)
		}
	})
}

// If no strategy can serve a request, the error names what to configure, and none is tried.
func TestNoStrategyCanServe(t *testing.T) {
	native := &Native{Client: webclient.New(webclient.Options{})}
	for _, test := range []struct {
		request Request
		want    string
	}{
		{Request{Actions: []Action{{Type: ActScrape}}}, "actions need a browser: start the server with --browser, or set FIRECRAWL_API_KEY"},
		{Request{Screenshot: true}, "the format screenshot needs a browser"},
		{Request{WaitFor: 1}, "waitFor needs a browser"},
		{Request{Proxy: StealthProxy}, `proxy "stealth" needs a service: set FIRECRAWL_API_KEY`},
		{Request{Formats: []string{"summary"}}, "the format summary needs a service: set FIRECRAWL_API_KEY"},
	} {
		test.request.URL = parse(t, "https://example.com/")
		_, _, err := NewChain(native).Fetch(t.Context(), &test.request, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "Failed to scrape https://example.com/: "+test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// If a browser is configured and refuses, the error has its reason and not the reason of native.
func TestReasonOfTheConfiguredStrategy(t *testing.T) {
	off := &fake{name: "browser", refuses: func(*Request) string { return "start the server with --browser-scripts" }}
	_, _, err := NewChain(&Native{}, off).Fetch(t.Context(), &Request{URL: parse(t, "https://example.com/"), Actions: []Action{{Type: ActScript}}}, nil)
	if err == nil || err.Error() != "Failed to scrape https://example.com/: start the server with --browser-scripts" {
		t.Errorf("%v", err)
	}
}

// An error that every strategy would have ends the chain; other errors do not.
func TestFinal(t *testing.T) {
	for _, test := range []struct {
		err  error
		asks bool
	}{
		{fmt.Errorf("x: %w", webclient.ErrRobots), false},
		{fmt.Errorf("x: %w", webclient.TooLarge(&url.URL{}, 1)), false},
		{fmt.Errorf("x: %w", webclient.ErrExhausted), false},
		{fmt.Errorf("x: %w", webclient.ErrRefused), false},
		{&webclient.StatusError{Status: http.StatusNotFound}, false},
		{&webclient.StatusError{Status: http.StatusGone}, false},
		{&webclient.StatusError{Status: http.StatusForbidden}, true},
		{&webclient.StatusError{Status: http.StatusTooManyRequests}, true},
		{errors.New("x"), true},
	} {
		asked := false
		c := NewChain(&fake{name: "native", answers: fails(test.err)}, &fake{name: "browser", answers: func(context.Context, *Request) (*Answer, error) {
			asked = true
			return &Answer{}, nil
		}})
		answer, attempts, err := c.Fetch(t.Context(), &Request{URL: parse(t, "https://example.com/")}, nil)
		if asked != test.asks || (err == nil) != test.asks || test.asks && (answer.Strategy != "browser" || len(attempts) != 1) {
			t.Errorf("%v: asked %v, %v", test.err, asked, err)
		}
	}
}

// A strategy that is not the last gets half of the time, so that some is left for the others.
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, _ *Request) (*Answer, error) { <-ctx.Done(); return nil, ctx.Err() }
		c := NewChain(&fake{name: "native", answers: slow}, &fake{name: "browser", answers: slow})
		began := time.Now()
		_, _, err := c.Fetch(t.Context(), &Request{URL: parse(t, "https://example.com/"), Timeout: time.Minute}, nil)
		if took := time.Since(began); took != time.Minute || err == nil || !strings.Contains(err.Error(), "- native: does not answer in full within 30s\n- browser: does not answer in full within 30s") {
			t.Errorf("%v: %v", took, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := c.Fetch(ctx, &Request{URL: parse(t, "https://example.com/"), Timeout: time.Minute}, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller that is gone: %v", err)
		}
	})
}

// A shell counts only if no strategy can run its scripts.
func TestShell(t *testing.T) {
	const shell = `<!doctype html><html><head><title>App</title><script src="/a.js"></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>`
	for text, want := range map[string]bool{
		shell:   true,
		article: false,
		`<html><body><script>boot()</script></body></html>`:                                                                   true,
		`<html><body></body></html>`:                                                                                          false,
		`<html><body><p>Hi.</p></body></html>`:                                                                                false,
		`<html><body><div id=app>Loading, please wait a moment</div><script>x</script></body></html>`:                         true,
		`<html><body><p>This page is short, but it has a counter.</p><script>x</script></body></html>`:                        true, // as package webpage says
		`<html><body><div id=app>` + strings.Repeat("Rendered on the server. ", 20) + `</div><script></script></body></html>`: false,
	} {
		must.Equal(t, want, isShell(&Answer{ContentType: "text/html; charset=utf-8", Body: []byte(text)}), text)
	}
	if isShell(&Answer{ContentType: "application/json", Body: []byte(`{"a":"<script></script>"}`)}) {
		t.Error("JSON is a shell")
	}
	browser := &fake{name: "browser", answers: page(article)}
	c := NewChain(&fake{name: "native", answers: page(shell)}, browser)
	answer, attempts, err := c.Fetch(t.Context(), &Request{URL: parse(t, "https://example.com/")}, nil)
	if err != nil || answer.Strategy != "browser" || len(attempts) != 1 || attempts[0].Err != errShell {
		t.Errorf("%+v %v %v", answer, attempts, err)
	}
	alone, _, err := NewChain(&fake{name: "native", answers: page(shell)}).Fetch(t.Context(), &Request{URL: parse(t, "https://example.com/")}, nil)
	if err != nil || len(alone.Notes) != 1 || !strings.Contains(alone.Notes[0], "--browser") {
		t.Errorf("%+v %v", alone, err)
	}
	browser.answers = fails(errors.New("no"))
	answer, _, err = c.Fetch(t.Context(), &Request{URL: parse(t, "https://example.com/")}, nil)
	if err != nil || answer.Strategy != "" && answer.Strategy != "native" || len(answer.Notes) != 1 || string(answer.Body) != shell {
		t.Errorf("%+v %v", answer, err)
	}
}

// A strategy that succeeded is tried first for URLs of the same host and port, until it fails.
func TestMemory(t *testing.T) {
	native := &fake{name: "native", answers: fails(errors.New("403"))}
	browser := &fake{name: "browser", answers: page(article)}
	c := NewChain(native, browser)
	first := func(u string) string {
		t.Helper()
		var asked []string
		if _, _, err := c.Fetch(t.Context(), &Request{URL: parse(t, u)}, func(s string) { asked = append(asked, s) }); err != nil {
			t.Fatal(err)
		}
		return asked[0]
	}
	must.Equal(t, "native", first("https://E.com:8443/blog/a"), "first at an unknown host")
	must.Equal(t, "browser", first("https://e.com:8443/shop"), "first where the browser succeeded")
	for _, other := range []string{"https://e.com/", "https://www.e.com:8443/", "https://xe.com:8443/"} {
		must.Equal(t, "native", first(other), other)
	}
	native.answers, browser.answers = page(article), fails(errors.New("no"))
	must.Equal(t, "browser", first("https://e.com:8443/blog/b"), "first")
	must.Equal(t, "native", first("https://e.com:8443/blog/b"), "first where it succeeded, and failed later")
	// Requests with headers of one caller teach nothing.
	native.answers, browser.answers = fails(errors.New("403")), page(article)
	if _, _, err := c.Fetch(t.Context(), &Request{URL: parse(t, "https://f.com/"), Header: http.Header{"A": {"b"}}}, nil); err != nil || c.recall(&Request{URL: parse(t, "https://f.com/")}) != "" {
		t.Errorf("learned from a request with headers, %v", err)
	}
	for i := range 2 * maxLearned {
		c.learn(&Request{URL: parse(t, fmt.Sprintf("https://h%d.com/", i))}, "browser")
	}
	must.Equal(t, maxLearned, len(c.learned), "hosts are remembered")
}

func TestActions(t *testing.T) {
	for _, a := range []Action{
		{Type: ActWait, Milliseconds: 1}, {Type: ActClick, Selector: "a"}, {Type: ActWrite, Selector: "#a"}, {Type: ActPress, Key: "Enter"},
		{Type: ActScroll, Direction: "up"}, {Type: ActScreenshot}, {Type: ActScrape}, {Type: ActScript, Script: "1"},
	} {
		if err := a.Check(); err != nil {
			t.Errorf("%+v: %v", a, err)
		}
		bare := Action{Type: a.Type, Selector: " ", Script: " "}
		must.Equal(t, a.Type == ActScreenshot || a.Type == ActScrape, bare.Check() == nil, bare)
	}
}

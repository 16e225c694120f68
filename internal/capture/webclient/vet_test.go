package webclient

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestVet(t *testing.T) {
	var asked []string
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		io.WriteString(w, "User-agent: *\nDisallow: /private\n")
	}, withRobots)
	for page, want := range map[string]error{
		u.String() + "/open":            nil,
		u.String() + "/private/x":       ErrRobots,
		"ftp://example.com/":            ErrRefused,
		"http://user@127.0.0.1/":        ErrRefused,
		"http://169.254.169.254/latest": ErrRefused,
		"http://10.0.0.1/":              ErrRefused,
		"http://[::ffff:10.0.0.1]/":     ErrRefused,
		"https://[::1]/":                ErrRefused,
	} {
		u := must.Get(url.Parse(page))(t)
		if err := c.Vet(t.Context(), u); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", page, err, want)
		}
	}
	if len(asked) != 1 || asked[0] != "/robots.txt" {
		t.Errorf("asked for %q", asked)
	}
}

// The error of Vet does not name the DNS server either.
func TestLookupErrorOfVet(t *testing.T) {
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no network") }}
	err := New(Options{}).Vet(t.Context(), &url.URL{Scheme: "https", Host: "name.example", Path: "/"})
	lookup, ok := errors.AsType[*net.DNSError](err)
	if !ok || lookup.Server != "" || !strings.HasPrefix(err.Error(), "https://name.example/: cannot connect: lookup name.example: ") {
		t.Errorf("%v", err)
	}
}

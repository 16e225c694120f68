package webui

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

const (
	issuer   = "https://issuer.example"
	audience = "https://docs.example.com/below/mcp"
)

// An issuer of access tokens, which answers requests for its keys itself.
type issuing struct {
	key *ecdsa.PrivateKey
}

func (i *issuing) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		json.NewEncoder(w).Encode(map[string]string{"issuer": issuer, "jwks_uri": issuer + "/keys"})
	case "/keys":
		json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: "k"}}})
	default:
		http.NotFound(w, r)
	}
	return w.Result(), nil
}

func (i *issuing) token(t *testing.T, aud string, life time.Duration) string {
	t.Helper()
	signer := must.Get(jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: i.key}, new(jose.SignerOptions).WithHeader("kid", "k")))(t)
	claims, _ := json.Marshal(map[string]any{"iss": issuer, "sub": "user-7", "aud": aud, "exp": time.Now().Add(life).Unix()})
	signed := must.Get(signer.Sign(claims))(t)
	return must.Get(signed.CompactSerialize())(t)
}

// People log in with an access token of OAuth. The cookie ends with the token, with twelve hours,
// and with a click.
func TestLoginWithAccessToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
		from := &issuing{key}
		g := must.Get(hosts.New(hosts.Options{Listen: "127.0.0.1:3060", PublicURL: "https://docs.example.com/below"}))(t)
		issuerURL := issuer
		a := must.Get(auth.New(auth.Options{
			Issuer: &issuerURL, Audience: []string{audience}, Transport: from, PublicURL: g.PublicURL, Logger: slog.New(slog.DiscardHandler),
			ClientAddr: func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.7") },
		}))(t)
		h := g.Handler(New(Options{Sites: []Site{newProject(t, "test", tree)}, Auth: a, Hosts: g}))
		ask := func(method, path, cookie string, form url.Values) *http.Response {
			r := httptest.NewRequestWithContext(t.Context(), method, "https://docs.example.com"+path, strings.NewReader(form.Encode()))
			r.Header.Set("Accept", "text/html")
			if method == http.MethodPost {
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Origin", "https://docs.example.com")
			}
			if cookie != "" {
				r.Header.Set("Cookie", cookie)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Result()
		}
		login := func(token string) (cookie string) {
			t.Helper()
			resp := ask("POST", "/login", "", url.Values{"token": {token}, "to": {"/below/docs/index"}})
			set := resp.Cookies()
			if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/below/docs/index" || len(set) != 1 {
				t.Fatalf("login: %d %q %v", resp.StatusCode, resp.Header.Get("Location"), set)
			}
			c := set[0]
			if c.Name != "__Secure-mcp-docs" || c.Path != "/below/" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Domain != "" ||
				c.MaxAge != 12*60*60 || len(c.Value) < 40 || strings.Contains(token, c.Value) {
				t.Errorf("the cookie is %v", c)
			}
			return c.Name + "=" + c.Value
		}
		// The page has no code, because the regular expressions of lexers use a clock that would run
		// in the bubble of synctest.
		sees := func(cookie string, want int) {
			t.Helper()
			must.Equal(t, want, ask("GET", "/tools", cookie, nil).StatusCode, "a page")
		}
		sees("", http.StatusUnauthorized)
		for name, token := range map[string]string{
			"for another audience": from.token(t, "https://other.example/mcp", time.Hour), "that has expired": from.token(t, audience, -time.Hour),
			"that is not a JWT": "no-token", "that is empty": "", "with another key": (&issuing{func() *ecdsa.PrivateKey { k, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader); return k }()}).token(t, audience, time.Hour),
		} {
			resp := ask("POST", "/login", "", url.Values{"token": {token}})
			if resp.StatusCode != http.StatusUnauthorized || len(resp.Cookies()) != 0 {
				t.Errorf("a token %s: %d %v", name, resp.StatusCode, resp.Cookies())
			}
		}
		// Anybody may send a form. It is read up to its bound, also if it has files.
		for _, kind := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=b"} {
			body := strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n" + strings.Repeat("x", 4*maxForm) + "\r\n--b--\r\n")
			r := httptest.NewRequestWithContext(t.Context(), "POST", "https://docs.example.com/login", body)
			r.Header.Set("Content-Type", kind)
			r.Header.Set("Origin", "https://docs.example.com")
			h.ServeHTTP(httptest.NewRecorder(), r)
			if read := body.Size() - int64(body.Len()); read > 2*maxForm {
				t.Errorf("%s: %d bytes were read", kind, read)
			}
		}
		short, long := login(from.token(t, audience, time.Hour)), login(from.token(t, audience, 100*time.Hour))
		if short == long {
			t.Error("two logins have one id")
		}
		sees(short, 200)
		sees(long, 200)
		// Others can set cookies of other names, such as a server over HTTP on the same host.
		for _, name := range []string{"mcp-docs", "__Host-mcp-docs", "__secure-mcp-docs"} {
			_, id, _ := strings.Cut(short, "=")
			sees(name+"="+id, http.StatusUnauthorized)
			sees(name+"="+id+"; "+long, 200)
		}
		time.Sleep(2 * time.Hour)
		sees(short, http.StatusUnauthorized) // the token has expired
		sees(long, 200)
		time.Sleep(11 * time.Hour)
		sees(long, http.StatusUnauthorized)
		again := login(from.token(t, audience, time.Hour))
		resp := ask("POST", "/logout", again, nil)
		if set := resp.Cookies(); len(set) != 1 || set[0].MaxAge != -1 || set[0].Path != "/below/" || set[0].Name != "__Secure-mcp-docs" || resp.Header.Get("Location") != "/below/" {
			t.Errorf("logging out: %v %q", set, resp.Header.Get("Location"))
		}
		sees(again, http.StatusUnauthorized)
	})
}

func TestCookies(t *testing.T) {
	for public, want := range map[string]string{
		"https://docs.example.com":       "__Host-mcp-docs=; Path=/; HttpOnly; Secure; SameSite=Strict",
		"https://docs.example.com/below": "__Secure-mcp-docs=; Path=/below/; HttpOnly; Secure; SameSite=Strict",
		"":                               "mcp-docs=; Path=/; HttpOnly; SameSite=Strict",
		"http://intranet/below":          "mcp-docs=; Path=/below/; HttpOnly; SameSite=Strict",
	} {
		g := must.Get(hosts.New(hosts.Options{Listen: "127.0.0.1:3060", PublicURL: public}))(t)
		h := &Handler{options: Options{Hosts: g}, root: g.Root()}
		must.Equal(t, want, h.cookie(httptest.NewRequest("GET", "/", nil)).String(), public)
	}
}

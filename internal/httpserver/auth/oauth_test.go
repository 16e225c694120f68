package auth

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func oauth(t *testing.T, p *provider) (*Authenticator, *must.Output) {
	t.Helper()
	return mustAuthenticator(t, Options{Issuer: &p.url, Audience: []string{audience, "docs"}, Scopes: []string{"docs:read"}, Transport: p})
}

// status returns the answer to a token: 200, or the status of the refusal with its code and text.
func status(a *Authenticator, token string) (int, string) {
	_, err := a.Authenticate(request("Bearer " + token))
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok {
		return 200, ""
	}
	return refusal.Status, refusal.Code + ": " + refusal.Error()
}

func TestClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := oauth(t, newProvider(public("k", ecdsaKey())))
		now := time.Now().Unix()
		for _, test := range []struct {
			changes object
			status  int
			want    string
		}{
			{object{}, 200, ""},
			{object{"aud": []string{"other", audience}}, 200, ""},
			{object{"aud": "docs"}, 200, ""},
			{object{"exp": now - 59}, 200, ""},
			{object{"exp": float64(now) + 0.5}, 200, ""},
			{object{"exp": 1e300}, 0, ""}, // any result is fine, but it must not crash
			{object{"exp": int64(1) << 60}, 200, ""},
			{object{"nbf": now + 59}, 200, ""},
			{object{"iat": now + 3600}, 200, ""},
			{object{"scope": nil, "scp": []string{"docs:read"}}, 200, ""},
			{object{"scope": []string{"a", "docs:read"}}, 200, ""},
			{object{"scp": "docs:read", "scope": nil}, 200, ""},

			{object{"iss": nil}, 401, "another issuer"},
			{object{"iss": ""}, 401, "another issuer"},
			{object{"iss": "https://evil.example"}, 401, "another issuer"},
			{object{"iss": issuerURL + "/"}, 401, "another issuer"},
			{object{"iss": issuerURL + "/sub"}, 401, "another issuer"},
			{object{"iss": strings.ToUpper(issuerURL)}, 401, "another issuer"},
			{object{"iss": []string{issuerURL}}, 401, "cannot be read"},
			{object{"aud": nil}, 401, "another audience"},
			{object{"aud": ""}, 401, "another audience"},
			{object{"aud": []string{}}, 401, "another audience"},
			{object{"aud": audience + "/"}, 401, "another audience"},
			{object{"aud": "https://docs.example.com"}, 401, "another audience"},
			{object{"aud": 7}, 401, "cannot be read"},
			{object{"exp": nil}, 401, "no exp claim"},
			{object{"exp": 0}, 401, "expired"},
			{object{"exp": -1}, 401, "expired"},
			{object{"exp": now - 60}, 401, "expired"},
			{object{"exp": "tomorrow"}, 401, "cannot be read"},
			{object{"nbf": now + 61}, 401, "not valid yet"},
			{object{"sub": strings.Repeat("s", 256)}, 401, "too long"},
			{object{"scope": nil}, 403, "insufficient_scope"},
			{object{"scope": "docs:readwrite docs"}, 403, "insufficient_scope"},
			{object{"scope": 7}, 401, "cannot be read"},
		} {
			got, why := status(a, sign(t, jose.ES256, ecdsaKey(), "k", "at+jwt", good(test.changes)))
			if test.status != 0 && got != test.status || !strings.Contains(why, test.want) {
				t.Errorf("%v: %d %s, want %d %s", test.changes, got, why, test.status, test.want)
			}
		}
	})
}

func TestAlgorithmsAndTypes(t *testing.T) {
	p := newProvider(public("r", rsaKey()), public("e", ecdsaKey()), public("d", ed25519Key()))
	a, _ := oauth(t, p)
	claims := good(nil)
	pemOfKey := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: made(x509.MarshalPKIXPublicKey(&rsaKey().PublicKey))})
	for _, test := range []struct {
		name, token string
		want        int
	}{
		{"RS256", sign(t, jose.RS256, rsaKey(), "r", "JWT", claims), 200},
		{"PS512", sign(t, jose.PS512, rsaKey(), "r", "", claims), 200},
		{"ES256", sign(t, jose.ES256, ecdsaKey(), "e", "at+JWT", claims), 200},
		{"EdDSA", sign(t, jose.EdDSA, ed25519Key(), "d", "application/at+jwt", claims), 200},
		{"no kid", sign(t, jose.EdDSA, ed25519Key(), "", "", claims), 200},

		{"HS256 with the public key", sign(t, jose.HS256, pemOfKey, "r", "JWT", claims), 401},
		{"none", unsigned(t, object{"alg": "none"}, claims), 401},
		{"None", unsigned(t, object{"alg": "None", "kid": "r"}, claims), 401},
		{"no alg", unsigned(t, object{}, claims), 401},
		{"RS256 without a signature", unsigned(t, object{"alg": "RS256", "kid": "r"}, claims), 401},
		{"key of another kid", sign(t, jose.RS256, rsaKey(), "e", "JWT", claims), 401},
		{"other key", sign(t, jose.ES256, otherKey(), "e", "JWT", claims), 401},
		{"other key without kid", sign(t, jose.ES256, otherKey(), "", "JWT", claims), 401},
		{"logout token", sign(t, jose.RS256, rsaKey(), "r", "logout+jwt", claims), 401},
		{"DPoP proof", sign(t, jose.RS256, rsaKey(), "r", "dpop+jwt", claims), 401},
		{"claims that are not an object", sign(t, jose.RS256, rsaKey(), "r", "JWT", []string{"a"}), 401},
		{"two parts", "eyJhbGciOiJSUzI1NiJ9.e30", 401},
		{"five parts", "eyJhbGciOiJSUzI1NiJ9.e30.e30.e30.e30", 401},
		{"dots", strings.Repeat(".", longestToken), 401},
		{"too long", sign(t, jose.RS256, rsaKey(), "r", "JWT", good(object{"x": strings.Repeat("x", longestToken)})), 401},
		{"deep", unsignedText(`{"alg":"RS256"}`, strings.Repeat("[", 9000)), 401},
		{"not UTF-8", unsignedText(`{"alg":"RS256"}`, "{\"iss\":\"\xff\"}"), 401},
	} {
		if got, why := status(a, test.token); got != test.want {
			t.Errorf("%s: %d %s, want %d", test.name, got, why, test.want)
		}
	}

	// A token with its own key is refused.
	signer := made(jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: otherKey()}, &jose.SignerOptions{EmbedJWK: true}))
	embedded := made(made(signer.Sign(made(json.Marshal(claims)))).CompactSerialize())
	if got, why := status(a, embedded); got != 401 {
		t.Errorf("embedded key: %d %s", got, why)
	}

	// So is a token with an exchanged payload.
	parts := strings.Split(sign(t, jose.RS256, rsaKey(), "r", "JWT", claims), ".")
	parts[1] = base64.RawURLEncoding.EncodeToString(made(json.Marshal(good(object{"sub": "admin"}))))
	if got, why := status(a, strings.Join(parts, ".")); got != 401 {
		t.Errorf("other payload: %d %s", got, why)
	}
}

func unsigned(t *testing.T, header, claims object) string {
	t.Helper()
	return unsignedText(string(made(json.Marshal(header))), string(made(json.Marshal(claims))))
}

func unsignedText(header, payload string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + "."
}

func TestCallerOfOAuth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := oauth(t, newProvider(public("k", ecdsaKey())))
		caller := func(changes object) Caller {
			t.Helper()
			return must.Get(a.Authenticate(request("Bearer " + sign(t, jose.ES256, ecdsaKey(), "k", "", good(changes)))))(t)
		}
		end := time.Now().Add(time.Hour)
		c := caller(nil)
		if c.Key != "oauth:"+issuerURL+" user-7" || c.Name != "user-7" || !c.Expires.Equal(end.Truncate(time.Second).Add(skew)) || c.Revoked() != nil {
			t.Errorf("%+v", c)
		}
		for _, claim := range []string{"client_id", "azp"} {
			if c := caller(object{"sub": nil, claim: "user-7"}); c.Key != "oauth-client:"+issuerURL+" user-7" || c.Name != "user-7" {
				t.Errorf("%s: %+v", claim, c)
			}
		}
		// A subject that looks like another kind of caller is a separate caller.
		nobody := caller(object{"sub": nil})
		if c := caller(object{"sub": nobody.Name}); c.Key == nobody.Key || c.Name != nobody.Name {
			t.Errorf("%+v has the key of a token without a subject", c)
		}
		if one, two := caller(object{"sub": nil, "x": 1}).Key, caller(object{"sub": nil, "x": 2}).Key; one == two {
			t.Errorf("two tokens without a subject are one caller: %s", one)
		}

		// A stream ends when its token expires.
		ended := stream(a, sign(t, jose.ES256, ecdsaKey(), "k", "", good(nil)))
		time.Sleep(time.Hour + skew - 2*time.Second)
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("the stream ended before its token: %v", err)
		default:
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if err := <-ended; !errors.Is(err, ErrExpired) {
			t.Errorf("the stream of an expired token: %v", err)
		}
	})
}

func TestKeysAreCachedAndNewOnesFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider(public("1", ecdsaKey()))
		a, _ := oauth(t, p)
		reads := func() int { return p.count("/realm/keys") }
		first := func() string { return sign(t, jose.ES256, ecdsaKey(), "1", "", good(nil)) }
		second := func() string { return sign(t, jose.ES256, otherKey(), "2", "", good(nil)) }
		expect := func(what, token string, want, wantReads int) {
			t.Helper()
			if got, why := status(a, token); got != want || reads() != wantReads {
				t.Errorf("%s: %d %s with %d reads, want %d with %d", what, got, why, reads(), want, wantReads)
			}
		}
		for range 100 {
			expect("same key", first(), 200, 1)
		}
		// Tokens with wrong claims never cause a read of keys, and other tokens at most one every
		// ten seconds.
		time.Sleep(retryInterval)
		for range 100 {
			expect("other audience", sign(t, jose.ES256, otherKey(), "2", "", good(object{"aud": "other"})), 401, 1)
		}
		for i := range 100 {
			expect("unknown key", sign(t, jose.ES256, otherKey(), fmt.Sprint("made up ", i), "", good(nil)), 401, 2)
		}
		p.do(func() { p.keys = []jose.JSONWebKey{public("2", otherKey())} })
		expect("rotated, a moment after a flood", second(), 401, 2)
		time.Sleep(retryInterval)
		expect("rotated", second(), 200, 3)
		expect("the old key", first(), 401, 3)
		// An issuer may use a kid again for another key.
		time.Sleep(retryInterval)
		p.do(func() { p.keys = []jose.JSONWebKey{public("2", ecdsaKey())} })
		expect("another key of the same name", sign(t, jose.ES256, ecdsaKey(), "2", "", good(nil)), 200, 4)
	})
}

func TestRequestsShareOneRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider(public("k", ecdsaKey()))
		gate := make(chan struct{})
		slow := transport(func(r *http.Request) (*http.Response, error) {
			select {
			case <-gate:
				return p.RoundTrip(r)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})
		a, _ := mustAuthenticator(t, Options{Issuer: &p.url, Audience: []string{audience}, Transport: slow})
		token := sign(t, jose.ES256, ecdsaKey(), "k", "", good(nil))
		var work sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		work.Go(func() { // the request that starts the read is cancelled
			a.Authenticate(request("Bearer " + token).WithContext(ctx))
		})
		synctest.Wait()
		cancel()
		for range 50 {
			work.Go(func() {
				if got, why := status(a, token); got != 200 {
					t.Errorf("%d %s", got, why)
				}
			})
		}
		synctest.Wait()
		close(gate)
		work.Wait()
		if n := p.count("/realm/keys"); n != 1 {
			t.Errorf("%d reads, want 1", n)
		}
	})
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func TestIssuerThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider(public("k", ecdsaKey()))
		down := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(599) }
		p.override[p.place] = down
		a, log := oauth(t, p)
		defer run(t, a.Run)()
		synctest.Wait()
		token := func() string {
			return sign(t, jose.ES256, ecdsaKey(), "k", "", good(object{"exp": time.Now().Add(time.Minute).Unix()}))
		}

		_, err := a.Authenticate(request("Bearer " + token()))
		if r, ok := errors.AsType[*Refusal](err); !ok || r.Status != 503 || r.RetryAfter == 0 || r.Challenge != "" {
			t.Errorf("while the issuer is down: %+v", r)
		}
		if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), "no route to host") {
			t.Errorf("log: %s", log)
		}
		p.do(func() { delete(p.override, p.place) })
		time.Sleep(retryInterval)
		if got, why := status(a, token()); got != 200 {
			t.Errorf("when it answers again: %d %s", got, why)
		}
		if !strings.Contains(log.String(), "were read again") {
			t.Errorf("log: %s", log)
		}
		time.Sleep(refreshInterval) // the last successful read
		synctest.Wait()
		p.do(func() { p.override[p.place] = down })
		time.Sleep(longestUse - time.Minute)
		if got, why := status(a, token()); got != 200 {
			t.Errorf("while the keys can still be used: %d %s", got, why)
		}
		time.Sleep(2 * refreshInterval)
		if got, why := status(a, token()); got != 503 {
			t.Errorf("when the keys can no longer be used: %d %s, want 503", got, why)
		}
	})
}

// A key that the issuer has withdrawn is not accepted for longer than refreshInterval.
func TestRunRefreshesKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProvider(public("1", ecdsaKey()))
		a, _ := oauth(t, p)
		defer run(t, a.Run)()
		synctest.Wait()
		p.do(func() { p.keys = []jose.JSONWebKey{public("2", otherKey())} })
		time.Sleep(refreshInterval + time.Second)
		synctest.Wait()
		if got, why := status(a, sign(t, jose.ES256, ecdsaKey(), "1", "", good(nil))); got != 401 {
			t.Errorf("%d %s", got, why)
		}
	})
}

func TestDiscovery(t *testing.T) {
	const (
		oauthPath   = "/.well-known/oauth-authorization-server/realm"
		openIDPath  = "/.well-known/openid-configuration/realm"
		openIDBelow = "/realm/.well-known/openid-configuration"
	)
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
	}
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	keys := string(made(json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public("k", ecdsaKey())}})))
	weak := made(rsa.GenerateKey(rand.Reader, 1024))
	for _, test := range []struct {
		name   string
		change func(p *provider)
		want   string // in the log, or "" if the keys are found
	}{
		{"RFC 8414", func(p *provider) {}, ""},
		{"OpenID", func(p *provider) { p.place = openIDPath }, ""},
		{"OpenID, below the path", func(p *provider) { p.place = openIDBelow }, ""},
		{"RFC 8414 without keys, OpenID with them", func(p *provider) {
			p.place = openIDPath
			p.override[oauthPath] = text(`{"issuer":"` + issuerURL + `"}`)
		}, ""},
		{"a key of a kind that is not known", func(p *provider) {
			p.override["/realm/keys"] = text(`{"keys":[{"kty":"QUANTUM"},{"kty":"RSA","n":"","e":""},{},{"kty":"oct","k":"AAAA"},` + keys[len(`{"keys":[`):])
		}, ""},

		{"nowhere", func(p *provider) { p.place = "/elsewhere" }, "status 404"},
		{"another issuer", func(p *provider) { p.issuer = "https://evil.example" }, "it names the issuer"},
		{"no issuer", func(p *provider) { p.issuer = "" }, "it names the issuer"},
		{"redirect", func(p *provider) { p.override[oauthPath] = redirect("https://evil.example/") }, "redirects to"},
		{"redirect of the keys", func(p *provider) { p.override["/realm/keys"] = redirect("https://evil.example/keys") }, "redirects to"},
		{"keys over http", func(p *provider) {
			p.override[oauthPath] = text(`{"issuer":"` + issuerURL + `","jwks_uri":"http://issuer.example/keys"}`)
		}, "must begin with https"},
		{"keys over http on the loopback interface", func(p *provider) {
			p.override[oauthPath] = text(`{"issuer":"` + issuerURL + `","jwks_uri":"http://127.0.0.1/keys"}`)
		}, "must begin with https"},
		{"keys in a file", func(p *provider) {
			p.override[oauthPath] = text(`{"issuer":"` + issuerURL + `","jwks_uri":"file:///etc/passwd"}`)
		}, "must begin with https"},
		{"no JSON", func(p *provider) { p.override[oauthPath] = text("<html>") }, "not the metadata"},
		{"huge metadata", func(p *provider) { p.override[oauthPath] = text(strings.Repeat(" ", largestDocument+1)) }, "larger than"},
		{"huge keys", func(p *provider) { p.override["/realm/keys"] = text(strings.Repeat(" ", largestDocument+1)) }, "larger than"},
		{"many keys", func(p *provider) {
			for i := range 300 {
				p.keys = append([]jose.JSONWebKey{public(fmt.Sprint("other", i), ecdsaKey())}, p.keys...)
			}
		}, ""},
		{"deep keys", func(p *provider) { p.override["/realm/keys"] = text(strings.Repeat("[", 100_000)) }, "not a JWK set"},
		{"no keys", func(p *provider) { p.keys = nil }, "none of the keys"},
		{"a secret", func(p *provider) { p.keys = []jose.JSONWebKey{{Key: []byte(alice), KeyID: "k"}} }, "none of the keys"},
		{"a private key", func(p *provider) { p.keys = []jose.JSONWebKey{{Key: ecdsaKey(), KeyID: "k"}} }, "none of the keys"},
		{"a short RSA key", func(p *provider) { p.keys = []jose.JSONWebKey{public("k", weak)} }, "none of the keys"},
		{"a key for encryption", func(p *provider) { p.keys[0].Use = "enc" }, "none of the keys"},
		{"a key of another algorithm", func(p *provider) { p.keys[0].Algorithm = "HS256" }, "none of the keys"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProvider(public("k", ecdsaKey()))
			test.change(p)
			a, log := oauth(t, p)
			got, why := status(a, sign(t, jose.ES256, ecdsaKey(), "k", "", good(nil)))
			if test.want == "" && got != 200 || test.want != "" && (got != 503 || !strings.Contains(log.String(), test.want)) {
				t.Errorf("%d %s; want %q in the log:\n%s", got, why, test.want, log)
			}
		})
	}
}

// An issuer may name itself with a slash at the end that the user omitted, or the other way
// round.
func TestSlashAtTheEndOfTheIssuer(t *testing.T) {
	for _, test := range []struct{ given, named string }{{issuerURL, issuerURL + "/"}, {issuerURL + "/", issuerURL}} {
		p := newProvider(public("k", ecdsaKey()))
		p.issuer = test.named
		a, _ := mustAuthenticator(t, Options{Issuer: &test.given, Audience: []string{audience}, Transport: p})
		if got, why := status(a, sign(t, jose.ES256, ecdsaKey(), "k", "", good(object{"iss": test.named}))); got != 200 {
			t.Errorf("%+v: %d %s", test, got, why)
		}
		if got, _ := status(a, sign(t, jose.ES256, ecdsaKey(), "k", "", good(object{"iss": test.given}))); got != 401 {
			t.Errorf("%+v: a token that names the other spelling: %d", test, got)
		}
		if got := a.issuer.name(); got != test.named {
			t.Errorf("%+v: the metadata of this server names %s", test, got)
		}
	}
}

func TestListAndOAuth(t *testing.T) {
	p := newProvider(public("k", ecdsaKey()))
	a, _ := mustAuthenticator(t, Options{Token: new(alice), Issuer: &p.url, Audience: []string{audience}, Transport: p})
	if got, why := status(a, alice); got != 200 || p.count(p.place) != 0 {
		t.Errorf("a token of the list: %d %s, %d requests", got, why, p.count(p.place))
	}
	if got, why := status(a, sign(t, jose.ES256, ecdsaKey(), "k", "", good(nil))); got != 200 {
		t.Errorf("a token of the issuer: %d %s", got, why)
	}
	if got, _ := status(a, bob); got != 401 {
		t.Errorf("of none: %d", got)
	}
}

// Over real connections, a client without a token gets the URL of the metadata in the answer, finds
// the issuer there, and is admitted with its token.
func TestOverTheNetwork(t *testing.T) {
	p := newProvider(public("k", ecdsaKey()))
	issuer := httptest.NewServer(p)
	defer issuer.Close()
	p.url, p.issuer, p.place = issuer.URL, issuer.URL, "/.well-known/openid-configuration"

	var public string
	a, _ := mustAuthenticator(t, Options{
		Issuer: &issuer.URL, Audience: []string{audience}, Scopes: []string{"docs:read", "docs:search"},
		PublicURL: func(*http.Request) string { return public + "/sub" },
	})
	mux := http.NewServeMux()
	mux.Handle(MetadataPath, a.Metadata())
	mux.Handle(MetadataPath+"/", a.Metadata())
	mux.Handle("/mcp", a.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := FromContext(r.Context())
		fmt.Fprint(w, c.Name)
	}), Browsers{}))
	server := httptest.NewServer(mux)
	defer server.Close()
	public = server.URL

	get := func(url, token string) *http.Response {
		t.Helper()
		r := made(http.NewRequest("GET", url, nil))
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		response := must.Get(server.Client().Do(r))(t)
		t.Cleanup(func() { response.Body.Close() })
		return response
	}
	challenge := get(server.URL+"/mcp", "").Header.Get("WWW-Authenticate")
	want := `Bearer realm="mcp-docs-server", scope="docs:read docs:search", resource_metadata="` + server.URL + MetadataPath + `/sub/mcp"`
	must.Equal(t, want, challenge, "challenge")
	for _, path := range []string{"", "/mcp", "/sub/mcp"} {
		var m metadata
		must.Do(t, json.NewDecoder(get(server.URL+MetadataPath+path, "").Body).Decode(&m))
		if m.Resource != server.URL+"/sub/mcp" || len(m.AuthorizationServers) != 1 || m.AuthorizationServers[0] != issuer.URL || len(m.Methods) != 1 || m.Methods[0] != "header" || len(m.Scopes) != 2 {
			t.Errorf("metadata at %q: %+v", path, m)
		}
	}
	claims := good(object{"iss": issuer.URL})
	response := get(server.URL+"/mcp", sign(t, jose.ES256, ecdsaKey(), "k", "at+jwt", claims))
	challenge = response.Header.Get("WWW-Authenticate")
	if response.StatusCode != 403 || !strings.Contains(challenge, `error="insufficient_scope"`) || !strings.Contains(challenge, `scope="docs:read docs:search"`) || !strings.Contains(challenge, "resource_metadata=") {
		t.Errorf("a scope is missing: %s, %s", response.Status, challenge)
	}
	claims["scope"] = "docs:search docs:read"
	if response := get(server.URL+"/mcp", sign(t, jose.ES256, ecdsaKey(), "k", "at+jwt", claims)); response.StatusCode != 200 {
		t.Errorf("with a good token: %s", response.Status)
	}
}

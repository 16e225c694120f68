package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const (
	issuerURL = "https://issuer.example/realm"
	audience  = "https://docs.example.com/mcp"
)

// A provider is an issuer for tests. It answers requests as the transport of a client, so
// that the time of a synctest bubble continues without a network.
type provider struct {
	mu       sync.Mutex // guards all fields below
	url      string
	place    string            // the path of its metadata
	issuer   string            // as the metadata spells it
	keys     []jose.JSONWebKey // keys that it publishes
	override map[string]http.HandlerFunc
	requests map[string]int // by path
}

func newProvider(keys ...jose.JSONWebKey) *provider {
	return &provider{
		url: issuerURL, place: "/.well-known/oauth-authorization-server/realm", issuer: issuerURL,
		keys: keys, override: map[string]http.HandlerFunc{}, requests: map[string]int{},
	}
}

func (p *provider) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	if w.Code == 599 {
		return nil, fmt.Errorf("no route to host")
	}
	return w.Result(), nil
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests[r.URL.Path]++
	switch h := p.override[r.URL.Path]; {
	case h != nil:
		h(w, r)
	case r.URL.Path == p.place:
		json.NewEncoder(w).Encode(map[string]string{"issuer": p.issuer, "jwks_uri": p.url + "/keys"})
	case r.URL.Path == "/realm/keys" || r.URL.Path == "/keys":
		json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: p.keys})
	default:
		http.NotFound(w, r)
	}
}

func (p *provider) do(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *provider) count(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[path]
}

// The keys of the tests, made once: RSA takes a while.
var (
	rsaKey     = sync.OnceValue(func() *rsa.PrivateKey { return made(rsa.GenerateKey(rand.Reader, 2048)) })
	ecdsaKey   = sync.OnceValue(func() *ecdsa.PrivateKey { return made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	otherKey   = sync.OnceValue(func() *ecdsa.PrivateKey { return made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	ed25519Key = sync.OnceValue(func() ed25519.PrivateKey { _, k, err := ed25519.GenerateKey(rand.Reader); return made(k, err) })
)

func made[K any](k K, err error) K {
	if err != nil {
		panic(err)
	}
	return k
}

func public(kid string, k crypto.Signer) jose.JSONWebKey {
	return jose.JSONWebKey{Key: k.Public(), KeyID: kid}
}

// sign returns a token. Its header has typ if kind is not empty, and kid if kid is
// not empty.
func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid, kind string, claims any) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if kind != "" {
		options.WithType(jose.ContentType(kind))
	}
	if kid != "" {
		options.WithHeader("kid", kid)
	}
	signer := must.Get(jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options))(t)
	return made(made(signer.Sign(made(json.Marshal(claims)))).CompactSerialize())
}

type object map[string]any

// good returns claims that are accepted, with changes; nil removes a claim.
func good(changes object) object {
	c := object{"iss": issuerURL, "sub": "user-7", "aud": audience, "exp": time.Now().Add(time.Hour).Unix(), "scope": "openid docs:read"}
	for name, value := range changes {
		c[name] = value
		if value == nil {
			delete(c, name)
		}
	}
	return c
}

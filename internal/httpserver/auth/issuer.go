package auth

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/sync/singleflight"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// An issuer is an authorization server, with the requirements for its tokens.
type issuer struct {
	url       string // as the user wrote it
	options   Options
	client    *http.Client
	documents []string // URLs at which its metadata may be

	reads  singleflight.Group
	mu     sync.Mutex // guards all fields below
	keys   *keySet    // nil: not read yet
	tried  time.Time  // when the keys were last requested
	failed bool       // the last read failed
}

func newIssuer(o Options) (*issuer, error) {
	var problems []error
	i := &issuer{url: *o.Issuer, options: o, client: newClient(o.Transport)}
	var err error
	if i.documents, err = documents(*o.Issuer); err != nil {
		problems = append(problems, fmt.Errorf("--oauth-issuer %q: %w", *o.Issuer, err))
	}
	if len(o.Audience) == 0 {
		problems = append(problems, errors.New("--oauth-issuer needs --oauth-audience: the value that the issuer puts into aud for this server, such as the URL of its endpoint"))
	}
	if slices.Contains(o.Audience, "") {
		problems = append(problems, errors.New("--oauth-audience is empty"))
	}
	for _, s := range o.Scopes {
		if s == "" || !visible(s) || strings.ContainsAny(s, `"\`) {
			problems = append(problems, fmt.Errorf("--oauth-scope %q: a scope is one word of visible ASCII characters without quotes", s))
		}
	}
	return i, errors.Join(problems...)
}

// name returns the issuer as its metadata spells it, or as the user did if the metadata has not
// been read.
func (i *issuer) name() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.keys != nil {
		return i.keys.issuer
	}
	return i.url
}

// How an issuer's metadata and keys are found:
//
// The metadata of https://host/path is requested at /.well-known/oauth-authorization-server/path
// (RFC 8414, section 3.1), at /.well-known/openid-configuration/path, and at
// /path/.well-known/openid-configuration (OpenID Connect Discovery, section 4). MCP clients use the
// same URLs in the same order. The issuer in the metadata must equal the one that the user gave. Only
// a slash at the end may differ; tokens must then spell it as the metadata does. jwks_uri may
// be on another host, but may use http only if the metadata does. Redirects are not followed: an
// issuer that has moved must be given by its new URL.

const (
	readTimeout     = 10 * time.Second // for metadata and keys together
	largestDocument = 512 << 10        // bytes of each document, after decompression
	largestHeader   = 64 << 10
)

// documents returns the URLs at which the metadata of an issuer may be.
func documents(issuer string) ([]string, error) {
	if issuer == "" {
		return nil, errors.New("it is empty")
	}
	u, err := hosts.ParseURL(issuer)
	if err == nil {
		err = checkScheme(u, true)
	}
	if err != nil {
		return nil, err
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	base := u.Scheme + "://" + u.Host
	found := []string{base + "/.well-known/oauth-authorization-server" + path, base + "/.well-known/openid-configuration" + path}
	if path != "" {
		found = append(found, base+path+"/.well-known/openid-configuration")
	}
	return found, nil
}

// checkScheme returns an error for a URL whose answers others could read or change.
func checkScheme(u *url.URL, local bool) error {
	switch {
	case u.Host == "" || u.Hostname() == "":
		return errors.New("it must begin with https:// and a host")
	case u.Scheme == "https", u.Scheme == "http" && local && hosts.IsLocal(u.Hostname()):
		return nil
	}
	return errors.New("it must begin with https://; http:// is accepted on the loopback interface only")
}

func newClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxResponseHeaderBytes = largestHeader
		transport = own
	}
	return &http.Client{
		Transport:     transport,
		Timeout:       readTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// read reads the metadata and the keys.
func (i *issuer) read(ctx context.Context) (*keySet, error) {
	var problems []error
	for _, place := range i.documents {
		name, keysURL, err := i.metadata(ctx, place)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		data, err := i.get(ctx, keysURL)
		if err != nil {
			return nil, err
		}
		keys, err := parseKeys(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", keysURL, err)
		}
		return &keySet{issuer: name, keys: keys, read: time.Now()}, nil
	}
	return nil, errors.Join(problems...)
}

// metadata returns the issuer's name and the URL of its keys, from the document at place.
func (i *issuer) metadata(ctx context.Context, place string) (name, keysURL string, err error) {
	data, err := i.get(ctx, place)
	if err != nil {
		return "", "", err
	}
	var document struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return "", "", fmt.Errorf("%s: it is not the metadata of an issuer", place)
	}
	if document.Issuer == "" || strings.TrimSuffix(document.Issuer, "/") != strings.TrimSuffix(i.url, "/") {
		return "", "", fmt.Errorf("%s: it names the issuer %.200q, not %q; if that is right, give this issuer to --oauth-issuer", place, document.Issuer, i.url)
	}
	u, err := url.Parse(document.Keys)
	if err != nil || u.User != nil {
		return "", "", fmt.Errorf("%s: its jwks_uri %.200q is not a URL", place, document.Keys)
	}
	if err := checkScheme(u, strings.HasPrefix(place, "http:")); err != nil {
		return "", "", fmt.Errorf("%s: its jwks_uri %.200q: %w", place, document.Keys, err)
	}
	return document.Issuer, document.Keys, nil
}

func (i *issuer) get(ctx context.Context, place string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	response, err := i.client.Do(r)
	if err != nil {
		return nil, err // the error contains the URL
	}
	defer response.Body.Close()
	if to := response.Header.Get("Location"); to != "" && response.StatusCode/100 == 3 {
		return nil, fmt.Errorf("%s: it redirects to %.200q, which is not followed", place, to)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: it answers with status %d", place, response.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, largestDocument+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	if len(data) > largestDocument {
		return nil, fmt.Errorf("%s: it is larger than %d bytes", place, largestDocument)
	}
	return data, nil
}

const (
	// refreshInterval is how often the keys are read without need. So a key that the issuer has
	// withdrawn is not accepted for longer than this.
	refreshInterval = 10 * time.Minute
	// longestUse is how long keys are used while the issuer does not answer.
	longestUse = time.Hour
	// retryInterval is the least time between two reads. A token with an unknown key causes a read,
	// and anybody can invent such tokens.
	retryInterval = 10 * time.Second
	// mostTried is how many keys are tried for a token that does not name its key. Issuers have two to ten keys, and some hundreds.
	mostTried = 100
	// An RSA key has at least 2048 bits (RFC 7518, section 3.3). A key of more than 8192 bits would
	// take milliseconds for each token.
	smallestRSA, largestRSA = 2048, 8192
)

var errUnread = errors.New("the issuer's keys could not be read")

// A keySet has the keys of an issuer. It is immutable.
type keySet struct {
	issuer string // as the metadata spells it
	keys   []jose.JSONWebKey
	read   time.Time
}

// verifies reports whether one of the keys signed a token. A key without a kid may have signed any
// token, and a token without a kid may be signed by any key.
func (s *keySet) verifies(token *jwt.JSONWebToken) bool {
	header, tried := token.Headers[0], 0
	return slices.ContainsFunc(s.keys, func(k jose.JSONWebKey) bool {
		if header.KeyID != "" && k.KeyID != "" && header.KeyID != k.KeyID || k.Algorithm != "" && k.Algorithm != header.Algorithm {
			return false
		}
		tried++
		return tried <= mostTried && token.Claims(k.Key) == nil
	})
}

// parseKeys returns the keys of a JWK set (RFC 7517) that can sign tokens. It skips other keys, so
// that a key of an unknown kind does no harm.
func parseKeys(data []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, errors.New("the keys are not a JWK set")
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if err := k.UnmarshalJSON(raw); err != nil || !k.IsPublic() || !k.Valid() || k.Use != "" && k.Use != "sig" {
			continue
		}
		if k.Algorithm != "" && !slices.Contains(algorithms, jose.SignatureAlgorithm(k.Algorithm)) {
			continue
		}
		if key, ok := k.Key.(*rsa.PublicKey); ok && (key.N.BitLen() < smallestRSA || key.N.BitLen() > largestRSA) {
			continue
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("none of the keys is a public signature key for an accepted algorithm")
	}
	return keys, nil
}

// run reads the keys regularly, so that requests do not wait for them.
func (i *issuer) run(ctx context.Context) {
	ticker := time.NewTicker(refreshInterval)
	defer ticker.Stop()
	for {
		// keySet logs errors, and the next request tries again
		i.keySet(ctx, ctx, i.usable())
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (i *issuer) usable() *keySet {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.keys == nil || time.Since(i.keys.read) > longestUse {
		return nil
	}
	return i.keys
}

// keySet returns keys. It reads them if there are none, or if they are the set useless, which the
// caller knows to be insufficient, unless they were read a moment ago. So it may return useless
// again. Requests that need keys at the same time wait for one read, each until its ctx ends; the
// read itself continues until the context reading ends.
func (i *issuer) keySet(ctx, reading context.Context, useless *keySet) (*keySet, error) {
	if keys := i.usable(); keys != nil && keys != useless {
		return keys, nil
	}
	done := i.reads.DoChan("", func() (any, error) { return nil, i.refresh(reading) })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-done:
	}
	if keys := i.usable(); keys != nil {
		return keys, nil
	}
	return nil, errUnread
}

// refresh reads the keys, unless they were requested a moment ago.
func (i *issuer) refresh(ctx context.Context) error {
	i.mu.Lock()
	tried := i.tried
	i.mu.Unlock()
	if !tried.IsZero() && time.Since(tried) < retryInterval {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	fresh, err := i.read(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case err != nil && !i.failed:
		i.options.Logger.Warn("the keys of the OAuth issuer could not be read; the server tries again when a token needs them", "issuer", i.url, "error", fserr.Words(err))
	case err == nil && i.failed:
		i.options.Logger.Info("the keys of the OAuth issuer were read again", "issuer", i.url)
	}
	if i.tried, i.failed = time.Now(), err != nil; err == nil {
		i.keys = fresh
	}
	return err
}

package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	// skew is how much the clocks of the issuer and of this computer may differ.
	skew = time.Minute
	// longestLife limits the time in exp. No process runs longer.
	longestLife = 10 * 365 * 24 * time.Hour
	// longestSubject is the limit of OpenID Connect Core, section 2.
	longestSubject = 255
)

// algorithms are the algorithms with a public and a private key. With HMAC, everybody who can check
// a token could make one, and the public key could be used as the secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// tokenTypes are the accepted values of typ, in lower case: none, a JWT, or an access token (RFC
// 9068, section 2.1). Other values belong to JWTs for another purpose, such as a logout.
var tokenTypes = []string{"", "jwt", "application/jwt", "at+jwt", "application/at+jwt"}

// claims are the claims of a token that the server uses.
type claims struct {
	Issuer    string           `json:"iss"`
	Subject   string           `json:"sub"`
	Audience  jwt.Audience     `json:"aud"`
	Expiry    *jwt.NumericDate `json:"exp"`
	NotBefore *jwt.NumericDate `json:"nbf"`
	Scope     words            `json:"scope"`
	Scp       words            `json:"scp"` // used by Microsoft and Okta instead of scope
	ClientID  string           `json:"client_id"`
	Party     string           `json:"azp"`
}

// words is a list in JSON, either a string with blanks or an array.
type words []string

func (w *words) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*w = strings.Fields(text)
		return nil
	}
	return json.Unmarshal(data, (*[]string)(w))
}

// authenticate returns the caller of a token. It checks first what it can check without keys, so
// that such a token never causes a read of keys.
func (i *issuer) authenticate(ctx context.Context, raw string) (Caller, *Refusal) {
	token, err := jwt.ParseSigned(raw, algorithms)
	if err != nil {
		return Caller{}, invalid("the token is neither in the list nor a JWT that is signed with an asymmetric algorithm")
	}
	if kind, _ := token.Headers[0].ExtraHeaders[jose.HeaderType].(string); !slices.Contains(tokenTypes, strings.ToLower(kind)) {
		return Caller{}, invalid("the token is a JWT, but not an access token")
	}
	var c claims
	if err := token.UnsafeClaimsWithoutVerification(&c); err != nil {
		return Caller{}, invalid("the claims of the token cannot be read")
	}
	if refusal := i.check(&c); refusal != nil {
		return Caller{}, refusal
	}
	keys, refusal := i.verify(ctx, token)
	if refusal != nil {
		return Caller{}, refusal
	}
	// From here on the issuer vouches for the claims.
	if c.Issuer != keys.issuer {
		return Caller{}, invalid("another issuer made the token")
	}
	granted := append(c.Scope, c.Scp...)
	for _, s := range i.options.Scopes {
		if !slices.Contains(granted, s) {
			return Caller{}, &Refusal{Status: http.StatusForbidden, Code: "insufficient_scope", message: "the token lacks a scope; needed: " + strings.Join(i.options.Scopes, " ")}
		}
	}
	kind, name := c.subject(raw)
	return Caller{
		Key:     kind + ":" + c.Issuer + " " + name,
		Name:    name,
		Expires: expires(*c.Expiry),
	}, nil
}

// check refuses tokens that are not for this server, or not valid now.
func (i *issuer) check(c *claims) *Refusal {
	// seconds are compared, because a time.Time overflows with a large number
	now := time.Now().Unix()
	switch {
	case c.Issuer == "" || strings.TrimSuffix(c.Issuer, "/") != strings.TrimSuffix(i.url, "/"):
		return invalid("another issuer made the token")
	case !slices.ContainsFunc(i.options.Audience, c.Audience.Contains):
		return invalid("the token is for another audience")
	case c.Expiry == nil:
		return invalid("the token has no exp claim")
	case int64(*c.Expiry) <= now-int64(skew/time.Second):
		return invalid("the token has expired")
	case c.NotBefore != nil && int64(*c.NotBefore) > now+int64(skew/time.Second):
		return invalid("the token is not valid yet")
	case len(c.Subject) > longestSubject || len(c.ClientID) > longestSubject || len(c.Party) > longestSubject:
		return invalid("the subject of the token is too long")
	}
	return nil
}

// expires returns when a token expires, with the tolerance for clocks.
func expires(end jwt.NumericDate) time.Time {
	last := time.Now().Add(longestLife)
	if int64(end) > last.Unix() {
		return last
	}
	return end.Time().Add(skew)
}

// subject returns the kind and name of the token's caller: the sub, or the client if a provider
// omits sub for clients without a user. Without either, the token is a caller of its own. The kinds
// have separate keys, because a client may choose an id that is the sub of a user, and users may
// choose their sub.
func (c *claims) subject(raw string) (kind, name string) {
	if c.Subject != "" {
		return "oauth", c.Subject
	}
	if client := cmp.Or(c.ClientID, c.Party); client != "" {
		return "oauth-client", client
	}
	sum := sha256.Sum256([]byte(raw))
	return "oauth-token", fmt.Sprintf("token %x", sum[:8])
}

// verify checks the signature. If no current key fits, it has the keys read again.
func (i *issuer) verify(ctx context.Context, token *jwt.JSONWebToken) (*keySet, *Refusal) {
	reading := context.WithoutCancel(ctx) // other requests may wait for the same reading
	keys, err := i.keySet(ctx, reading, nil)
	if err != nil {
		return nil, &Refusal{Status: http.StatusServiceUnavailable, RetryAfter: retryInterval, message: "the issuer's keys cannot be read at the moment"}
	}
	if keys.verifies(token) {
		return keys, nil
	}
	if fresh, err := i.keySet(ctx, reading, keys); err == nil && fresh != keys && fresh.verifies(token) {
		return fresh, nil
	}
	return nil, invalid("the token is not signed by a key of its issuer")
}

package auth

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

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
		i.keySet(ctx, ctx, i.usable()) // keySet logs errors, and the next request tries again
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

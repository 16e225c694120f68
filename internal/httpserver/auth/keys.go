package auth

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	// refreshInterval is how often the keys are read without need: so one that the issuer took back
	// is not accepted for longer.
	refreshInterval = 10 * time.Minute
	// longestUse is for how long keys are used while the issuer does not answer.
	longestUse = time.Hour
	// retryInterval is between two readings at the least. A token with an unknown key has the keys
	// read again, and anybody can make up such tokens.
	retryInterval = 10 * time.Second
	// mostKeys of a set are looked at. Issuers have two to ten.
	mostKeys = 100
	// An RSA key is of 2048 bits at the least (RFC 7518, section 3.3); one of more than 8192 takes
	// milliseconds for each token.
	smallestRSA, largestRSA = 2048, 8192
)

var errUnread = errors.New("the issuer's keys could not be read")

// A keySet is the keys of an issuer. It does not change.
type keySet struct {
	issuer string // as its metadata spells it
	keys   []jose.JSONWebKey
	read   time.Time
}

// verifies reports whether one of the keys signed a token. A key without a kid may have signed any,
// and one of any kid a token that names none.
func (s *keySet) verifies(token *jwt.JSONWebToken) bool {
	header := token.Headers[0]
	return slices.ContainsFunc(s.keys, func(k jose.JSONWebKey) bool {
		if header.KeyID != "" && k.KeyID != "" && header.KeyID != k.KeyID || k.Algorithm != "" && k.Algorithm != header.Algorithm {
			return false
		}
		return token.Claims(k.Key) == nil
	})
}

// parseKeys returns the keys of a JWK set (RFC 7517) that a token can be signed with. It leaves
// others out, so that a key of a kind that is not known takes nothing away.
func parseKeys(data []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, errors.New("the keys are not a JWK set")
	}
	if len(set.Keys) > mostKeys {
		return nil, fmt.Errorf("there are %d keys, more than %d", len(set.Keys), mostKeys)
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
		return nil, errors.New("none of the keys is a public key for signatures of an algorithm that is accepted")
	}
	return keys, nil
}

// run keeps the keys fresh, so that requests do not wait for them.
func (i *issuer) run(ctx context.Context) {
	ticker := time.NewTicker(refreshInterval)
	defer ticker.Stop()
	for {
		i.keySet(ctx, ctx, i.usable()) // an error is in the log, and the next request tries again
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
	return i.usableLocked()
}

func (i *issuer) usableLocked() *keySet {
	if i.keys == nil || time.Since(i.keys.read) > longestUse {
		return nil
	}
	return i.keys
}

// keySet returns keys. If those at hand are known not to do, it reads them again, unless that was
// done a moment ago; what it then returns may be the same. Requests that need keys at the same time
// wait for one reading, each as long as its ctx lasts; the reading goes on as long as the context
// reading.
func (i *issuer) keySet(ctx, reading context.Context, useless *keySet) (*keySet, error) {
	i.mu.Lock()
	keys, flight := i.usableLocked(), i.flight
	if keys != nil && keys != useless {
		i.mu.Unlock()
		return keys, nil
	}
	if flight == nil && time.Since(i.tried) < retryInterval && !i.tried.IsZero() {
		i.mu.Unlock()
		return keys, unread(keys)
	}
	if flight != nil {
		i.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-flight:
		}
		keys = i.usable()
		return keys, unread(keys)
	}
	flight = make(chan struct{})
	i.flight = flight
	i.mu.Unlock()

	reading, cancel := context.WithTimeout(reading, readTimeout)
	defer cancel()
	fresh, err := i.read(reading)

	i.mu.Lock()
	i.flight, i.tried = nil, time.Now()
	first, recovered := err != nil && !i.failed, err == nil && i.failed
	i.failed = err != nil
	if err == nil {
		i.keys = fresh
	}
	keys = i.usableLocked()
	i.mu.Unlock()
	close(flight)
	switch {
	case first:
		i.logger.Warn("the keys of the OAuth issuer were not read; it is tried again when a token needs them", "issuer", i.url, "error", err)
	case recovered:
		i.logger.Info("the keys of the OAuth issuer were read again", "issuer", i.url)
	}
	return keys, unread(keys)
}

func unread(keys *keySet) error {
	if keys == nil {
		return errUnread
	}
	return nil
}

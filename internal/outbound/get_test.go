package outbound

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"testing"
)

// The error of a name that cannot be looked up does not say who was asked: it may be for a client.
func TestLookupError(t *testing.T) {
	u, err := url.Parse("https://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	err = dialed(u, fmt.Errorf("dial: %w", &net.DNSError{Err: "no such host", Name: "example.com", Server: "10.0.0.53:53", IsNotFound: true}))
	lookup, ok := errors.AsType[*net.DNSError](err)
	if !ok || !lookup.IsNotFound || err.Error() != "https://example.com/: lookup example.com: no such host" {
		t.Errorf("%v", err)
	}
}

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

// What a server writes into a redirect is no prose in a message that names where it leads to.
func TestRedirectsToWords(t *testing.T) {
	from, err := url.Parse("https://example.com/a")
	if err != nil {
		t.Fatal(err)
	}
	a, err := redirected(from, "/b?q=1 (data: trusted)\u2028Follow \u202e it#x")
	if want := "https://example.com/b?q=1%20(data:%20trusted)%E2%80%A8Follow%20%E2%80%AE%20it"; err != nil || a.location.String() != want {
		t.Errorf("%v %v, want %s", a.location, err, want)
	}
}

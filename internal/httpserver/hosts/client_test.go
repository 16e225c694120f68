package hosts

import (
	"strings"
	"testing"
)

func TestClientAddr(t *testing.T) {
	g := newGate(t, Options{TrustedProxies: []string{"10.0.0.0/8", "::1", "2001:db8::/32", "::ffff:192.0.2.1"}})
	for _, test := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"203.0.113.9:1000", nil, "203.0.113.9"},
		{"203.0.113.9:1000", []string{"198.51.100.1"}, "203.0.113.9"}, // anybody can write the header
		{"[::ffff:203.0.113.9]:1000", nil, "203.0.113.9"},
		{"[fe80::1%eth0]:1000", nil, "fe80::1"},
		{"@", nil, "invalid IP"},

		{"10.0.0.1:1000", nil, "10.0.0.1"},
		{"10.0.0.1:1000", []string{""}, "10.0.0.1"},
		{"10.0.0.1:1000", []string{"198.51.100.1"}, "198.51.100.1"},
		{"192.0.2.1:1000", []string{"198.51.100.1"}, "198.51.100.1"},
		{"[::1]:1000", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1000", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1"}, // the client wrote 1.1.1.1
		{"10.0.0.1:1000", []string{"1.1.1.1", "198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1000", []string{"1.1.1.1, 198.51.100.1, 10.9.9.9"}, "198.51.100.1"},
		{"10.0.0.1:1000", []string{"1.1.1.1, 198.51.100.1", " 10.9.9.9,10.8.8.8 "}, "198.51.100.1"},
		{"10.0.0.1:1000", []string{"198.51.100.1:5000"}, "198.51.100.1"},
		{"10.0.0.1:1000", []string{"[2001:db9::1]:5000"}, "2001:db9::1"},
		{"10.0.0.1:1000", []string{"2001:db9::1"}, "2001:db9::1"},
		{"10.0.0.1:1000", []string{"10.5.5.5, 10.6.6.6"}, "10.5.5.5"},
		{"10.0.0.1:1000", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"10.0.0.1:1000", []string{"198.51.100.1, , 10.7.7.7"}, "10.7.7.7"},
		{"10.0.0.1:1000", []string{"198.51.100.1, 'or 1=1, 10.7.7.7"}, "10.7.7.7"},
		{"10.0.0.1:1000", []string{"198.51.100.1" + strings.Repeat(",10.0.0.2", 100_000)}, "10.0.0.2"},
	} {
		r := request("GET", "localhost")
		r.RemoteAddr = test.peer
		for _, line := range test.forwarded {
			r.Header.Add("X-Forwarded-For", line)
		}
		if got := g.ClientAddr(r).String(); got != test.want {
			t.Errorf("from %s, forwarded for %.60q: %s, want %s", test.peer, test.forwarded, got, test.want)
		}
	}
}

package webclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func mustRules(t *testing.T, private bool, list ...string) rules {
	t.Helper()
	r := rules{private: private}
	for _, s := range list {
		rule := must.Get(ParseRule(s))(t)
		r.list = append(r.list, rule)
	}
	return r
}

func TestOnlyPublicAddressesAreAllowed(t *testing.T) {
	for _, c := range []struct {
		none, private bool // whether requests are allowed, without rules and with private addresses
		addresses     string
	}{
		{true, true, `93.184.216.34 8.8.8.8 2606:4700::1111 ::ffff:8.8.8.8 172.32.0.1 100.128.0.1`},
		{false, true, `127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 198.18.0.1 ::1 ::ffff:127.0.0.1 fc01::1
			fd12::1 fec0::1`},
		{false, false, `0.0.0.0 0.1.2.3 169.254.1.1 192.0.0.1 192.0.2.1 192.88.99.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1
			255.255.255.255 169.254.169.254 169.254.170.2 169.254.42.42 100.100.100.200 168.63.129.16 192.0.0.192 ::
			::ffff:169.254.169.254 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:10::1 2001:db8::1
			2002:7f00:1:: 3fff::1 4000::1 5f00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fe80::1%eth0 fe80::a9fe:a9fe fd00:42::42 ff02::1`},
	} {
		for addr := range strings.FieldsSeq(c.addresses) {
			for private, want := range map[bool]bool{false: c.none, true: c.private} {
				err := rules{private: private}.address("example.com", 443, netip.MustParseAddr(addr))
				if (err == nil) != want || err != nil && !errors.Is(err, ErrRefused) {
					t.Errorf("%s, private addresses %v: %v", addr, private, err)
				}
			}
		}
	}
}

// checks checks whether rules allow connections: each a host, a port and the address that the host has.
func checks(t *testing.T, r rules, list string, want bool) {
	t.Helper()
	for text := range strings.SplitSeq(list, ", ") {
		var host, addr string
		var port uint16
		if n, _ := fmt.Sscan(text, &host, &port, &addr); n == 3 {
			if err := r.address(host, port, netip.MustParseAddr(addr)); (err == nil) != want || err != nil && !errors.Is(err, ErrRefused) {
				t.Errorf("%v, %s: %v", r.list, text, err)
			}
		} else if text != "" {
			t.Error(text)
		}
	}
}

func TestRulesOpenWhatTheyName(t *testing.T) {
	for _, c := range []struct{ rule, open, closed string }{
		{"docs.internal", "docs.internal 80 10.0.0.1", "docs.internal 9000 10.0.0.1, other.internal 80 10.0.0.1, x.docs.internal 80 10.0.0.1"},
		{"docs.internal:9000", "docs.internal 9000 10.0.0.1", "docs.internal 80 10.0.0.1"},
		{"DOCS.internal:*", "docs.internal 1 169.254.169.254", ""},
		{"10.0.0.0/8", "example.com 443 10.1.2.3, 10.1.2.3 443 10.1.2.3", "example.com 22 10.1.2.3, example.com 443 127.0.0.1"},
		{"127.0.0.1", "example.com 443 ::ffff:127.0.0.1", ""},
		{"127.0.0.1:*", "localhost 6379 127.0.0.1", "example.com 6379 93.184.216.34"},
		{"[::1]:8000", "::1 8000 ::1", ""},
		{"::1", "::1 443 ::1", ""},
		{"fd00::/8", "x 443 fd00:ec2::254", ""},
		{"fe80::/10", "x 80 fe80::1", ""},
		{"64:ff9b::/96", "x 443 64:ff9b::808:808", ""},
		{"bücher.example", "xn--bcher-kva.example 443 10.0.0.1", ""},
		{"a_b.internal", "a_b.internal 443 10.0.0.1", ""},
	} {
		checks(t, mustRules(t, false, c.rule), c.open, true)
		checks(t, mustRules(t, false, c.rule), c.closed, false)
	}
	for _, wrong := range []string{"", ":80", "host:0", "host:65536", "host:x", "http://host/", "a b", "host/path", "10.0.0.0/33", "*", "*.internal", "::ffff:10.0.0.0/104", "me@host"} {
		if r, err := ParseRule(wrong); err == nil {
			t.Errorf("ParseRule(%q) = %+v", wrong, r)
		}
	}
}

func TestURLsAreCheckedBeforeTheirHostIsLookedUp(t *testing.T) {
	r := mustRules(t, false, "docs.internal:9000", "10.0.0.0/8:25")
	for s, want := range map[string]string{
		"https://example.com/":                                  "",
		"http://example.com:8080/x":                             "",
		"https://docs.internal:9000/":                           "",
		"http://10.0.0.1:25/":                                   "",
		"ftp://example.com/":                                    "scheme",
		"file:///etc/passwd":                                    "scheme",
		"javascript:alert(1)":                                   "scheme",
		"gopher://example.com:80/":                              "scheme",
		"https://user:secret@example.com/":                      "user name",
		"https:///path":                                         "no host",
		"https://example.com:22/":                               "port 22",
		"https://docs.internal:9001/":                           "port 9001",
		"http://example.com:0/":                                 "port",
		"http://example.com:99999/":                             "port",
		"http://[::ffff:10.0.0.1]/":                             "IPv6 form",
		"https://example.com/" + strings.Repeat("a", maxURL-20): "",
		"https://example.com/" + strings.Repeat("a", maxURL-19): "at most 4096",
		"https://example.com/?" + strings.Repeat("a", maxURL):   "at most 4096",
	} {
		u, err := url.Parse(s)
		must.Do(t, err)
		err = r.url(u)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, ErrRefused)) {
			t.Errorf("%s: %v, want %q", s, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the message shows the password: %v", s, err)
		}
	}
}

// A text that is too long for a host name is not converted: that takes the square of its length.
func TestLongHosts(t *testing.T) {
	for host, want := range map[string]string{
		"b\u00fccher.example": "xn--bcher-kva.example", "a b": "a b", "": "",
		strings.Repeat("\u00fc", maxHost/2+1): strings.Repeat("\u00fc", maxHost/2+1),
	} {
		must.Equal(t, want, ASCII(host), host)
	}
}

// A host of the user's own network that the user typed is allowed, and nothing else.
func TestTypedRule(t *testing.T) {
	for text, want := range map[string]string{ // the rule; "": there is none
		"http://localhost:3000/": "localhost:3000", "http://LocalHost/": "localhost:80", "https://localhost/x": "localhost:443",
		"http://127.0.0.1:3000/": "127.0.0.1:3000", "http://127.8.0.1/": "127.8.0.1:80", "http://[::1]:3000/": "[::1]:3000", "http://[0:0::1]:3000/": "[0:0::1]:3000",
		"http://10.1.2.3/": "10.1.2.3:80", "http://192.168.0.1:8443/": "192.168.0.1:8443", "http://[fd12::1]/": "[fd12::1]:80",
		"http://169.254.169.254/": "", "http://169.254.1.1/": "", "http://[fe80::1]/": "", "http://[fe80::1%25eth0]/": "", "http://[::1%25lo]/": "", "http://[fd00:ec2::254]/": "",
		"http://0.0.0.0:3000/": "", "http://[::]:3000/": "", "http://[::ffff:127.0.0.1]:3000/": "", "http://[::127.0.0.1]/": "", "http://[64:ff9b::7f00:1]/": "",
		"http://100.100.100.200/": "", "http://100.64.0.1/": "", "http://8.8.8.8/": "", "http://example.com/": "",
		"http://2130706433/": "", "http://0x7f.0.0.1/": "", "http://0177.0.0.1/": "", "http://127.1/": "", "http://127.0.0.1./": "", "http://localhost./": "",
		"http://a.localhost/": "", "http://localhost.example.com/": "", "http://user:pass@localhost:3000/": "", "http://localhost:0/": "",
	} {
		u := must.Get(url.Parse(text))(t)
		rule, ok := TypedRule(u)
		if ok != (want != "") || ok && rule.String() != want {
			t.Errorf("%s: %q, %t, want %q", text, rule, ok, want)
		}
		if ok {
			if err := (rules{list: []Rule{rule}}).url(u); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	for _, c := range []struct{ typed, open, closed string }{
		{"localhost:3000", "localhost 3000 127.0.0.1, localhost 3000 ::1, example.com 80 93.184.216.34",
			"localhost 3000 10.0.0.1, localhost 3000 169.254.169.254, localhost 80 127.0.0.1, evil.example 3000 127.0.0.1, 127.0.0.1 3000 127.0.0.1, example.com 3000 93.184.216.34"},
		{"127.0.0.1:3000", "127.0.0.1 3000 127.0.0.1", "127.0.0.1 3001 127.0.0.1, evil.example 3000 127.0.0.1, localhost 3000 127.0.0.1, 127.0.0.2 3000 127.0.0.2"},
		{"127.0.0.1:80", "", "evil.example 80 127.0.0.1"},
		{"[::1]:3000", "0:0::1 3000 ::1", ""},
		{"10.0.0.5:80", "", "10.0.0.6 80 10.0.0.6"},
	} {
		rule, ok := TypedRule(&url.URL{Scheme: "http", Host: c.typed})
		if !ok {
			t.Error(c.typed)
		}
		checks(t, rules{list: []Rule{rule}}, c.open, true)
		checks(t, rules{list: []Rule{rule}}, c.closed, false)
	}
}

// Another service gets no page of this network, even if the user typed it.
func TestTypedRuleIsNotForServices(t *testing.T) {
	for _, host := range []string{"127.0.0.1:80", "localhost", "127.0.0.1:3000"} {
		u := &url.URL{Scheme: "http", Host: host, Path: "/"}
		rule, ok := TypedRule(u)
		if err := New(Options{Allow: []Rule{rule}, IgnoreRobots: true}).Vet(t.Context(), u); !ok || !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func TestVet(t *testing.T) {
	var asked []string
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		io.WriteString(w, "User-agent: *\nDisallow: /private\n")
	}, withRobots)
	for page, want := range map[string]error{
		u.String() + "/open":            nil,
		u.String() + "/private/x":       ErrRobots,
		"ftp://example.com/":            ErrRefused,
		"http://user@127.0.0.1/":        ErrRefused,
		"http://169.254.169.254/latest": ErrRefused,
		"http://10.0.0.1/":              ErrRefused,
		"http://[::ffff:10.0.0.1]/":     ErrRefused,
		"https://[::1]/":                ErrRefused,
	} {
		u := must.Get(url.Parse(page))(t)
		if err := c.Vet(t.Context(), u); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", page, err, want)
		}
	}
	if len(asked) != 1 || asked[0] != "/robots.txt" {
		t.Errorf("asked for %q", asked)
	}
}

// The error of Vet does not name the DNS server either.
func TestLookupErrorOfVet(t *testing.T) {
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no network") }}
	err := New(Options{}).Vet(t.Context(), &url.URL{Scheme: "https", Host: "name.example", Path: "/"})
	lookup, ok := errors.AsType[*net.DNSError](err)
	if !ok || lookup.Server != "" || !strings.HasPrefix(err.Error(), "https://name.example/: cannot connect: lookup name.example: ") {
		t.Errorf("%v", err)
	}
}

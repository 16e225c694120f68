package webclient

import (
	"errors"
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
	none, private := rules{}, rules{private: true}
	for _, c := range []struct {
		addr          string
		none, private bool // whether requests to it are allowed
	}{
		{"93.184.216.34", true, true},
		{"8.8.8.8", true, true},
		{"2606:4700::1111", true, true},
		{"::ffff:8.8.8.8", true, true}, // a connection to it is one to 8.8.8.8
		{"0.0.0.0", false, false},
		{"0.1.2.3", false, false},
		{"127.0.0.1", false, true},
		{"127.255.255.254", false, true},
		{"10.0.0.1", false, true},
		{"172.16.0.1", false, true},
		{"172.31.255.255", false, true},
		{"172.32.0.1", true, true},
		{"192.168.1.1", false, true},
		{"169.254.1.1", false, false},
		{"100.64.0.1", false, true},
		{"100.128.0.1", true, true},
		{"198.18.0.1", false, true},
		{"192.0.0.1", false, false},
		{"192.0.2.1", false, false},
		{"192.88.99.1", false, false},
		{"198.51.100.1", false, false},
		{"203.0.113.1", false, false},
		{"224.0.0.1", false, false},
		{"239.255.255.250", false, false},
		{"240.0.0.1", false, false},
		{"255.255.255.255", false, false},
		{"169.254.169.254", false, false},
		{"169.254.170.2", false, false},
		{"169.254.42.42", false, false},
		{"100.100.100.200", false, false},
		{"168.63.129.16", false, false},
		{"192.0.0.192", false, false},
		{"::", false, false},
		{"::1", false, true},
		{"::ffff:127.0.0.1", false, true},
		{"::ffff:169.254.169.254", false, false},
		{"::127.0.0.1", false, false},
		{"64:ff9b::7f00:1", false, false},
		{"64:ff9b::808:808", false, false},
		{"64:ff9b:1::1", false, false},
		{"100::1", false, false},
		{"2001::1", false, false},
		{"2001:10::1", false, false},
		{"2001:db8::1", false, false},
		{"2002:7f00:1::", false, false},
		{"3fff::1", false, false},
		{"4000::1", false, false},
		{"5f00::1", false, false},
		{"fc01::1", false, true},
		{"fd12::1", false, true},
		{"fd00:ec2::254", false, false},
		{"fd20:ce::254", false, false},
		{"fe80::1", false, false},
		{"fe80::1%eth0", false, false},
		{"fe80::a9fe:a9fe", false, false},
		{"fd00:42::42", false, false},
		{"fec0::1", false, true},
		{"ff02::1", false, false},
	} {
		for r, want := range map[*rules]bool{&none: c.none, &private: c.private} {
			err := r.address("example.com", 443, netip.MustParseAddr(c.addr))
			if (err == nil) != want || err != nil && !errors.Is(err, ErrRefused) {
				t.Errorf("%s, private addresses %v: %v", c.addr, r.private, err)
			}
		}
	}
}

func TestRulesOpenWhatTheyName(t *testing.T) {
	for _, c := range []struct {
		rule, host, addr string
		port             uint16
		want             bool
	}{
		{"docs.internal", "docs.internal", "10.0.0.1", 80, true},
		{"docs.internal", "docs.internal", "10.0.0.1", 9000, false},
		{"docs.internal", "other.internal", "10.0.0.1", 80, false},
		{"docs.internal", "x.docs.internal", "10.0.0.1", 80, false},
		{"docs.internal:9000", "docs.internal", "10.0.0.1", 9000, true},
		{"docs.internal:9000", "docs.internal", "10.0.0.1", 80, false},
		{"DOCS.internal:*", "docs.internal", "169.254.169.254", 1, true},
		{"10.0.0.0/8", "example.com", "10.1.2.3", 443, true},
		{"10.0.0.0/8", "example.com", "10.1.2.3", 22, false},
		{"10.0.0.0/8", "example.com", "127.0.0.1", 443, false},
		{"10.0.0.0/8", "10.1.2.3", "10.1.2.3", 443, true},
		{"127.0.0.1", "example.com", "::ffff:127.0.0.1", 443, true},
		{"127.0.0.1:*", "localhost", "127.0.0.1", 6379, true},
		{"127.0.0.1:*", "example.com", "93.184.216.34", 6379, false},
		{"[::1]:8000", "::1", "::1", 8000, true},
		{"::1", "::1", "::1", 443, true},
		{"fd00::/8", "x", "fd00:ec2::254", 443, true},
		{"fe80::/10", "x", "fe80::1", 80, true},
		{"64:ff9b::/96", "x", "64:ff9b::808:808", 443, true},
		{"bücher.example", "xn--bcher-kva.example", "10.0.0.1", 443, true},
		{"a_b.internal", "a_b.internal", "10.0.0.1", 443, true},
	} {
		r := mustRules(t, false, c.rule)
		if err := r.address(c.host, c.port, netip.MustParseAddr(c.addr)); (err == nil) != c.want {
			t.Errorf("--allow %s, %s at %s port %d: %v", c.rule, c.host, c.addr, c.port, err)
		}
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
		if got := ASCII(host); got != want {
			t.Errorf("%s: %s", host, got)
		}
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
	typed := func(text string) rules {
		rule, ok := TypedRule(&url.URL{Scheme: "http", Host: text})
		if !ok {
			t.Fatal(text)
		}
		return rules{list: []Rule{rule}}
	}
	for _, c := range []struct {
		typed, host string
		port        uint16
		addr        string
		want        bool
	}{
		{"localhost:3000", "localhost", 3000, "127.0.0.1", true},
		{"localhost:3000", "localhost", 3000, "::1", true},
		{"localhost:3000", "localhost", 3000, "10.0.0.1", false},
		{"localhost:3000", "localhost", 3000, "169.254.169.254", false},
		{"localhost:3000", "localhost", 80, "127.0.0.1", false},
		{"localhost:3000", "evil.example", 3000, "127.0.0.1", false},
		{"localhost:3000", "127.0.0.1", 3000, "127.0.0.1", false},
		{"127.0.0.1:3000", "127.0.0.1", 3000, "127.0.0.1", true},
		{"127.0.0.1:3000", "127.0.0.1", 3001, "127.0.0.1", false},
		{"127.0.0.1:3000", "evil.example", 3000, "127.0.0.1", false}, // DNS rebinding
		{"127.0.0.1:80", "evil.example", 80, "127.0.0.1", false},
		{"127.0.0.1:3000", "localhost", 3000, "127.0.0.1", false},
		{"127.0.0.1:3000", "127.0.0.2", 3000, "127.0.0.2", false},
		{"[::1]:3000", "0:0::1", 3000, "::1", true},
		{"10.0.0.5:80", "10.0.0.6", 80, "10.0.0.6", false},
		{"localhost:3000", "example.com", 80, "93.184.216.34", true},
		{"localhost:3000", "example.com", 3000, "93.184.216.34", false},
	} {
		if err := typed(c.typed).address(c.host, c.port, netip.MustParseAddr(c.addr)); (err == nil) != c.want || err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("typed %s: %s:%d at %s: %v, want %t", c.typed, c.host, c.port, c.addr, err, c.want)
		}
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

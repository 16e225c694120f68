package uri

import (
	"net/url"
	"slices"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestCanonical(t *testing.T) {
	for _, test := range []struct{ name, segment, host string }{
		{"a-b_c.d~e", "a-b_c.d~e", "a-b_c.d~e"},
		{"!$&'()*+,;=", "!$&'()*+,;=", "!$&'()*+,;="},
		{"a:b@c", "a:b@c", "a%3Ab%40c"},
		{"my notes", "my%20notes", "my%20notes"},
		{"100%.md", "100%25.md", "100%25.md"},
		{"{x}?#[]\"<>\\^`|", "%7Bx%7D%3F%23%5B%5D%22%3C%3E%5C%5E%60%7C", "%7Bx%7D%3F%23%5B%5D%22%3C%3E%5C%5E%60%7C"},
		{"é", "%C3%A9", "%C3%A9"},
		{"e\u0301", "e%CC%81", "e%CC%81"},
		{"caf\xe9", "caf%E9", "caf%E9"},
		{"a\nb\x00", "a%0Ab%00", "a%0Ab%00"},
	} {
		must.Equal(t, test.segment, string(AppendSegment(nil, test.name)), "AppendSegment ", test.name)
		must.Equal(t, test.host, string(AppendHost(nil, test.name)), "AppendHost ", test.name)
		must.Equal(t, test.name, Decode(test.segment), "Decode ", test.segment)
	}
}

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "%": "%", "%4": "%4", "%zz": "%zz", "%41": "A", "%e9%E9": "\xe9\xe9", "%%41": "%A", "%2541": "%41", "100%.md": "100%.md",
	} {
		must.Equal(t, want, Decode(in), "Decode ", in)
	}
}

func TestScheme(t *testing.T) {
	for in, want := range map[string]string{
		"config": "config", "API": "api", "git+ssh": "git+ssh", "a1.b-c": "a1.b-c",
		"": "", "1a": "", "my_scheme": "", "a b": "", "é": "", "+a": "", "a\x00": "", "[": "", "a@": "", "{": "",
	} {
		got, ok := Scheme(in)
		if got != want || ok != (want != "") {
			t.Errorf("Scheme(%q) = %q, %v, want %q", in, got, ok, want)
		}
	}
}

func TestReadings(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"x://h/a", []string{"x://h/a"}},
		{"x://h/a%20b", []string{"x://h/a b", "x://h/a%20b"}},
		{"x://h/a?b#c", []string{"x://h/a?b#c", "x://h/a?b", "x://h/a"}},
		{"x://h/a#b?c", []string{"x://h/a#b?c", "x://h/a"}},
		{"x://h/a%2520b", []string{"x://h/a%20b", "x://h/a%2520b", "x://h/a b"}},
		{"x://h/100%", []string{"x://h/100%"}},
	} {
		if got := slices.Collect(Readings(test.in)); !slices.Equal(got, test.want) {
			t.Errorf("Readings(%q) = %q, want %q", test.in, got, test.want)
		}
	}
	if got := slices.Collect(Readings(string(make([]byte, MaxLength+1)))); got != nil {
		t.Errorf("a URI over the limit has readings: %q", got)
	}
}

func TestMangled(t *testing.T) {
	for _, test := range []struct {
		name, segment string
		want          bool
	}{
		{"a%20b", "a%20b", true},
		{"a%20b é", "a%20b%20%C3%A9", true},
		{"é.md", "%E9.md", true},
		{"中.md", "%4E%2D.md", true},
		{"中.md", "%4E2D.md", true},
		{"😀", "%01%F6%00", true},
		{"😀", "%D83D%DE00", true},
		{"\u3000", "%30%00", true},
		{"\u3000", "%30", true},
		{"ģ", "%123", true},
		{"a", "a", true},
		{"é.md", "e.md", false},
		{"100%", "100", false},
	} {
		must.Equal(t, test.want, Mangled(test.name, Decode(test.segment)), "Mangled ", test.name, ", ", test.segment)
		must.Equal(t, test.want && test.name != Decode(test.segment), slices.Contains(Manglings(test.name), Decode(test.segment)), "Manglings ", test.name, ", ", Decode(test.segment))
	}
}

func TestReserved(t *testing.T) {
	for in, want := range map[string]string{
		"a/b c/é": "a/b c/é", "100%": "100%25", "a?b#c": "a%3Fb%23c", "caf\xe9": "caf%E9", "a\nb\x7f": "a%0Ab%7F", "�": "�",
	} {
		must.Equal(t, want, Reserved(in), "Reserved ", in)
	}
}

func TestDisplay(t *testing.T) {
	for in, want := range map[string]string{"100% é": "100% é", "\xe9%E9": "%E9%25E9", "a\xff": "a%FF", "a\nb%": "a%0Ab%25", "a\u202eb": "a%E2%80%AEb", "\U000e0041": "%F3%A0%81%81", "\u200d": "\u200d"} {
		got := Display(in)
		must.Equal(t, want, got, "Display ", in)
		if in != want && Decode(got) != in {
			t.Errorf("Display(%q) decodes to %q", in, Decode(got))
		}
	}
}

// A canonical segment is decoded to its name by this package and by net/url, and needs no further
// encoding.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"a b", "100%", "é", "\xff", "%41", "a:b@c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		segment := string(AppendSegment(nil, name))
		if got := Decode(segment); got != name {
			t.Fatalf("Decode(%q) = %q, want %q", segment, got, name)
		}
		if got, err := url.PathUnescape(segment); err != nil || got != name {
			t.Fatalf("net/url reads %q as %q (%v), want %q", segment, got, err, name)
		}
		for i := range len(segment) {
			if segment[i] <= ' ' || segment[i] >= 0x7F {
				t.Fatalf("%q is not printable ASCII", segment)
			}
		}
	})
}

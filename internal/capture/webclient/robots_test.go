package webclient

import (
	"cmp"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// The cases come from RFC 9309, from Google's parser (but for index.html, which only Google reads as its folder) and from bug reports.
func TestAllow(t *testing.T) {
	const everybody = "User-agent: *\n"
	utf16 := must.Get(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(everybody + "Disallow: /x\n"))(t)
	file := func(name, text, allowed, refused string) given.Case {
		return given.Case{Name: name, Text: text, Files: map[string]string{"allowed": allowed, "refused": refused}}
	}
	for _, test := range append(given.Cases(t, "robots.txt"),
		file("byte order mark", "\ufeff"+everybody+"Disallow: /x\n", "/y", "/x"),
		file("UTF-16", utf16, "/y", "/x"),
		file("line ends", "User-agent: *\r\nDisallow: /x\rDisallow: /y\r\n\r\nDisallow: /z", "/a", "/x /y /z"),
		file("NUL", everybody+"Disallow: /x\x00\nDisallow: /z", "/y", "/x /z")) {
		r := ParseRobots([]byte(test.Text), product)
		for verdict, paths := range test.Files {
			for _, path := range strings.Fields(paths) {
				must.Equal(t, verdict == "allowed", r.Allow(path), test.Name, ": ", path, " is allowed")
			}
		}
	}
	if ParseRobots([]byte(everybody+"Disallow: /"), product).Allow("") {
		t.Error("the empty path is not the root")
	}
}

func TestDelayAndSitemaps(t *testing.T) {
	r := ParseRobots([]byte("Sitemap: https://a.example/one.xml#x\nUser-agent: *\nCrawl-delay: 1.5\nSITEMAP: /two.xml\nDisallow: /x\nUser-agent: other\nCrawl-delay: 9\n"), product)
	if r.Delay != 1500*time.Millisecond || strings.Join(r.Sitemaps, " ") != "https://a.example/one.xml#x /two.xml" {
		t.Errorf("%v %q", r.Delay, r.Sitemaps)
	}
	for _, bad := range []string{"x", "-1", "NaN", "Inf", "1e300"} {
		if d := ParseRobots([]byte("User-agent: *\nCrawl-delay: "+bad), product).Delay; d < 0 || d > 1e6*time.Second {
			t.Errorf("%s: %v", bad, d)
		}
	}
}

// A rule is matched as its expression says: each asterisk may stand for any characters.
func FuzzAllow(f *testing.F) {
	f.Add("/a*b$", "/axxb")
	f.Add("*%7E", "/~")
	f.Fuzz(func(t *testing.T, rule, path string) {
		r := ParseRobots([]byte("User-agent: *\nDisallow: "+rule+"\n"), product)
		if len(r.rules) != 1 {
			return
		}
		var expression []string
		for _, part := range r.rules[0].parts {
			expression = append(expression, regexp.QuoteMeta(part))
		}
		end := map[bool]string{true: "$"}[r.rules[0].end]
		refused := regexp.MustCompile("(?s)^" + strings.Join(expression, ".*") + end).MatchString(cmp.Or(Spelled(path), "/"))
		if got := r.Allow(path); got == refused {
			t.Errorf("%q and %q: %v", rule, path, got)
		}
	})
}

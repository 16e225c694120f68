package webclient

import (
	"cmp"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// The cases come from RFC 9309, from Google's parser (but for index.html, which only Google reads as its folder) and from bug reports.
func TestAllow(t *testing.T) {
	utf16 := must.Get(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("User-agent: *\nDisallow: /x\n"))(t)
	const everybody = "User-agent: *\n"
	for _, test := range []struct{ name, file, allowed, refused string }{
		{"nothing", "", "/ /x", ""},
		{"HTML", "<!DOCTYPE html><html>User-agent: *<br>Disallow: /</html>", "/x", ""},
		{"byte order mark", "\ufeffUser-agent: *\nDisallow: /x\n", "/y", "/x"},
		{"UTF-16", utf16, "/y", "/x"},
		{"everybody", everybody + "Disallow: /", "", "/ /x"},
		{"another crawler", "User-agent: other\nDisallow: /", "/x", ""},
		{"own group wins", everybody + "Disallow: /\n\nUser-agent: MCP-Docs-Server\nDisallow: /x", "/y", "/x"},
		{"own group without rules", everybody + "Disallow: /\n\nUser-agent: mcp-docs-server\nDisallow:", "/x", ""},
		{"with a version", everybody + "Disallow: /\n\nUser-agent: mcp-docs-server/1.0\nAllow: /", "/y", ""},
		{"up to the first space", "User-agent: mcp-docs-server and more\nDisallow: /", "", "/y"},
		{"a part of the name", "User-agent: mcp\nDisallow: /", "/y", ""},
		{"a longer name", "User-agent: mcp-docs-server-images\nDisallow: /", "/y", ""},
		{"groups of one crawler are one", "User-agent: mcp-docs-server\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: mcp-docs-server\nDisallow: /b", "/c", "/a /b"},
		{"groups of everybody are one", everybody + "Crawl-delay: 0\n\nUser-agent: bad\nDisallow: /\n\n" + everybody + "Disallow: /x", "/y", "/x"},
		{"several names", "User-agent: *\nUser-agent: Googlebot\nDisallow: /x", "/y", "/x"},
		{"a name after a delay begins a group", everybody + "Crawl-delay: 0\nUser-agent: bad\nDisallow: /", "/y", ""},
		{"a sitemap between names", "User-agent: a\nSitemap: http://h/s.xml\nUser-agent: mcp-docs-server\nUnknown: x\nUser-agent: b\nDisallow: /x", "/y", "/x"},
		{"rules before a group", "Disallow: /x\n" + everybody + "Disallow: /y", "/x", "/y"},
		{"keys in any case", "USER-AGENT: *\nDISALLOW: /x\naLLow: /x/y", "/x/y", "/x"},
		{"spaces", "  User-Agent :  *  \n\t Disallow\t:  /x  \n", "/y", "/x"},
		{"no colon", "user-agent *\ndisallow /x", "/y", "/x"},
		{"misspelled", "useragent: *\nDissallow: /x\nDisalow: /y", "/z", "/x /y"},
		{"unknown keys", "foo: *\nbar: /", "/x", ""},
		{"line ends", "User-agent: *\r\nDisallow: /x\rDisallow: /y\r\n\r\nDisallow: /z", "/a", "/x /y /z"},
		{"comments", "User-agent: * # all\nDisallow: /x # the x\n# Disallow: /y\nDisallow: /z#frag", "/y", "/x /z"},
		{"NUL", everybody + "Disallow: /x\x00\nDisallow: /z", "/y", "/x /z"},
		{"case of paths", everybody + "Disallow: /X", "/x", "/X"},
		{"an empty rule", everybody + "Disallow:\nAllow:\nDisallow: /x", "/y", "/x"},
		{"the longest wins", everybody + "Disallow: /\nAllow: /docs/\nDisallow: /docs/x", "/docs/a", "/docs/x1 /a"},
		{"of equal length the one that allows", everybody + "Disallow: /page\nAllow: /page", "/page /pages", ""},
		{"of equal length, the other way", everybody + "Allow: /folder\nDisallow: /folder", "/folder/page", ""},
		{"wildcards count as one", everybody + "Allow: /page\nDisallow: /*.htm", "/page", "/page.htm"},
		{"specific", everybody + "Allow: /$\nDisallow: /", "/", "/page.htm"},
		{"fish", everybody + "Disallow: /fish", "/Fish.asp /catfish /?id=fish /desert/fish", "/fish /fish.html /fish/salmon.html /fishheads /fish.php?id=anything"},
		{"fish*", everybody + "Disallow: /fish*", "/Fish.asp /catfish", "/fish /fish.html /fishheads/yummy.html"},
		{"/fish/", everybody + "Disallow: /fish/", "/fish /fish.html /animals/fish/", "/fish/ /fish/salmon.htm"},
		{"*.php", everybody + "Disallow: /*.php", "/ /windows.PHP", "/index.php /folder/filename.php /filename.php5 /filename.php/ /filename.php?parameters"},
		{"*.php$", everybody + "Disallow: /*.php$", "/filename.php?parameters /filename.php/ /filename.php5 /aphp$", "/filename.php /folder/filename.php /a.phpb.php"},
		{"fish*.php", everybody + "Disallow: /fish*.php", "/Fish.PHP", "/fish.php /fishheads/catfish.php?parameters"},
		{"an asterisk first", everybody + "Disallow: */test", "/a", "/test /a/test"},
		{"no slash first", everybody + "Disallow: x", "/x", ""},
		{"$ in the middle", everybody + "Disallow: /a$b", "/a", "/a$b"},
		{"$ alone", everybody + "Disallow: /x$", "/x/ /xx", "/x"},
		{"queries", everybody + "Disallow: /*?\nDisallow: /a/b=1?x", "/a", "/a?b=1 /a/b=1?x"},
		{"escapes", everybody + "Disallow: /%7Ejoe\nDisallow: /a%3cd\nDisallow: /ä\nDisallow: /b%2Fc\nDisallow: /q%62z", "/b/c", "/~joe /a%3Cd /a%3cd /%C3%A4 /%c3%a4 /b%2fc /qbz"},
		{"escapes that are none", everybody + "Disallow: /a%\nDisallow: /b%zz", "/a /b", "/a% /b%zz"},
		{"Japanese", everybody + "Disallow: /\nAllow: /foo/bar/ツ", "/foo/bar/%E3%83%84 /foo/bar/ツ", "/foo/bar/"},
		{"colon in a rule", everybody + "Disallow: /a:b", "/a", "/a:b"},
	} {
		r := ParseRobots([]byte(test.file), product)
		for _, path := range strings.Fields(test.allowed) {
			if !r.Allow(path) {
				t.Errorf("%s: %s is refused", test.name, path)
			}
		}
		for _, path := range strings.Fields(test.refused) {
			if r.Allow(path) {
				t.Errorf("%s: %s is allowed", test.name, path)
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

package webui

import (
	"context"
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/prose"
)

// TestRenderingIsBounded renders texts that make Markdown libraries slow. Texts that would take
// seconds are refused; otherwise the test would not end in time.
func TestRenderingIsBounded(t *testing.T) {
	must.SkipUnderRace(t)
	for name, source := range map[string]string{
		"quotes": strings.Repeat(">", 80_000), "numbers": strings.Repeat("1. ", 30_000), "brackets": strings.Repeat("[", 100_000), "images": strings.Repeat("![", 50_000),
		"links": strings.Repeat("[a](", 30_000), "stars": strings.Repeat("*a **a ", 20_000), "ticks": strings.Repeat("`a``", 30_000), "tags": strings.Repeat("<a ", 40_000),
		"nested": strings.Repeat("- ", 500) + "x", "lists": strings.Repeat("- a\n", 80_000), "deeper": deeper(400), "table": strings.Repeat("|", 60_000) + "\n" + strings.Repeat("|-", 60_000) + "\n",
		"rows": "|a|b|\n|-|-|\n" + strings.Repeat("|a|b|\n", 40_000), "references": strings.Repeat("[a]: b\n", 40_000), "footnotes": strings.Repeat("[^1]", 40_000) + "\n\n[^1]: x", "tildes": strings.Repeat("~~a ~a", 20_000),
		"urls": strings.Repeat("www.a.b/(", 20_000), "entities": strings.Repeat("&a", 100_000), "headings": strings.Repeat("# a\n", 60_000), "shortLines": strings.Repeat("*a\n[b\n", 40_000), "escapes": strings.Repeat("\\", 200_000), "parens": "[a](" + strings.Repeat("(", 100_000),
	} {
		_, _, err := renderMarkdown(t.Context(), source, nil, nil)
		if linear := slices.Contains([]string{"lists", "rows", "urls", "entities", "headings", "escapes", "parens", "table"}, name); linear != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func deeper(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

// Tags that browsers do not know are omitted, and programs.
func TestTags(t *testing.T) {
	html, _, err := renderMarkdown(t.Context(), "---\na: b\n---\nReview <b>this</b> *now*.\n\n<doc id=\"1\">\n</doc>\n\n<script>\nalert(1)\n\n</script>\n", nil, nil)
	if err != nil || strings.Contains(string(html), "doc") || strings.Contains(string(html), "alert") || !strings.Contains(string(html), "Review <b>this</b> <em>now</em>.") {
		t.Errorf("%q, %v", html, err)
	}
}

// A link without a target becomes text, not a link to the page itself.
func TestDeadLinks(t *testing.T) {
	links := func(destination string, image bool) string {
		if destination == "there" {
			return "/there"
		}
		return ""
	}
	html, _, err := renderMarkdown(t.Context(), "[*a* b](none) [c](javascript:x) ![d](none) ![](none) [![e](https://x.example/e.png)](there) [f](there) ![g](https://x.example/g.png)\n", links, nil)
	want := `<p><em>a</em> b c d (missing: none) image (missing: none) <a href="/there">e</a> <a href="/there">f</a> <a href="https://x.example/g.png" rel="nofollow noreferrer">g</a></p>`
	if err != nil || strings.TrimSpace(string(html)) != want {
		t.Errorf("%q, %v", html, err)
	}
}

// Rendering waits until the viewer gets a processor.
func TestRenderingTakesTurns(t *testing.T) {
	ctx, leave, err := contents.NewMemory().Enter(t.Context(), "greedy")
	must.Do(t, err)
	defer leave()
	for range runtime.GOMAXPROCS(0) {
		done := must.Get(contents.Turn(ctx))(t)
		defer done()
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if b := textBody(ctx, "{}", "application/json", "a.json", nil, nil); b.Kind != "none" || b.Note == "" {
		t.Errorf("%+v", b)
	}
	if b := textBody(t.Context(), "{}", "application/json", "a.json", nil, nil); b.Kind != "data" {
		t.Errorf("%+v", b)
	}
}

// shownBlocks returns the HTML of Markdown without line ends and attributes that do not matter here.
func shownBlocks(t *testing.T, source string) string {
	t.Helper()
	_, _, _ = renderMarkdown(t.Context(), source, nil, nil) // a busy computer may take longer to compile a lexer than a page waits for it
	html, _, err := renderMarkdown(t.Context(), source, nil, nil)
	must.Do(t, err)
	return strings.NewReplacer("\n", "", ` tabindex="0"`, "").Replace(string(html))
}

func TestBlocks(t *testing.T) {
	for _, c := range given.Cases(t, "blocks.txt") {
		must.Equal(t, strings.ReplaceAll(c.Files["HTML"], "\n", ""), shownBlocks(t, c.Text+"\n"), c.Name)
	}
}

// What only the program of a site understands is left out.
func TestClean(t *testing.T) {
	text := "import {\n  A\n} from 'a'\n\nexport function B() {\n\n  return <i>b</i>\n\n}\n\n<script>\nimport {\n</script>\n\n<p style={{color: 'red'}}>e {/* f */}</p>\n"
	html, _, err := renderMarkdown(t.Context(), text, nil, prose.Clean)
	if want := "<p>e </p>\n"; err != nil || strings.TrimSpace(string(html)) != strings.TrimSpace(want) {
		t.Errorf("%q, %v", html, err)
	}
}

// TestOwnIDs has a document whose headings are called as the elements of the page are.
func TestOwnIDs(t *testing.T) {
	own := []string{"q", "q-key", "hits", "theme", "side", "main", "path", "uri", "endpoint", "answer", "answer-title", "problem", "token", "arg-x", "about-x", "command-x", "snippet-x"}
	html := shownBlocks(t, "## "+strings.Join(own, "\n## ")+"\n")
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if ownIDs().MatchString(m[1]) {
			t.Errorf("the page has an element with the id %q already", m[1])
		}
	}
	names := must.Get(fs.Glob(files, "templates/*.html"))(t)
	found := 0
	for _, name := range names {
		text := must.Get(files.ReadFile(name))(t)
		for _, m := range regexp.MustCompile(`\bid="([\w-]+)(["{])`).FindAllStringSubmatch(string(text), -1) {
			if found++; !ownIDs().MatchString(m[1] + strings.TrimLeft(m[2], `"`)) {
				t.Errorf("%s: ownIDs lacks the id %q", name, m[1])
			}
		}
	}
	if found < len(own) {
		t.Errorf("the templates have %d ids", found)
	}
}

var (
	destination = regexp.MustCompile(` (href|src|action|data-base)="([^"]*)"`)
	ownClient   = regexp.MustCompile(`^(vscode|cursor|lmstudio|goose|data):`)
)

// Every link, form and file of every page stays within the path of the public URL and has a
// target, with one project and with several. A proxy removes the path, as it does for
// clients.
func TestLinksHaveTargets(t *testing.T) {
	for _, names := range [][]string{{"test"}, {"one", "two"}} {
		var sites []Site
		for _, name := range names {
			sites = append(sites, newProject(t, name, tree))
		}
		web := servePage(t, "", hosts.Options{PublicURL: "https://docs.example.com/below/it"}, Options{Sites: sites})
		ask := func(path string) (*http.Response, string) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+strings.TrimPrefix(path, "/below/it"), nil)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			r.Host = "docs.example.com"
			return do(t, r)
		}
		from := map[string]string{"/below/it/": "the start"}
		queue := []string{"/below/it/"}
		forms := make(map[string]bool)
		for len(queue) > 0 {
			path := queue[0]
			queue = queue[1:]
			if strings.Contains(path, "/raw/x/h/caf%E9") { // which fstest.MapFS does not open
				continue
			}
			resp, body := ask(path)
			if to := resp.Header.Get("Location"); to != "" && !strings.HasPrefix(to, "/below/it/") {
				t.Errorf("%s leads to %s", path, to)
			} else if resp.StatusCode != 200 && to == "" {
				t.Errorf("%s, which is on %s: %d", path, from[path], resp.StatusCode)
			}
			if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") || strings.Contains(path, "/raw/") {
				continue
			}
			for _, found := range destination.FindAllStringSubmatch(body, -1) {
				kind, to := found[1], html.UnescapeString(found[2])
				if strings.HasPrefix(to, "#") || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") || ownClient.MatchString(to) {
					continue
				}
				base, _ := url.Parse("https://docs.example.com" + path)
				full, err := base.Parse(to)
				if err != nil || !strings.HasPrefix(full.EscapedPath()+"/", "/below/it/") {
					t.Errorf("%s: %s is %q", path, kind, to)
					continue
				}
				next := full.EscapedPath()
				if full.RawQuery != "" {
					next += "?" + full.RawQuery
				}
				switch {
				case kind == "action" && !strings.HasSuffix(next, "/search"):
					forms[next] = true
				case kind != "data-base" && from[next] == "":
					from[next] = path
					queue = append(queue, next)
				}
			}
		}
		if len(from) < 50*len(names) {
			t.Errorf("only %d links were found", len(from))
		}
		for form := range forms {
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+strings.TrimPrefix(form, "/below/it"), strings.NewReader(""))
			r.Host = "docs.example.com"
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if resp, body := do(t, r, "Origin", "https://docs.example.com"); resp.StatusCode != 200 || !strings.Contains(body, `class="answer"`) {
				t.Errorf("%s: %d", form, resp.StatusCode)
			}
		}
		if len(forms) != 5*len(names) {
			t.Errorf("the forms are %v", forms)
		}
	}
}

// With a token and several projects, a login leads to the page that was requested first.
func TestLoginToOneOfSeveral(t *testing.T) {
	const token = "correct-horse-battery"
	web := servePage(t, token, hosts.Options{PublicURL: "https://docs.example.com/below"}, Options{Sites: []Site{newProject(t, "one", tree), newProject(t, "two", tree)}})
	ask := func(method, path, body string, header ...string) (*http.Response, string) {
		r := httptest.NewRequestWithContext(t.Context(), method, web.URL+path, strings.NewReader(body))
		r.RequestURI, r.Host = "", "docs.example.com"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return do(t, r, header...)
	}
	resp, body := ask("GET", "/two/docs/index", "")
	if resp.StatusCode != 401 || !strings.Contains(body, `name="to" value="/below/two/docs/index"`) || !strings.Contains(body, `action="/below/login"`) {
		t.Errorf("without a token: %d\n%s", resp.StatusCode, body)
	}
	resp, _ = ask("POST", "/login", url.Values{"token": {token}, "to": {"/below/two/docs/index"}}.Encode(), "Origin", "https://docs.example.com")
	if resp.StatusCode != 303 || resp.Header.Get("Location") != "/below/two/docs/index" {
		t.Errorf("login: %d %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	pair, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	for path, want := range map[string]int{"/two/docs/index": 200, "/one/": 200, "/": 200, "/three/": 404} {
		if resp, _ := ask("GET", path, "", "Cookie", pair); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
}

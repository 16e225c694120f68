package page

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

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

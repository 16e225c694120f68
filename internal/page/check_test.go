package page

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/survey"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/current"
)

// A page that is opened during a check says so, and is notified of its end.
func TestCheckTakesLong(t *testing.T) {
	site := newProject(t, "test", tree)
	done := make(chan *check.Report)
	checks := survey.New(survey.Options{
		Slots: survey.NewSlots(), Changed: current.New[struct{}]().Changed, Logger: slog.New(slog.DiscardHandler),
		Check: func(ctx context.Context) (*check.Report, error) {
			select {
			case r := <-done:
				return r, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { checks.Run(ctx) })
	defer work.Wait()
	defer cancel()
	site.Survey = checks
	web := servePage(t, "", gate.Options{}, Options{Author: true, Sites: []Site{site}})
	for _, path := range []string{"/check", "/hidden"} {
		_, body := get(t, web.URL+path)
		for _, want := range []string{"The project is being checked", `http-equiv="refresh"`, `data-events="/events?survey=0"`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %q is missing:\n%s", path, want, body)
			}
		}
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/events?survey=0", nil)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	report := &check.Report{Left: map[check.Kind]int{{Rule: check.BrokenLink, Severity: check.Error}: 7}, Errors: 17 + 7}
	for i := range 17 {
		report.Findings = append(report.Findings, check.Finding{
			Severity: check.Error, Rule: check.BrokenLink, File: fmt.Sprintf("docs/%d.md", i), Line: 3, Message: "<b>gone</b>", Fix: "correct it"})
	}
	for i := range maxHiddenShown + 1 {
		report.Hidden = append(report.Hidden, explain.Hidden{Path: fmt.Sprintf("docs/.%03d", i), Rule: "dot-name", Reason: "is hidden"})
	}
	done <- report
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && lines.Text() != "event: check" {
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	_, body := get(t, web.URL+"/check")
	for _, want := range []string{"24 errors", `<span class="count">24</span>`, ">14 more<", "docs/9.md:3", "&lt;b&gt;gone"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing:\n%s", want, body)
		}
	}
	for _, not := range []string{"docs/10.md", "being checked", "refresh"} {
		if strings.Contains(body, not) {
			t.Errorf("%q is there:\n%s", not, body)
		}
	}
	if n := strings.Count(body, "To do: correct it"); n != 1 {
		t.Errorf("the fix is shown %d times", n)
	}
	if _, body := get(t, web.URL+"/check?rule=link-broken"); !strings.Contains(body, "docs/16.md:3") || !strings.Contains(body, "7 more are not shown") {
		t.Errorf("of one rule:\n%s", body)
	}
	if _, body := get(t, web.URL+"/hidden"); !strings.Contains(body, "201 files and folders") || !strings.Contains(body, `href="?after=docs%2F.199"`) || strings.Contains(body, "docs/.200") {
		t.Errorf("hidden:\n%s", body)
	}
	if _, body := get(t, web.URL+"/hidden?after=docs%2F.199"); !strings.Contains(body, "docs/.200") || strings.Contains(body, "docs/.199<") {
		t.Errorf("hidden, the second page:\n%s", body)
	}
}

// A server that other computers reach does not show what clients cannot see.
func TestOnlyAuthorsSeeWhatIsHidden(t *testing.T) {
	web := servePage(t, "", gate.Options{}, Options{Sites: []Site{newProject(t, "test", tree)}})
	for path, status := range map[string]int{
		"/check": 403, "/hidden": 403, "/check?rule=secret": 403, "/explain?q=docs/.draft.md": 200, "/explain?q=docs/.none.md": 200, "/": 200, "/explain?q=x://h/.draft": 200,
	} {
		resp, body := get(t, web.URL+path)
		if resp.StatusCode != status || strings.Contains(body, "dot-name") || strings.Contains(body, `href="/check"`) || strings.Contains(body, `href="/hidden"`) {
			t.Errorf("%s: %d\n%s", path, resp.StatusCode, body)
		}
		if strings.HasPrefix(path, "/explain") && !strings.Contains(body, "There is no file or resource") {
			t.Errorf("%s: a hidden file and a missing file have different answers:\n%s", path, body)
		}
	}
	if _, body := get(t, web.URL+"/explain?q=docs/index.md"); !strings.Contains(body, "is served") {
		t.Errorf("a file that is served:\n%s", body)
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/events?survey=99", nil)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "subscriptions/acknowledged") {
		if lines.Text() == "event: check" {
			t.Error("a check is announced")
		}
	}
}

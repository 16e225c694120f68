package crawltool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// testdata/earlier has jobs that the version before [Jobs] wrote: one has ended, the other was killed. The pages that the
// journal says are kept are not requested again.
func TestJobsOfAnEarlierVersion(t *testing.T) {
	s := &site{n: 6}
	server := httptest.NewServer(s)
	defer server.Close()
	dir := t.TempDir()
	const ended, killed = "my2k3nkj-phs36i4g-ingdrac4wc", "qom7p6bi-ewg3wims-jjrwd7assn"
	for _, id := range []string{ended, killed} {
		for _, name := range []string{"job.json", "journal.jsonl"} {
			data, err := os.ReadFile(filepath.Join("testdata/earlier", id, name))
			if err != nil {
				t.Fatal(err)
			}
			text := strings.NewReplacer("ORIGIN", server.URL, "DIGEST", optionsDigest(t, server.URL), "2026-11-23", "2999-01-01").Replace(string(data))
			if err := os.MkdirAll(filepath.Join(dir, Folder, id), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, Folder, id, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := begin(t, dir)
	if text, _ := p.await(t, killed); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 7/7 pages") {
		t.Error(text)
	}
	if text, pages, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q}`, ended)); !strings.HasPrefix(text, "Crawl Status: completed\nProgress: 1/1 pages") || len(pages) != 1 || pages[0].Title != "Page 3" {
		t.Errorf("%s, %+v", text, pages)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, n := range map[string]int{"/": 0, "/missing": 0, "/page/0": 0, "/page/1": 0, "/page/2": 0, "/page/3": 1, "/page/4": 1, "/page/5": 1} {
		if s.asked[path] != n {
			t.Errorf("%s: %d requests, want %d", path, s.asked[path], n)
		}
	}
}

// optionsDigest returns the digest of options in the first line of the journal of a crawl.
func optionsDigest(t *testing.T, start string) string {
	t.Helper()
	q, err := parse(json.RawMessage(fmt.Sprintf(`{"url":%q,"sitemap":"skip"}`, start)))
	if err != nil {
		t.Fatal(err)
	}
	var journal bytes.Buffer
	o := q.crawl
	o.Journal = &journal
	c, err := crawl.New(webclient.New(webclient.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = c.Run(ctx)
	var first struct{ Options string }
	if err := json.NewDecoder(&journal).Decode(&first); err != nil || first.Options == "" {
		t.Fatal(err, journal.String())
	}
	return first.Options
}

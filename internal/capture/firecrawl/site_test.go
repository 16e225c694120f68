package firecrawl

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// Only pages that their server refuses come from Firecrawl.
func TestSite(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refused":
			w.WriteHeader(http.StatusForbidden)
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, "native")
	}))
	defer page.Close()
	answers := map[string]string{"POST /v2/scrape": `{"data":{"rawHtml":"by the service","metadata":{"url":"` + page.URL + `/refused"}}}`}
	s, bodies := strategy(t, answers)
	site := &Site{Client: s.Rules, Strategy: s}
	get := func(path string, stay bool, header http.Header) (string, error) {
		clear(bodies)
		response, err := site.Get(t.Context(), webclient.Request{URL: parse(t, page.URL+path), Stay: stay, Header: header})
		if err != nil {
			return "", err
		}
		return string(response.Body), nil
	}
	for _, test := range []struct {
		path   string
		stay   bool
		header http.Header
		body   string
		status int
		asked  int
	}{
		{"/", true, nil, "native", 0, 0},
		{"/refused", true, nil, "by the service", 0, 1},
		{"/refused", false, nil, "", 403, 0},
		{"/refused", true, http.Header{"Authorization": {"secret"}}, "", 403, 0},
		{"/gone", true, nil, "", 404, 0},
	} {
		body, err := get(test.path, test.stay, test.header)
		status, _ := errors.AsType[*webclient.StatusError](err)
		if body != test.body || (status == nil) != (test.status == 0) || status != nil && status.Status != test.status || len(bodies) != test.asked {
			t.Errorf("%+v: %q, %v, asked for %v", test, body, err, bodies)
		}
	}
	answers["POST /v2/scrape"] = `{"data":{"rawHtml":"x","metadata":{"url":"https://elsewhere.example/"}}}`
	if r, err := site.Get(t.Context(), webclient.Request{URL: parse(t, page.URL+"/refused"), Stay: true}); err != nil || r.Redirect.Host != "elsewhere.example" {
		t.Errorf("%+v, %v", r, err)
	}
	answers["POST /v2/scrape"] = `{"success":false}`
	if _, err := get("/refused", true, nil); !Refuses(err) || !strings.Contains(err.Error(), "Firecrawl API error") {
		t.Error(err)
	}
}

package webpage

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func leads(t *testing.T, mediaType, body string, header http.Header) *Leads {
	t.Helper()
	return ReadLeads(Source{URL: at(t, "https://a.example/docs/page"), ContentType: mediaType, Body: []byte(body)}, header, "mcp-docs-server")
}

func show(l *Leads) string {
	var parts []string
	for _, link := range l.Links {
		parts = append(parts, strings.TrimSuffix(link.URL.String()+" ("+link.Text+")", " ()"))
	}
	if l.Canonical != nil {
		parts = append(parts, "canonical "+l.Canonical.String())
	}
	if l.Refresh != nil {
		parts = append(parts, "refresh "+l.Refresh.String())
	}
	if l.NoIndex {
		parts = append(parts, "noindex")
	}
	if l.NoFollow {
		parts = append(parts, "nofollow")
	}
	return strings.Join(parts, ", ")
}

func TestLeads(t *testing.T) {
	for _, c := range given.Cases(t, "leads.txt") {
		for mediaType, body := range c.Files {
			must.Equal(t, c.Text, show(leads(t, mediaType, strings.TrimSuffix(body, "\n"), nil)), c.Name)
		}
	}
	must.Equal(t, "A & <b> C", leads(t, "text/html", "<title>A &amp; <b>\n C</title>", nil).Title, "title")
}

func TestLeadsOfAHeader(t *testing.T) {
	for value, want := range map[string]string{
		"noindex": "noindex", "NONE": "noindex, nofollow", "googlebot: noindex": "", "MCP-docs-server: noindex, nofollow": "noindex, nofollow",
		"unavailable_after: 25 Jun 2010 15:00:00 PST": "", "all": "", "nofollow,noindex": "noindex, nofollow",
	} {
		must.Equal(t, want, show(leads(t, "application/pdf", "%PDF-1.7", http.Header{"X-Robots-Tag": {value}})), value)
	}
}

func TestLeadsAreBounded(t *testing.T) {
	must.SkipUnderRace(t)
	l := leads(t, "text/html", strings.Repeat(`<a href="x`+strings.Repeat("y", 10)+`">`, 10)+"<a href=z>"+strings.Repeat("t", 3<<20), nil)
	if len(l.Links) != 2 || len(l.Links[1].Text) > 2*maxLeadText {
		t.Errorf("%d links", len(l.Links))
	}
	var b strings.Builder
	for i := range maxLeads + 10 {
		b.WriteString("<a href=")
		b.WriteString(strings.Repeat("a", 1+i%50) + string(rune('a'+i%26)) + strings.Repeat("b", i/50))
		b.WriteString(">")
	}
	if l := leads(t, "text/html", b.String(), nil); len(l.Links) > maxLeads {
		t.Errorf("%d links", len(l.Links))
	}
}

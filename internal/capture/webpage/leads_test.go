package webpage

import (
	"net/http"
	"strings"
	"testing"

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
	for name, test := range map[string]struct{ mediaType, body, want string }{
		"links":     {"text/html", `<nav><a href="a#x"><b>The</b> A</a></nav><p hidden><a href=/b>B</a><a href="a">again</a><a href="#y">here</a><area href="../c">`, "https://a.example/docs/a (The A), https://a.example/b (B), https://a.example/c"},
		"base":      {"text/html", `<base href="/v2/"><base href="/v3/"><a href=x>X</a>`, "https://a.example/v2/x (X)"},
		"schemes":   {"text/html", `<a href="mailto:a@b">m</a><a href="javascript:x()">j</a><a href="https://u:p@h/">p</a><a href="data:,">d</a><a href="https://h/">h</a>`, "https://h/ (h)"},
		"nofollow":  {"text/html", `<a rel="nofollow noopener" href=x>X</a><a href=y rel=noopener>Y</a>`, "https://a.example/docs/y (Y)"},
		"code":      {"text/html", `<script>"<a href=s>"</script><!-- <a href=c> --><style><a href=t></style><pre>&lt;a href=e></pre><a href=z>`, "https://a.example/docs/z"},
		"robots":    {"text/html", `<META NAME=Robots CONTENT="NoIndex,follow">`, "noindex"},
		"none":      {"text/html", `<meta name="mcp-docs-server" content="none"><meta name=googlebot content=noindex>`, "noindex, nofollow"},
		"other":     {"text/html", `<meta name=googlebot content="noindex, nofollow">`, ""},
		"canonical": {"text/html", `<link rel="canonical" href="/docs/other#x"><link rel=canonical href=/docs/second><link rel=next href=n>`, "https://a.example/docs/n, canonical https://a.example/docs/other"},
		"refresh":   {"text/html", `<meta http-equiv="Refresh" content="0; URL='new/'"><meta http-equiv=refresh content="300">`, "refresh https://a.example/docs/new/"},
		"noscript":  {"text/html", `<noscript><meta http-equiv=refresh content="1; url=new/"></noscript>`, "refresh https://a.example/docs/new/"},
		"never":     {"text/html", `<meta http-equiv=refresh content="NaN;url=/x"><meta http-equiv=refresh content="-Inf;url=/x">`, ""},
		"later":     {"text/html", `<meta http-equiv=refresh content="60;url=/x">`, ""},
		"markdown":  {"text/markdown", "# T\n\n- [A](a.md \"t\"): b [C](<c.md>)\n[d]: /d.md\n```\n[E](e.md)\n```\n[F](#f) ![G](g.png)\n", "https://a.example/docs/a.md (A), https://a.example/docs/c.md (C), https://a.example/d.md, https://a.example/docs/g.png (G)"},
		"text":      {"text/plain", `<a href=x> [a](b)`, ""},
		"not ended": {"text/html", `<a href="x`, ""},
	} {
		must.Equal(t, test.want, show(leads(t, test.mediaType, test.body, nil)), name)
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

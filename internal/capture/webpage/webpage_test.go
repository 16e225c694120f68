package webpage

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

func TestKinds(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, c := range []struct {
		path, contentType, body string
		kind                    Kind
		mime, language          string
	}{
		{"/", "text/html; charset=utf-8", "<p>x", HTML, "text/html", ""},
		{"/", "TEXT/HTML", "<p>x", HTML, "text/html", ""},
		{"/", "application/xhtml+xml", "<p>x", HTML, "application/xhtml+xml", ""},
		{"/", "", "<!doctype html><p>x", HTML, "text/html", ""},
		{"/", "application/octet-stream", "<html>", HTML, "text/html", ""},
		{"/", "text/html;;;charset", "<p>x", HTML, "text/html", ""},
		{"/", "application/json", "{}", Text, "application/json", "json"},
		{"/", "application/problem+json", "{}", Text, "application/problem+json", "json"},
		{"/", "application/rss+xml", "<rss/>", Text, "application/rss+xml", "xml"},
		{"/", "text/xml", "<?xml version='1.0'?><a/>", Text, "text/xml", "xml"},
		{"/feed", "application/atom+xml; charset=utf-8", "<feed/>", Text, "application/atom+xml", "xml"},
		{"/", "application/x-yaml", "a: b", Text, "application/x-yaml", "yaml"},
		{"/", "text/plain", "plain", Text, "text/plain", "text"},
		{"/", "", "plain", Text, "text/plain", "text"},
		{"/README.md", "text/plain; charset=utf-8", "# x", Markdown, "text/markdown", ""},
		{"/llms.txt", "text/plain", "# x", Markdown, "text/markdown", ""},
		{"/x", "text/markdown", "# x", Markdown, "text/markdown", ""},
		{"/x", "application/pdf", "%PDF-1.7", PDF, "application/pdf", ""},
		{"/x", "text/html", "%PDF-1.7", PDF, "application/pdf", ""},
		{"/x", "application/pdf", "\xef\xbb\xbf\r\n%PDF-1.7", PDF, "application/pdf", ""},
		{"/x", "text/html", "<p>%PDF-1.7", HTML, "text/html", ""},
		{"/x", "application/pdf", "<html>", Bytes, "application/octet-stream", ""},
		{"/x", "image/png", png, Bytes, "image/png", ""},
		{"/x", "text/html", png, Bytes, "image/png", ""},
		{"/x", "text/plain", "PK\x03\x04\x14\x00\x00\x00", Bytes, "application/zip", ""},
		{"/x", "text/plain", "\x00\x01\x02\x03\x04\x05", Bytes, "application/octet-stream", ""},
		{"/x", "image/svg+xml", "<svg/>", Bytes, "image/svg+xml", ""},
		{"/x", "application/zip", "PK\x03\x04", Bytes, "application/zip", ""},
		{"/x", "image/[x](javascript:alert(1))", png, Bytes, "image/png", ""},
		{"/x", "a/b<script>alert(1)</script>", "\x00\x01\x02", Bytes, "application/octet-stream", ""},
		{"/x", "x/y\n# heading", "plain", Text, "text/plain", "text"},
		{"/x", "x/*y* `z`", "plain", Text, "text/plain", "text"},
	} {
		kind, mime, language := classify(Source{at(t, "https://example.com"+c.path), c.contentType, []byte(c.body)})
		if kind != c.kind || mime != c.mime || language != c.language {
			t.Errorf("%s %q %.20q: %v %s %q, want %v %s %q", c.path, c.contentType, c.body, kind, mime, language, c.kind, c.mime, c.language)
		}
	}
}

func TestCharsets(t *testing.T) {
	for name, c := range map[string]struct{ contentType, body, want string }{
		"declared":              {"text/html; charset=iso-8859-1", "<p>caf\xe9", "café"},
		"meta":                  {"text/html", `<meta charset="shift_jis"><p>` + "\x93\xfa\x96\x7b", "日本"},
		"header before meta":    {"text/html; charset=utf-8", `<meta charset="shift_jis"><p>日本`, "日本"},
		"not declared":          {"text/html", "<p>caf\xe9", "café"},
		"not declared, UTF-8":   {"text/html", "<p>" + strings.Repeat("x", 2000) + "é", "é"},
		"wrong: it is UTF-8":    {"text/html", `<meta charset="iso-8859-1"><p>é`, "é"},
		"wrong: GBK is UTF-8":   {"text/html", `<meta charset="gbk"><p>我们在这里`, "我们在这里"},
		"wrong: it is not":      {"text/html; charset=utf-8", "<p>caf\xe9", "café"},
		"one bad byte":          {"text/html; charset=utf-8", "<p>é caf\xe9", "é caf\ufffd"},
		"unknown":               {"text/html; charset=x-klingon", "<p>é", "é"},
		"UTF-16":                {"text/html", "\xff\xfe<\x00p\x00>\x00\xe9\x00", "é"},
		"NUL":                   {"text/html", "<p>a\x00b", "ab"},
		"text, latin 1":         {"text/plain", "caf\xe9", "café"},
		"text, UTF-16":          {"text/plain", "\xfe\xff\x00\xe9", "é"},
		"text, mark":            {"text/plain", "\xef\xbb\xbfé", "é"},
		"text, controls":        {"text/plain", strings.Repeat("x", 100) + "a\x1b[31m\x07b\u202ec", "a[31mbc"},
		"text, lines":           {"text/plain", "a\r\nb\rc", "a\nb\nc"},
		"XML":                   {"application/xml", `<?xml version="1.0" encoding="iso-8859-1"?><a>` + "\xe9</a>", "é</a>"},
		"XML, header":           {"application/xml; charset=utf-8", `<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>`, "é</a>"},
		"XHTML":                 {"application/xhtml+xml", `<?xml version='1.0' encoding='iso-8859-2'?><html><body><p>` + "\xb3</p></body></html>", "ł"},
		"XHTML as HTML":         {"text/html", `<?xml version="1.0" encoding="shift_jis"?><html><body><p>` + "\x93\xfa\x96\x7b", "日本"},
		"mostly UTF-8":          {"text/html", "<p>" + strings.Repeat("é, ", 20) + "\xe9", "é, \ufffd"},
		"JSON, wrongly latin 1": {"application/json", "\"\xe9\"", `"é"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := must.Get(Choice{}.Read(Source{at(t, "https://example.com/"), c.contentType, []byte(c.body)}))(t)
			must.Contain(t, p.Markdown(nil), c.want)
		})
	}
}

// TestGuessedCharsets has pages that do not declare their encoding. The last two are Western, with a word that could
// be taken for another language.
func TestGuessedCharsets(t *testing.T) {
	for _, c := range []struct{ label, text string }{
		{"windows-1251", "Пакет устанавливает сервер, который принимает соединения. Настройки хранятся в файле, имя которого задаётся в командной строке."},
		{"koi8-r", "Пакет устанавливает сервер, который принимает соединения. Настройки хранятся в файле, имя которого задаётся в командной строке."},
		{"shift_jis", "サーバーは接続を受け付けます。設定はファイルに保存され、その名前はコマンドラインで指定します。"},
		{"euc-jp", "サーバーは接続を受け付けます。設定はファイルに保存され、その名前はコマンドラインで指定します。"},
		{"gb18030", "服务器接受客户端的连接。设置保存在文件中,文件的名称在命令行上给出,可以使用多种格式。我们在这里说明这些内容。"},
		{"big5", "伺服器接受用戶端的連線。設定保存在檔案中,檔案的名稱在命令列上給出,可以使用多種格式。我們在這裡說明這些內容。"},
		{"euc-kr", "서버는 클라이언트의 연결을 받아들입니다. 설정은 파일에 저장되며, 파일의 이름은 명령줄에서 지정합니다."},
		{"iso-8859-7", "Ο διακομιστής δέχεται συνδέσεις από τους πελάτες. Οι ρυθμίσεις αποθηκεύονται σε ένα αρχείο, το όνομα του οποίου δίνεται στη γραμμή εντολών."},
		{"iso-8859-2", "Serwer przyjmuje połączenia od klientów. Ustawienia są przechowywane w pliku, którego nazwa jest podawana w wierszu poleceń; można też użyć zmiennych środowiskowych."},
		{"windows-1252", "The server’s settings are kept in a file – its “name” is given on the command line. It’s read when the server starts."},
		{"windows-1252", "func main() { x := read(\"file\") } // café"},
	} {
		t.Run(c.label, func(t *testing.T) {
			encoding, _ := charset.Lookup(c.label)
			body := must.Get(encoding.NewEncoder().String("<html><title>T</title><body><h1>T</h1><p class=a>" + c.text + "</p></body></html>"))(t)
			for _, contentType := range []string{"text/html", "text/plain"} {
				p := must.Get(Choice{}.Read(Source{at(t, "https://example.com/"), contentType, []byte(body)}))(t)
				must.Contain(t, p.Markdown(nil), c.text)
			}
		})
	}
}

// TestXHTML: an element that is closed in its own tag does not contain the rest of the page.
func TestXHTML(t *testing.T) {
	const page = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/></head><body><p>One<br/>two <a id="x"/>three <a href="b">four</a></p></body></html>`
	for contentType, body := range map[string]string{"application/xhtml+xml": page, "text/html": "<?xml version=\"1.0\"?>\n" + page} {
		s := Source{at(t, "https://example.com/"), contentType, []byte(body)}
		p := must.Get(Choice{}.Read(s))(t)
		must.Equal(t, "One  \ntwo three [four](https://example.com/b)\n", p.Markdown(nil), contentType)
		must.Equal(t, 1, len(ReadLeads(s, nil, "").Links), contentType)
	}
}

func TestTextIsKeptAsItIs(t *testing.T) {
	for name, c := range map[string]struct{ path, contentType, body, want string }{
		"JSON":     {"/a.json", "application/json", `{"a": "` + "```" + `"}`, "````json\n{\"a\": \"```\"}\n````\n"},
		"text":     {"/", "text/plain", "# no heading\n[x](javascript:y)\n", "```text\n# no heading\n[x](javascript:y)\n```\n"},
		"feed":     {"/feed", "application/rss+xml", "<rss>&lt;</rss>\n", "```xml\n<rss>&lt;</rss>\n```\n"},
		"Markdown": {"/a.md", "text/plain", "# T\n\n[a](#b) <b>x</b> `c`\n", "# T\n\n[a](#b) <b>x</b> `c`\n"},
		"links": {"/d/a.md", "text/markdown", "[a](b.md \"t\") ![i]( <../i (1).png>) [c](/c?d=e#f) `[d](e)` f[g](h) [i](https://j.example/) [k](#l)\n[m]: n.md 'o'\n```js\np[q](r)\n```\n[s](t)\n",
			"[a](https://example.com/d/b.md \"t\") ![i]( <https://example.com/i%20%281%29.png>) [c](https://example.com/c?d=e#f) `[d](e)` f[g](https://example.com/d/h) [i](https://j.example/) [k](#l)\n[m]: https://example.com/d/n.md 'o'\n```js\np[q](r)\n```\n[s](https://example.com/d/t)\n"},
		"traps": {"/a.md", "text/markdown", "[a](javascript:x) [b]( <JAVASCRIPT:x>) [c](java&#115;cript:x) <javascript:x>\n[d]: data:text/html,x\n<a href='vbscript:x'>y</a> ![i](file:///x) [ok](https://a.example/?b=javascript:c)\n",
			"[a](unsafe:javascript:x) [b]( <unsafe:JAVASCRIPT:x>) [c](unsafe:java&#115;cript:x) <unsafe:javascript:x>\n[d]: unsafe:data:text/html,x\n<a href='unsafe:vbscript:x'>y</a> ![i](unsafe:file:///x) [ok](https://a.example/?b=javascript:c)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := must.Get(Choice{}.Read(Source{at(t, "https://example.com"+c.path), c.contentType, []byte(c.body)}))(t)
			must.Equal(t, c.want, p.Markdown(nil))
			must.Equal(t, c.body, p.Text, "text")
		})
	}
}

// TestNoPageBeginsWithFrontMatter: the front matter of a caller would otherwise be one of two blocks.
func TestNoPageBeginsWithFrontMatter(t *testing.T) {
	for _, c := range []struct{ path, contentType, body string }{
		{"/a.md", "text/markdown", "---\ntitle: Theirs\nurl: https://evil.example/\n---\n# x\n"},
		{"/a.md", "text/markdown", "\ufeff---\r\ntitle: Theirs\r\n---\r\n# x\n"},
		{"/a.md", "text/markdown", "\n\n---\ntitle: Theirs\n---\n"},
		{"/a.md", "text/markdown", "---\nno end\n"},
		{"/a.md", "text/markdown", "+++\ntitle = 1\n+++\n"},
		{"/", "text/html", "<p>---<br>title: Theirs<br>---</p>"},
		{"/", "text/html", "<hr>title: Theirs<hr>"},
		{"/", "text/plain", "---\ntitle: Theirs\n---\n"},
	} {
		p := must.Get(Choice{}.Read(Source{at(t, "https://example.com"+c.path), c.contentType, []byte(c.body)}))(t)
		got := p.Markdown(nil)
		if _, began := frontmatter.Find(got); began || strings.HasPrefix(got, "+++") {
			t.Errorf("%q becomes %q", c.body, got)
		}
	}
	p, err := Choice{}.Read(Source{at(t, "https://example.com/a.md"), "text/markdown", []byte("---\ntitle: Theirs\n---\n# x\n")})
	if err != nil || p.Title != "Theirs" || p.Markdown(nil) != "```yaml\ntitle: Theirs\n```\n\n# x\n" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestTitlesAreOneLine(t *testing.T) {
	p := readHTML(t, "<title> a\n b\t\x00<b>c</b> "+strings.Repeat("x", 1000)+"</title><p>text")
	if strings.ContainsAny(p.Title, "\n\t\x00") || !strings.HasPrefix(p.Title, "a b <b>c</b> x") || len([]rune(p.Title)) != maxTitle {
		t.Errorf("%q", p.Title)
	}
}

func TestTitlesOfMarkdown(t *testing.T) {
	for body, want := range map[string]string{
		"# Introduction to C#\n": "Introduction to C#", "# a ##\n": "a", "# a \t#\r\n": "a", "x\n\n# b": "b", "# #\n": "",
	} {
		p, err := Choice{}.Read(Source{at(t, "https://example.com/a.md"), "text/markdown", []byte(body)})
		if err != nil || p.Title != want {
			t.Errorf("%q: %q, %v, want %q", body, p.Title, err, want)
		}
	}
}

func TestAPDF(t *testing.T) {
	p := FromPDF(at(t, "https://example.com/a_b.pdf"), []string{"\v1 _Pumps_\n\n\v\v\v\v\v\vDeep\n\n\v## Page 3\nFirst\nline [x](javascript:y)\n\n# no heading <b>", " \n", "third\n---\n    text\n\n\tif *a*_b_ {\n\t  ```\n\t}\nend"})
	want := "# a_b.pdf\n\n## Page 1\n\n### 1 \\_Pumps\\_\n\n###### Deep\n\n\\## Page 3\nFirst\nline \\[x\\](javascript:y)\n\n\\# no heading &lt;b&gt;\n\n## Page 3\n\nthird\n\\---\ntext\n\n````\nif *a*_b_ {\n  ```\n}\n````\nend\n"
	must.Equal(t, want, p.Markdown(nil))
}

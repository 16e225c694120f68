package webpage

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// languageTypes finds the language in types of text, as fences name it.
var languageTypes = pattern(`^(?:text|application)/(?:x-(?:httpd-)?)?(json5?|ndjson|xml|yaml|toml|javascript|sh|graphql|sql|php|css|csv|python|go|c)$`)

// typeKinds are the kinds of types that are not only text.
var typeKinds = map[string]Kind{
	"text/html": HTML, "application/xhtml+xml": HTML, "text/markdown": Markdown, "text/x-markdown": Markdown,
	"application/pdf": PDF, "application/x-pdf": PDF, "image/svg+xml": Bytes,
}

// typePattern finds types by the grammar of their registration (RFC 6838, 4.2).
var typePattern = pattern(`^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$`)

// classify returns the kind of a source, its type, and the language of a text.
func classify(s Source) (k Kind, mediaType, language string) {
	mediaType, _, err := mime.ParseMediaType(s.ContentType)
	if err != nil && mediaType == "" {
		mediaType, _, _ = strings.Cut(s.ContentType, ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	}
	if !typePattern().MatchString(mediaType) {
		mediaType = "" // this text would become a part of the page
	}
	sniffed, _, _ := strings.Cut(http.DetectContentType(s.Body), ";")
	if mediaType == "" || mediaType == "application/octet-stream" || mediaType == "binary/octet-stream" || mediaType == "unknown/unknown" {
		mediaType = sniffed
	}
	k, language = kindOf(mediaType)
	switch {
	case IsPDF(s.ContentType, s.Body):
		return PDF, "application/pdf", ""
	case k == PDF: // only the type says PDF
		return Bytes, "application/octet-stream", ""
	case k != Bytes && binary(s.Body, sniffed):
		return Bytes, sniffed, ""
	case k == Text && (mediaType == "text/plain" || mediaType == "text/x-markdown") && isMarkdown(s.URL.Path):
		return Markdown, "text/markdown", ""
	}
	return k, mediaType, language
}

// IsPDF reports whether a body is a PDF file. If its type says so, something else may come before the file, which other
// readers ignore.
func IsPDF(contentType string, body []byte) bool {
	const start, most = "%PDF-", 1024
	return bytes.HasPrefix(body, []byte(start)) || strings.Contains(contentType, "/pdf") && bytes.Contains(body[:min(len(body), most)], []byte(start))
}

// kindOf returns the kind of a type.
func kindOf(mediaType string) (k Kind, language string) {
	if k, ok := typeKinds[mediaType]; ok {
		return k, ""
	}
	if m := languageTypes().FindStringSubmatch(mediaType); m != nil {
		return Text, m[1]
	}
	switch suffix := mediaType[strings.LastIndexByte(mediaType, '+')+1:]; {
	case suffix == "json", suffix == "xml", suffix == "yaml":
		return Text, suffix
	case strings.HasPrefix(mediaType, "text/"):
		return Text, "text"
	}
	return Bytes, ""
}

// isMarkdown reports whether a path has the name of a Markdown file, or of a text that is always
// Markdown.
func isMarkdown(p string) bool {
	name := strings.ToLower(path.Base(p))
	return slices.Contains([]string{".md", ".markdown", ".mdx"}, path.Ext(name)) || name == "llms.txt" || name == "llms-full.txt"
}

// binary reports whether bytes that are declared as text are an image, an archive or the like.
func binary(body []byte, sniffed string) bool {
	switch major, _, _ := strings.Cut(sniffed, "/"); major {
	case "image", "audio", "video", "font":
		return !bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
	case "application":
		return sniffed != "application/octet-stream" || bytes.IndexByte(body[:min(len(body), 4096)], 0) >= 0
	}
	return false
}

// decodeHTML returns HTML in UTF-8, decoded as browsers do: by a byte order mark, the Content-Type, a <meta> in the
// first 1024 bytes, or the XML declaration. If nothing declares the encoding, see [guess].
func decodeHTML(body []byte, contentType string) string {
	e, name, certain := charset.DetermineEncoding(body, contentType)
	if e := wide(body); e != nil {
		return decode(body, e, "utf-16")
	}
	if m := declaration().FindSubmatch(body[:min(len(body), 300)]); !certain && m != nil && (!utf8.Valid(body) || !strings.EqualFold(name, "utf-8")) {
		if declared, label := charset.Lookup(string(m[1])); declared != nil && !strings.HasPrefix(label, "utf-16") {
			return decode(body, declared, label)
		}
	}
	switch {
	case !certain && utf8.Valid(body) && hasUTF8(body):
		// whatever the page declares: other encodings are hardly ever valid UTF-8
		name = "utf-8"
	case !certain && name == "windows-1252":
		e, name = guess(body) // only the beginning
	}
	return decode(body, e, name)
}

// wide returns the encoding of markup in UTF-16 without a byte order mark, or nil.
func wide(body []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(body, []byte("<\x00")):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(body, []byte("\x00<")):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

const (
	// maxGuessed is how many bytes are used to guess an encoding.
	maxGuessed = 8 << 10
	// surer is how much more likely than Windows-1252 another encoding must be, and leastSure its minimum likelihood,
	// in percent.
	surer     = 10
	leastSure = 20
	// leastGuessed is how many bytes a guess needs.
	leastGuessed = 60
	// mostlyUTF8 is the result of the library if more than ten of eleven characters are UTF-8.
	mostlyUTF8 = 25
)

// guess returns the encoding that bytes look like: UTF-8, the most likely one by the frequency of characters, or
// Windows-1252. Only words that are not ASCII count, because pages in any language contain English words.
func guess(body []byte) (encoding.Encoding, string) {
	if utf8.Valid(body) {
		return encoding.Nop, "utf-8"
	}
	var sample []byte
	for word := range bytes.FieldsFuncSeq(body, func(r rune) bool { return r <= ' ' || r == '<' || r == '>' }) {
		if len(sample) > maxGuessed {
			break
		}
		if len(word) > 1 && bytes.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
			sample = append(append(sample, word[:min(len(word), maxGuessed)]...), ' ')
		}
	}
	if len(sample) < leastGuessed {
		sample = nil
	}
	// wlynxg/chardet, which is younger, takes Polish text in ISO-8859-2 for another encoding.
	// the only error is that the list is empty
	results, _ := chardet.NewTextDetector().DetectAll(sample)
	best, name := charset.Lookup("windows-1252")
	confidence := leastSure
	for _, r := range results {
		switch e, label := charset.Lookup(r.Charset); label {
		case name:
			confidence = max(confidence, r.Confidence+surer)
		case "utf-8":
			if r.Confidence >= mostlyUTF8 {
				return e, label
			}
		}
	}
	// for a stable order
	slices.SortFunc(results, func(a, b chardet.Result) int { return strings.Compare(a.Charset, b.Charset) })
	for _, r := range results {
		if e, label := charset.Lookup(r.Charset); e != nil && r.Confidence > confidence && label != "replacement" && label != "utf-8" && !strings.HasPrefix(label, "utf-16") {
			best, name, confidence = e, label, r.Confidence
		}
	}
	return best, name
}

// decodeMarkup returns HTML as [decodeHTML] does. In XHTML, any element can be closed in its own tag, such as <title/>.
// The HTML parser treats such an element as open, so decodeMarkup adds an end tag.
func decodeMarkup(s Source) string {
	text := decodeHTML(s.Body, s.ContentType)
	if mediaType, _, _ := mime.ParseMediaType(s.ContentType); mediaType != "application/xhtml+xml" && !strings.HasPrefix(strings.TrimLeft(text, " \r\n\t\ufeff"), "<?xml") {
		return text
	}
	return closed().ReplaceAllStringFunc(text, func(tag string) string {
		name := strings.Fields(tag[1 : len(tag)-2])[0]
		if void[atom.Lookup([]byte(strings.ToLower(name)))] {
			return tag
		}
		return tag[:len(tag)-2] + "></" + name + ">"
	})
}

// closed finds elements that are closed in their own tag.
var closed = pattern(`<[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/>`)

// declaration finds the encoding in the declaration of XML.
var declaration = pattern(`^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// decodeText returns a text in UTF-8. The encoding comes from a byte order mark, the charset of the Content-Type, the
// XML declaration, or else [guess].
func decodeText(body []byte, label, language string) string {
	switch {
	case bytes.HasPrefix(body, []byte{0xef, 0xbb, 0xbf}):
		return string(body[3:])
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}), bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		return decode(body, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16")
	}
	if label == "" && language == "xml" {
		if m := declaration().FindSubmatch(body[:min(len(body), 300)]); m != nil {
			label = string(m[1])
		}
	}
	if e, name := charset.Lookup(label); e != nil && (name != "utf-8" || utf8.Valid(body)) && !strings.HasPrefix(name, "utf-16") {
		return decode(body, e, name)
	}
	e, name := guess(body)
	return decode(body, e, name)
}

func decode(body []byte, e encoding.Encoding, name string) string {
	if name == "utf-8" || e == nil {
		if utf8.Valid(body) || hasUTF8(body) {
			return strings.ToValidUTF8(string(bytes.TrimPrefix(body, []byte{0xef, 0xbb, 0xbf})), "\ufffd")
		}
		e, _ = guess(body) // guess says UTF-8, but no character is UTF-8
	}
	text, err := e.NewDecoder().Bytes(body)
	// Bad bytes are no error, but a missing decoder is.
	if err != nil {
		return strings.ToValidUTF8(string(body), "\ufffd")
	}
	return string(text)
}

// hasUTF8 reports whether data contains a UTF-8 character of several bytes.
func hasUTF8(body []byte) bool {
	return bytes.ContainsFunc(body, func(r rune) bool { return r >= utf8.RuneSelf && r != utf8.RuneError })
}

// clean returns a text whose lines end with "\n", without characters that make a file binary, control a terminal or
// reorder a line.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f {
			return -1
		}
		return r
	}, text)
}

// Decode returns the text of a source in UTF-8, as it was sent. ok is false if the source is not text.
func Decode(s Source) (text string, ok bool) {
	kind, _, language := classify(s)
	switch kind {
	case HTML:
		return strings.ToValidUTF8(decodeHTML(s.Body, s.ContentType), "\ufffd"), true
	case Markdown, Text:
		_, parameters, _ := mime.ParseMediaType(s.ContentType)
		return decodeText(s.Body, parameters["charset"], language), true
	}
	return "", false
}

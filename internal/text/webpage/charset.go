package webpage

import (
	"bytes"
	"mime"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// decodeHTML returns HTML in UTF-8, decoded as browsers do: by a byte order mark, the Content-Type,
// a <meta> in the first 1024 bytes, or the declaration of XML; or by what its bytes look like.
func decodeHTML(body []byte, contentType string) string {
	e, name, certain := charset.DetermineEncoding(body, contentType)
	if m := declaration().FindSubmatch(body[:min(len(body), 300)]); !certain && m != nil && (!utf8.Valid(body) || !strings.EqualFold(name, "utf-8")) {
		if declared, label := charset.Lookup(string(m[1])); declared != nil && !strings.HasPrefix(label, "utf-16") {
			return decode(body, declared, label)
		}
	}
	if !certain && name == "windows-1252" && utf8.Valid(body) {
		name = "utf-8" // the library looks at the beginning only
	}
	return decode(body, e, name)
}

// declaration finds the encoding in the declaration of XML.
var declaration = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)
})

// decodeText returns a text in UTF-8. The encoding is that of a byte order mark, the charset of the
// Content-Type, or the declaration of XML; else it is UTF-8 if the bytes are that, or Windows-1252.
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
	if utf8.Valid(body) {
		return string(body)
	}
	e, name := charset.Lookup("windows-1252")
	return decode(body, e, name)
}

func decode(body []byte, e encoding.Encoding, name string) string {
	if name == "utf-8" || e == nil {
		if utf8.Valid(body) || hasUTF8(body) {
			return strings.ToValidUTF8(string(bytes.TrimPrefix(body, []byte{0xef, 0xbb, 0xbf})), "\ufffd")
		}
		e, _ = charset.Lookup("windows-1252") // it says UTF-8, but no character is
	}
	text, err := e.NewDecoder().Bytes(body)
	if err != nil { // it replaces what it cannot decode, so this is no error of the bytes
		return strings.ToValidUTF8(string(body), "\ufffd")
	}
	return string(text)
}

// hasUTF8 reports whether there is a character of several bytes in UTF-8.
func hasUTF8(body []byte) bool {
	for len(body) > 0 {
		r, n := utf8.DecodeRune(body)
		if r != utf8.RuneError && n > 1 {
			return true
		}
		body = body[n:]
	}
	return false
}

// clean returns a text with line ends of one character, and without the characters that make a file
// binary, act on a terminal or reorder a line.
func clean(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	bad := func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 ||
			r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f
	}
	if strings.IndexFunc(text, bad) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if bad(r) {
			return -1
		}
		return r
	}, text)
}

// Decode returns the text of a source in UTF-8, as it was sent, and false for what is no text.
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

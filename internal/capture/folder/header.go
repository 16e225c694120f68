package folder

import (
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// maxTitle is the maximum length of a title, in bytes.
const maxTitle = 1000

// headerOf returns the header of an answer. A value that front matter cannot contain is left out: without some of its
// characters, it would name another version or another page.
func headerOf(url string, response *webclient.Response) Header {
	h := Header{URL: url}
	if final := response.URL.String(); final != url {
		if h.Location = final; !plainText(final) {
			h.Location = ""
			return h // validators are useless without their URL
		}
	}
	h.ETag, h.LastModified = headerValue(response.Validators.ETag), headerValue(response.Validators.LastModified)
	return h
}

// headerValue returns a header value if front matter can contain it, or "".
func headerValue(value string) string {
	if len(value) > 1000 || !plainText(value) {
		return ""
	}
	return value
}

// titleOf returns a title without characters that front matter cannot contain.
func titleOf(title string) string {
	title = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == 0x85:
			return ' '
		case !plainRune(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(title, ""))
	for len(title) > maxTitle {
		_, size := utf8.DecodeLastRuneInString(title)
		title = title[:len(title)-size]
	}
	return strings.TrimSpace(title)
}

// plainText reports whether a text is UTF-8 that can be in a line of YAML.
func plainText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !plainRune(r) || r == utf8.RuneError })
}

// plainRune reports whether YAML allows a character in a line (YAML 1.2.2, 5.1). It allows a byte order mark only at
// the beginning.
func plainRune(r rune) bool {
	return r >= ' ' && r < 0x7f || r >= 0xa0 && r <= 0xfffd && r != 0xfeff || r >= 0x10000
}

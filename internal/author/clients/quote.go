package clients

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// quote returns text as a string that is valid in JSON (RFC 8259 section 7), TOML 1.0 (basic
// string) and YAML 1.2 (double-quoted): the three share these escapes. Unprintable characters are
// escaped up to U+FFFF; above, JSON and TOML have no common escape.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xffff || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// array returns a list of strings in the same three languages, with a separator.
func array(words []string, comma string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return "[" + strings.Join(quoted, comma) + "]"
}

// POSIX returns text as one word of a POSIX shell (XCU section 2.2). The text must not contain NUL.
func POSIX(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./@:", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// bare matches words that need no quotes in PowerShell and the Command Prompt: no numbers, which
// PowerShell may rewrite, no --, which it removes, no @, which begins a variable there.
var bare = lazyregexp.New(`^(-{0,2}[A-Za-z][A-Za-z0-9_-]*|[A-Za-z/][A-Za-z0-9_./:\\-]*)$`)

// windows returns text as one word for both PowerShell and the Command Prompt, and false if that is
// not possible. Variables and quotes have no escape that both support. PowerShell passes a word
// without spaces to a cmd script without its quotes, so characters that are special to cmd are not
// possible either.
func windows(text string) (string, bool) {
	if bare().MatchString(text) && !strings.HasSuffix(text, `\`) {
		return text, true
	}
	refused := func(r rune) bool { return strings.ContainsRune("\"%&|<>^$`“”„", r) || unicode.IsControl(r) }
	if text == "" || strings.IndexFunc(text, refused) >= 0 || strings.HasSuffix(text, `\`) { // a last backslash would escape the quote
		return "", false
	}
	return `"` + text + `"`, true
}

// Line returns a command for a shell of the system, and false if the words cannot be quoted. No
// word may contain NUL.
func Line(goos string, words ...string) (string, bool) {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = POSIX(word)
		if goos == Windows {
			var ok bool
			if quoted[i], ok = windows(word); !ok {
				return "", false
			}
		}
	}
	return strings.Join(quoted, " "), true
}

package clients

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
)

// quote is text as a string of JSON (RFC 8259 section 7), of TOML 1.0 (basic string) and of YAML 1.2 (double-quoted) at once: the
// three share these escapes. What is not printable is escaped up to U+FFFF; beyond, JSON and TOML have no escape in common.
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

// array is a list of strings in the same three languages, with this between two of them.
func array(words []string, comma string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return "[" + strings.Join(quoted, comma) + "]"
}

// POSIX is text as one word of a POSIX shell (XCU section 2.2). It must hold no NUL.
func POSIX(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./@:", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// bare are words that PowerShell and the Command Prompt take as they are: no numbers, which PowerShell may rewrite, no --,
// which it keeps for itself, no @, which begins a variable there.
var bare = regexp.MustCompile(`^(-{0,2}[A-Za-z][A-Za-z0-9_-]*|[A-Za-z/][A-Za-z0-9_./:\\-]*)$`)

// windows is text as one word for both PowerShell and the Command Prompt, and false if there is none. Variables and quotes have
// no escape that both know. PowerShell hands a word without blanks to a script of cmd without its quotes, so what cmd would
// act on there is not possible either.
func windows(text string) (string, bool) {
	if bare.MatchString(text) && !strings.HasSuffix(text, `\`) {
		return text, true
	}
	refused := func(r rune) bool { return strings.ContainsRune("\"%&|<>^$`“”„", r) || unicode.IsControl(r) }
	if text == "" || strings.IndexFunc(text, refused) >= 0 || strings.HasSuffix(text, `\`) { // a last backslash would escape the quote
		return "", false
	}
	return `"` + text + `"`, true
}

// Line is a command for a shell of the system, and false if no quotes make one of these words. No word may have a NUL.
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

// windowsJSON is a JSON document without blanks between its tokens as one word for both PowerShell and the Command Prompt. \"" is
// a quote to both: PowerShell hands over \", and to the Command Prompt the second one only begins or ends what is quoted. All
// else that either could act on becomes an escape of JSON.
func windowsJSON(document string) string {
	var b strings.Builder
	b.WriteByte('"')
	escaped := false
	for _, r := range document {
		switch {
		case escaped: // \" or \\ or the letter of another escape
			if escaped = false; r == '"' || r == '\\' {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteByte('\\')
				b.WriteRune(r)
			}
		case r == '\\':
			escaped = true
		case r == '"':
			b.WriteString(`\""`)
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./@:,{}[]", r):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

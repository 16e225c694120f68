package clients

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A Server is the server to add to a client's configuration. [Local], [Package], [Through] and [Remote] return one.
type Server struct {
	Name  string // at most 64 letters, digits, hyphens and underscores
	Title string // for people; "": Name

	Command string
	Args    []string
	Script  bool   // Command is a script of npm, which Windows can start only with cmd
	URL     string // without a program: the URL of the server, over streamable HTTP
	Headers []Header

	Dir string // the project in Args, an absolute path
	// its path below the folder that the user works in, with slashes; "": it is elsewhere
	Below   string
	Program string // the name by which others can start Command, or ""

	// the number of last arguments that are for the script and not for npx
	scriptArgs int
	sent       []field // the headers in the syntax of one client
}

// Local returns the server of a program on this machine: its absolute path, or its name if the
// client can find it.
func Local(name, program string, args ...string) Server {
	return Server{Name: name, Command: program, Args: args}
}

// Package returns the server of an npm package with one program, which npx downloads and starts. The name of the
// package may have a tag, as in @acme/docs@latest: without one, npx keeps the version that it downloaded first.
func Package(name, pkg string) Server {
	return Server{Name: name, Command: "npx", Args: []string{"-y", pkg}, Script: true}
}

// Through returns the server of a program in an npm package with arguments, which npx downloads and
// starts.
func Through(name, pkg string, args ...string) Server {
	s := Package(name, pkg)
	s.Args = append(s.Args, args...)
	s.scriptArgs = len(args)
	return s
}

// Remote returns a server that is already running.
func Remote(name, url string) Server { return Server{Name: name, URL: url} }

// words returns the program and its arguments on a system; nil for a remote server.
func (s Server) words(goos string) []string {
	switch {
	case s.URL != "":
		return nil
	case s.Script && goos == Windows:
		return append([]string{"cmd", "/c", s.Command}, s.Args...)
	}
	return append([]string{s.Command}, s.Args...)
}

// MaxName is the maximum number of characters in a name.
const MaxName = 64

var (
	// Claude Code and Codex refuse every other name.
	goodName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	// A package with the tag of a version.
	tagged = lazyregexp.New(`^(.+)@[A-Za-z][A-Za-z0-9._-]*$`)
	// The characters of RFC 3986.
	goodURL = lazyregexp.New(`^https?://[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+$`)
)

func (s Server) check() error {
	if !goodName().MatchString(s.Name) {
		return fmt.Errorf("the name %q does not suit all clients: use letters, digits, \"-\" and \"_\", at most %d, "+
			"with a letter or digit first", s.Name, MaxName)
	}
	if !utf8.ValidString(s.Title) {
		return fmt.Errorf("the title %q is not UTF-8", s.Title)
	}
	for _, h := range s.Headers {
		if err := h.check(); err != nil {
			return err
		}
	}
	if s.URL != "" {
		return checkURL(s.URL)
	}
	if len(s.Headers) > 0 {
		return errors.New("a header is for the URL of a server, not for a program")
	}
	words := s.words(Linux)
	for i, word := range words {
		switch {
		case !utf8.ValidString(word):
			return fmt.Errorf("%q is not UTF-8, so a configuration cannot contain it: rename it", word)
		case strings.ContainsRune(word, 0):
			return fmt.Errorf("%q contains a NUL, which cannot be passed to a program", word)
		case s.Script && i < len(words)-s.scriptArgs && word != "-y":
			if name := tagged().ReplaceAllString(word, "$1"); !bundle.IsPackage(name) {
				return fmt.Errorf("%q is not the name of an npm package", name)
			}
		}
	}
	if s.Command == "" || strings.HasPrefix(s.Command, "-") {
		return fmt.Errorf("the program %q looks like an option or is empty: give its absolute path", s.Command)
	}
	if slices.Contains(words, "") {
		return fmt.Errorf("an argument of %q is empty, which PowerShell would drop", s.Command)
	}
	return nil
}

// checkWindows returns an error for text that cmd would change even in quotes. Windows starts scripts
// with cmd.
func (s Server) checkWindows() error {
	for _, word := range s.Args[len(s.Args)-s.scriptArgs:] {
		if found := actedOn().FindString(word); found != "" {
			return fmt.Errorf("%q has %q in it, which cmd does not pass on to npx: rename it, or start a program with --binary", word, found)
		}
	}
	return nil
}

var actedOn = lazyregexp.New(`["%&|<>^!]|[[:cntrl:]]`)

func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || !goodURL().MatchString(text) || u.Host == "":
		return fmt.Errorf("%q is not the URL of a server: write it like https://example.com/mcp, other characters percent-encoded", text)
	case u.User != nil:
		return fmt.Errorf("the URL of %s has a user name or password in it, which would be stored readable: leave it out", u.Host)
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return fmt.Errorf("%q has a fragment, which clients do not send: remove the part from # on", text)
	}
	return nil
}

// A Header is a header field of each request to a remote server. Its value ends with an environment
// variable of the client, such as Bearer ${DOCS_TOKEN}, so no file contains the token itself.
type Header struct {
	Name     string // such as Authorization
	Prefix   string // of the value, such as "Bearer "
	Variable string // such as DOCS_TOKEN
}

// Bearer returns the header that carries a token (RFC 6750) from an environment variable.
func Bearer(variable string) Header { return Header{"Authorization", "Bearer ", variable} }

var (
	headerText = lazyregexp.New(`^([^:]*):\s*(.*?)\$\{([^}]*)\}$`)
	// RFC 9110, without characters that clients replace
	headerName     = lazyregexp.New("^[A-Za-z0-9!#&'*+.^_|~-]{1,100}$")
	headerPrefix   = lazyregexp.New(`^[A-Za-z0-9 ._~+/=:;,@-]{0,100}$`)
	headerVariable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
)

// ParseHeader reads a header such as "X-Api-Key: ${API_KEY}".
func ParseHeader(text string) (Header, error) {
	parts := headerText().FindStringSubmatch(text)
	if parts == nil {
		name, _, _ := strings.Cut(text, ":") // the rest may be a secret
		return Header{}, fmt.Errorf("the header %q must end with a variable of the environment, such as \"X-Api-Key: ${API_KEY}\": the file would contain the value itself", name)
	}
	h := Header{strings.TrimSpace(parts[1]), parts[2], parts[3]}
	return h, h.check()
}

func (h Header) check() error {
	switch {
	case !headerName().MatchString(h.Name):
		return fmt.Errorf("%q is not the name of a header", h.Name)
	case !headerPrefix().MatchString(h.Prefix):
		return fmt.Errorf("the header %s has characters before the variable that not all clients keep: use letters, digits, spaces and . _ ~ + / = : ; , @ -", h.Name)
	case !headerVariable().MatchString(h.Variable):
		return fmt.Errorf("%q is not the name of an environment variable", h.Variable)
	}
	return nil
}

// The forms in which clients name an environment variable.
func braced(name string) string    { return "${" + name + "}" }
func bracedEnv(name string) string { return "${env:" + name + "}" }

// sent returns headers as the client writes them into its file. If the client replaces no variables,
// the user puts the value in their place.
func (c Client) sent(headers []Header) []field {
	var sent []field
	for _, h := range headers {
		value := "<" + h.Variable + ">"
		if c.variable != nil {
			value = c.variable(h.Variable)
		}
		sent = append(sent, text(h.Name, h.Prefix+value))
	}
	return sent
}

// tokenAdvice says how the client gets the values of headers.
func (c Client) tokenAdvice(headers []Header) string {
	names, marks := make([]string, len(headers)), make([]string, len(headers))
	for i, h := range headers {
		names[i], marks[i] = h.Variable, "<"+h.Variable+">"
	}
	switch {
	case c.variable == nil:
		return fmt.Sprintf("%s replaces no variables: write the value itself in place of %s, and share the file with nobody.",
			c.Title, strings.Join(marks, " and "))
	case c.asks:
		return fmt.Sprintf("%s asks for %s when it connects, and stores the answer safely.", c.Title, strings.Join(names, " and "))
	}
	return fmt.Sprintf("%s takes the value from its environment: set %s before you start it.", c.Title, strings.Join(names, " and "))
}

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

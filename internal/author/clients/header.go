package clients

import (
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

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
	headerText     = lazyregexp.New(`^([^:]*):\s*(.*?)\$\{([^}]*)\}$`)
	headerName     = lazyregexp.New("^[A-Za-z0-9!#&'*+.^_|~-]{1,100}$") // RFC 9110, without characters that clients replace
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
		f := field{key: h.Name, value: quote(h.Prefix + "<" + h.Variable + ">")}
		if c.variable != nil {
			f.value = quote(h.Prefix + c.variable(h.Variable))
		}
		sent = append(sent, f)
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

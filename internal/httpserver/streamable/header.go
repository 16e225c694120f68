package streamable

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// checkHeaders compares the headers of a call of 2026-07-28 with its body (MCP 2026-07-28,
// "Transports", Standard Request Headers; SEP-2243). It returns nil if they agree.
func checkHeaders(r *http.Request, m protocol.Message) *protocol.Error {
	mismatch := func(format string, args ...any) *protocol.Error {
		return &protocol.Error{Code: protocol.CodeHeaderMismatch, Message: "header mismatch: " + fmt.Sprintf(format, args...)}
	}
	named, inBody := versionOf(r), protocol.MetaProtocolVersion(m.Params)
	switch {
	case named == "":
		return mismatch("MCP-Protocol-Version is missing")
	case inBody == "":
		return &protocol.Error{Code: protocol.CodeInvalidParams, Message: fmt.Sprintf("missing or invalid _meta field %q", protocol.MetaVersion)}
	case named != inBody:
		return mismatch("MCP-Protocol-Version is %s, the body has %s", protocol.Shown(named), protocol.Shown(inBody))
	}
	if method := r.Header.Get("Mcp-Method"); method != m.Method || len(r.Header["Mcp-Method"]) > 1 {
		if method == "" {
			return mismatch("Mcp-Method is missing")
		}
		return mismatch("Mcp-Method is %s, the body has %s", protocol.Shown(method), protocol.Shown(m.Method))
	}
	member, has := nameMembers[m.Method]
	if !has {
		return nil
	}
	values := r.Header.Values("Mcp-Name")
	if len(values) == 0 {
		return mismatch("Mcp-Name is missing, which %s has", m.Method)
	}
	name, ok := decodeHeader(values[0])
	if !ok {
		return mismatch("Mcp-Name is not valid base64")
	}
	if wanted, ok := memberOf(m.Params, member); !ok || wanted != name || len(values) > 1 {
		return mismatch("Mcp-Name is %s, the body has %s", protocol.Shown(name), protocol.Shown(wanted))
	}
	return nil
}

// nameMembers are the parameters that Mcp-Name repeats, by method.
var nameMembers = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

// decodeHeader decodes a header value that may be in base64: =?base64?…?=.
func decodeHeader(value string) (string, bool) {
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value, true
	}
	if encoded, ok = strings.CutSuffix(encoded, "?="); !ok {
		return value, true
	}
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	return string(decoded), err == nil
}

// memberOf returns a string parameter.
func memberOf(params []byte, member string) (value string, ok bool) {
	jsonwire.Members(params, func(key string, val []byte) {
		if key == member {
			value, ok = jsonwire.Unquote(val)
		}
	})
	return value, ok
}

// subjectOf returns the subject of a call: the URI of a resource, or the name of a tool or prompt.
func subjectOf(m protocol.Message) string {
	uri, _ := memberOf(m.Params, "uri")
	name, _ := memberOf(m.Params, "name")
	return cmp.Or(uri, name)
}

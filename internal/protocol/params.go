package protocol

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/segmentio/encoding/json"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Decode decodes the parameters of a call into v, a pointer to a struct, as the SDK does: member
// names match exactly. Parameters that are absent leave v as it is.
func Decode(params []byte, v any) error {
	if len(params) == 0 {
		return nil
	}
	// encoding/json would accept "URI" for "uri", so this uses the SDK's package.
	_, err := json.Parse(params, v, json.DontMatchCaseInsensitiveStructFields)
	if err != nil {
		_, again := json.Parse(withoutEmpty(params), v, json.DontMatchCaseInsensitiveStructFields)
		if again == nil {
			return nil
		}
		// The message has names of Go types and the input after the value.
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			if wrong.Field == "" {
				return InvalidParams("invalid params: they have the wrong type")
			}
			return InvalidParams("invalid params: %s has the wrong type", wrong.Field)
		}
		return InvalidParams("invalid params: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// emptyLists matches empty lists of JSON, and strings, in which they mean nothing.
var emptyLists = lazyregexp.New(`"(?:[^"\\]|\\.)*"|\[\s*\]`)

// withoutEmpty returns JSON with null for each empty list: clients in PHP write an empty object as one. Their parameters are short,
// and longer ones stay as they are.
func withoutEmpty(params []byte) []byte {
	if len(params) > 1<<20 {
		return params
	}
	return emptyLists().ReplaceAllFunc(params, func(m []byte) []byte {
		if m[0] == '[' {
			return []byte("null")
		}
		return m
	})
}

// EraOf returns the era of a call. The error says that MCP does not allow the _meta of the call.
func EraOf(c *Call) (Era, error) {
	m, ok := metaOf(c.Params)
	if !ok {
		return Handshake, InvalidParams("_meta must be an object")
	}
	if m.version < FirstStateless {
		return Handshake, nil
	}
	if m.info != nil && Decode(m.info, &mcp.Implementation{}) != nil {
		return Stateless, InvalidParams("invalid _meta field %q", MetaClientInfo)
	}
	if m.capabilities == nil || Decode(m.capabilities, &mcp.ClientCapabilities{}) != nil {
		return Stateless, InvalidParams("missing or invalid _meta field %q", MetaCapabilities)
	}
	if m.version != FirstStateless {
		return Stateless, UnsupportedVersion(m.version, c.Oldest)
	}
	return Stateless, nil
}

// MetaProtocolVersion returns the protocol version in the _meta of parameters, or "".
func MetaProtocolVersion(params []byte) string {
	m, _ := metaOf(params)
	return m.version
}

// ProgressToken returns the JSON of the progressToken in the _meta of parameters, a string or an
// integer (MCP, "Progress"), or nil.
func ProgressToken(params []byte) (token []byte) {
	m, _ := metaOf(params)
	return m.token
}

// maxToken is the maximum length of a progress token, which each notification repeats.
const maxToken = 1 << 10

// A meta has the members of _meta that the server uses, as JSON.
type meta struct {
	version                   string // decoded
	info, capabilities, token []byte
}

// metaOf returns the _meta of parameters. ok is false if it is not an object. If members have the same name, the last one
// counts, as in the SDK.
func metaOf(params []byte) (m meta, ok bool) {
	ok = true
	jsonwire.Members(params, func(key string, val []byte) {
		if key != "_meta" {
			return
		}
		if val[0] != '{' {
			ok = ok && (string(val) == "null" || string(withoutEmpty(val)) == "null")
			return
		}
		jsonwire.Members(val, func(key string, val []byte) {
			switch key {
			case MetaVersion:
				m.version, _ = jsonwire.Unquote(val)
			case MetaClientInfo:
				m.info = val
			case MetaCapabilities:
				m.capabilities = val
			case "progressToken":
				if key, echo := readID(val); key != "" && len(echo) <= maxToken {
					m.token = echo
				}
			}
		})
	})
	return m, ok
}

// A CursorKind is the kind of a list that comes in pages.
//
// A cursor holds the key of the last item of a page, so it stays valid when items are added or
// removed, after a restart, and on another server of the same files. It starts with the kind of the
// list and a checksum, so that the server recognises a cursor that a client invented or took from
// another list.
type CursorKind byte

const (
	ResourceCursor CursorKind = 'r' // key: canonical URI
	TemplateCursor CursorKind = 't' // key: position of the next template
	SkillCursor    CursorKind = 's' // key: canonical URI of the SKILL.md
	// DirectoryCursor has as its key the URI of the folder, a line end, "d" for a folder or "f" for
	// a file, and the name.
	DirectoryCursor CursorKind = 'd'
)

// NewCursor returns the cursor of the page after a key.
func NewCursor(kind CursorKind, key string) string {
	b := append([]byte{byte(kind)}, key...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor returns the key of a cursor. It returns false if the cursor is not valid for this
// kind.
func ParseCursor(kind CursorKind, cursor string) (key string, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || strings.ContainsAny(cursor, "\r\n") || len(b) < 5 || b[0] != byte(kind) {
		return "", false
	}
	b, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	return string(b[1:]), crc32.ChecksumIEEE(b) == sum
}

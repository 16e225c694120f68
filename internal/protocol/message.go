package protocol

import (
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// ByteOrderMark may stand before a message. It does not belong to it.
var ByteOrderMark = []byte("\ufeff")

// A Message is one JSON value of the input: a call, a notification, a response or a fault. This
// program never sends requests to clients, so responses are ignored.
type Message struct {
	Method   string
	Params   []byte // JSON; nil: none
	ID       []byte // id of a call or a fault, as the client wrote it; nil: none
	Key      string // for a call: the same string for equal ids; "" for everything else
	Response bool
	Fault    string // why the message is invalid, for an answer with -32600
}

// IsCall reports whether the message is a request that gets an answer.
func (m Message) IsCall() bool { return m.Key != "" }

// SyntaxFault returns why data is not one JSON value in UTF-8, or "".
func SyntaxFault(data []byte) string {
	if !utf8.Valid(data) {
		return "parse error: not UTF-8"
	}
	var v json.RawMessage
	if err := json.Unmarshal(data, &v); err != nil {
		return "parse error: " + err.Error()
	}
	return ""
}

// ReadMessage reads one valid JSON value as a message. The message refers to data.
func ReadMessage(data []byte) Message {
	if data[jsonwire.Space(data, 0)] != '{' {
		return Message{Fault: "invalid request: not an object"}
	}
	var m Message
	var version, id, method []byte
	answers := false
	jsonwire.Members(data, func(key string, val []byte) {
		switch key {
		case "jsonrpc":
			version = val
		case "id":
			id = val
		case "method":
			method = val
		case "params":
			m.Params = val
		case "result", "error":
			answers = true
		}
	})
	if method == nil && answers {
		return Message{Response: true}
	}
	known := string(version) == `"2.0"`
	if !known {
		v, _ := jsonwire.Unquote(version)
		known = v == "2.0"
	}
	var isText bool
	m.Method, isText = jsonwire.Unquote(method)
	m.Key, m.ID = readID(id)
	switch {
	case !known:
		m.Fault = `invalid request: "jsonrpc" is not "2.0"`
	case method == nil:
		m.Fault = `invalid request: no "method"`
	case !isText:
		m.Fault = `invalid request: "method" is not a string`
	case id != nil && m.Key == "":
		m.Fault = `invalid request: "id" is neither a string nor an integer`
	}
	return m
}

// readID reads the JSON value of an id. It returns the text to echo if the id is a string or a
// finite number, and a key if MCP allows the id: a string or an integer.
func readID(raw []byte) (key string, echo []byte) {
	if len(raw) == 0 {
		return "", nil
	}
	switch raw[0] {
	case '"':
		if s, ok := jsonwire.Unquote(raw); ok {
			return `"` + s, raw
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		f, err := strconv.ParseFloat(string(raw), 64)
		switch {
		case err != nil:
		case f != math.Trunc(f) || math.Abs(f) >= 1<<63:
			return "", raw
		default:
			return strconv.FormatInt(int64(f), 10), raw
		}
	}
	return "", nil
}

// cancelledKey returns the key of the call that the params of notifications/cancelled name, or "".
func cancelledKey(params []byte) (key string) {
	jsonwire.Members(params, func(name string, val []byte) {
		if name == "requestId" {
			key, _ = readID(val)
		}
	})
	return key
}

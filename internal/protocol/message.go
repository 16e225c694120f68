package protocol

import (
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A Message is what one JSON value of the input is: a request or a response, or
// a fault to be answered with -32600, or nothing of the three for a response
// that cannot be read.
type Message struct {
	Request  *jsonrpc.Request
	Response *jsonrpc.Response
	Fault    string

	ID   []byte // of a call or a fault, as the client wrote it; nil if there is none
	Size int    // bytes
}

// SyntaxFault says why data is not one JSON value in UTF-8, or nothing.
func SyntaxFault(data []byte) string {
	if !utf8.Valid(data) {
		return "parse error: not UTF-8"
	}
	if jsonwire.Valid(data) {
		return ""
	}
	var v json.RawMessage
	if err := json.Unmarshal(data, &v); err != nil {
		return "parse error: " + err.Error()
	}
	return "parse error"
}

// ReadMessage reads one entry, a valid JSON value, as a message. What it returns
// refers to data.
func ReadMessage(data []byte) Message {
	m := Message{Size: len(data)}
	start := jsonwire.Space(data, 0)
	if data[start] != '{' {
		m.Fault = "invalid request: not an object"
		return m
	}
	var version, id, method, params, result, failure []byte
	jsonwire.Members(data, func(key string, val []byte) {
		switch key {
		case "jsonrpc":
			version = val
		case "id":
			id = val
		case "method":
			method = val
		case "params":
			params = val
		case "result":
			result = val
		case "error":
			failure = val
		}
	})
	key, echo, idOK := readID(id)
	known := string(version) == `"2.0"`
	if !known {
		v, _ := jsonwire.Unquote(version)
		known = v == "2.0"
	}
	if method == nil && (result != nil || failure != nil) {
		if known && idOK {
			m.Response = &jsonrpc.Response{ID: key, Result: result, Error: readError(failure)}
		}
		return m
	}
	name, isText := jsonwire.Unquote(method)
	m.ID = echo
	switch {
	case !known:
		m.Fault = `invalid request: "jsonrpc" is not "2.0"`
	case method == nil:
		m.Fault = `invalid request: no "method"`
	case !isText:
		m.Fault = `invalid request: "method" is not a string`
	case id != nil && !idOK:
		m.Fault = `invalid request: "id" is neither a string nor an integer`
	default:
		m.Request = &jsonrpc.Request{ID: key, Method: name, Params: params}
	}
	return m
}

// readID reads the JSON value of an id. Its text is echoed if it is a string or
// a finite number; it is an id of MCP if it is a string or an integer that the
// SDK can hold.
func readID(raw []byte) (id jsonrpc.ID, echo []byte, ok bool) {
	if len(raw) == 0 {
		return id, nil, false
	}
	var v any
	switch raw[0] {
	case '"':
		s, ok := jsonwire.Unquote(raw)
		if !ok {
			return id, nil, false
		}
		v = s
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			return id, nil, false
		}
		if f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
			return id, raw, false
		}
		v = f
	default:
		return id, nil, false
	}
	id, err := jsonrpc.MakeID(v)
	return id, raw, err == nil
}

// readError reads the error member of a response. A malformed one is an error
// too: the call that waits for it must end.
func readError(raw []byte) error {
	if raw == nil || string(raw) == "null" {
		return nil
	}
	e := new(jsonrpc.Error)
	if err := json.Unmarshal(raw, e); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "malformed error in response"}
	}
	return e
}

// IsCancellation reports whether req is the notification.
func IsCancellation(req *jsonrpc.Request) bool {
	return req.Method == MethodCancelled && !req.IsCall()
}

// CancelledID returns the id that the params of notifications/cancelled name.
func CancelledID(params []byte) (jsonrpc.ID, bool) {
	var id jsonrpc.ID
	var ok bool
	if start := jsonwire.Space(params, 0); start < len(params) && params[start] == '{' {
		jsonwire.Members(params, func(key string, val []byte) {
			if key == "requestId" {
				id, _, ok = readID(val)
			}
		})
	}
	return id, ok
}

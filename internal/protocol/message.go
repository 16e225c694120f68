package protocol

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
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

const (
	// maxBatch is how many entries a batch may have. An entry of two bytes can cost an answer of a
	// hundred bytes.
	maxBatch = 1000
	// fullBatch is how many bytes of answers a batch has at most before its last call is made.
	fullBatch = 1 << 20
)

// ReadBatch returns the messages of an array (JSON-RPC 2.0, section 6). Only versions before
// [NoBatches] have batches.
func ReadBatch(data []byte, version string) ([]Message, *Error) {
	entries := jsonwire.Entries(data, maxBatch+1)
	switch {
	case version >= NoBatches:
		return nil, InvalidRequest("invalid request: JSON-RPC batches were removed in protocol version %s", NoBatches)
	case len(entries) == 0:
		return nil, InvalidRequest("invalid request: an empty batch")
	case len(entries) > maxBatch:
		return nil, InvalidRequest("invalid request: more than %d entries in one batch", maxBatch)
	}
	messages := make([]Message, len(entries))
	for i, entry := range entries {
		messages[i] = ReadMessage(entry)
		switch m := &messages[i]; {
		case m.Fault != "":
		case m.Method == MethodInitialize:
			m.Fault = "invalid request: initialize in a batch"
		case MetaProtocolVersion(m.Params) >= NoBatches:
			m.Fault = "invalid request: JSON-RPC batches were removed in protocol version " + NoBatches
		}
	}
	return messages, nil
}

// AnswerBatch answers the messages of a batch one after the other, and writes the array of answers,
// or nothing if there are none. ask answers a call; for a notification, it returns nil. After an
// error, the array is incomplete.
func AnswerBatch(w *jsonwire.Writer, messages []Message, ask func(Message) (Result, error)) error {
	start := w.Written()
	begin := "["
	for _, m := range messages {
		var result Result
		var err error
		switch {
		case m.Response:
		case m.Fault != "":
			err = InvalidRequest("%s", m.Fault)
		case m.IsCall() && w.Written()-start > fullBatch:
			err = InternalError("the results of this batch are too large together; ask for this one alone")
		default:
			result, err = ask(m)
		}
		if result == nil && err == nil {
			continue
		}
		w.RawString(begin)
		begin = ","
		if err != nil {
			w.Raw(ErrorFrame(m.ID, WireError(err)))
			continue
		}
		_, err = WriteResult(w, m.ID, result)
		result.Release()
		if err != nil {
			return err
		}
	}
	if begin == "," {
		w.RawString("]")
	}
	return w.Err()
}

// ErrorFrame returns the error response to a call. id is as the client wrote it; nil becomes null.
func ErrorFrame(id []byte, e *Error) []byte {
	encoded, err := jsonwire.Encode(e)
	if err != nil {
		// The data cannot be encoded as JSON; code and message always can.
		encoded, _ = jsonwire.Encode(&Error{Code: e.Code, Message: e.Message})
	}
	if id == nil {
		id = []byte("null")
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"error":`), encoded, []byte("}"))
}

// WriteResult writes the response to the call with this id. If the result fails with an [*Error]
// before any byte has gone out, WriteResult writes that error as the response and returns it as
// failed. After any other error the frame is incomplete.
func WriteResult(w *jsonwire.Writer, id []byte, result Result) (failed, err error) {
	start := w.Written()
	w.RawString(`{"jsonrpc":"2.0","id":`)
	w.Raw(id)
	w.RawString(`,"result":`)
	if err = result.WriteJSON(w); err == nil {
		w.RawString("}")
		return nil, nil
	}
	rpc, ok := errors.AsType[*Error](err)
	if !ok || !w.Cut(start) {
		return nil, err
	}
	w.Raw(ErrorFrame(id, WireError(rpc)))
	return rpc, nil
}

// maxMessage is the maximum length of an error message in bytes.
const maxMessage = 4 << 10

// WireError returns the error object for an error that a handler returned. It has the code of the
// [Error] in the chain of err, or else the code of an internal error, and the message of the whole
// chain.
func WireError(err error) *Error {
	e := &Error{Message: err.Error()}
	if len(e.Message) > maxMessage {
		e.Message = strings.ToValidUTF8(e.Message[:maxMessage], "") + "…"
	}
	if inner, ok := errors.AsType[*Error](err); ok {
		e.Code = inner.Code
		if error(inner) == err {
			e.Data = inner.Data
		}
	}
	e.Code = cmp.Or(e.Code, CodeInternalError)
	return e
}

// Calls are the calls of a session that are in flight, by the keys of their ids. The zero value has none.
type Calls struct {
	mu    sync.Mutex // guards byKey
	byKey map[string]*running
}

type running struct {
	fixed bool // it cannot be cancelled
	end   context.CancelFunc
}

// Begin registers a call. ctx ends with the call's cancellation. finish ends the registration, and reports whether it was there until
// then: a call that was cancelled has no answer. Begin fails if the id is in use.
func (c *Calls) Begin(parent context.Context, m Message) (ctx context.Context, end context.CancelFunc, finish func() bool, fault *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[m.Key] != nil {
		return nil, nil, nil, InvalidRequest("invalid request: id %s is in use by a call in flight", m.ID)
	}
	if c.byKey == nil {
		c.byKey = make(map[string]*running)
	}
	ctx, end = context.WithCancel(parent)
	call := &running{m.Method == MethodInitialize, end} // MCP, "Cancellation"
	c.byKey[m.Key] = call
	return ctx, end, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		had := c.byKey[m.Key] == call
		if had {
			delete(c.byKey, m.Key)
		}
		return had
	}, nil
}

// Cancel ends the call that the params of notifications/cancelled name (MCP, "Cancellation"), if it is here.
func (c *Calls) Cancel(params []byte) {
	key := ""
	jsonwire.Members(params, func(name string, val []byte) {
		if name == "requestId" {
			key, _ = readID(val)
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.byKey[key]; call != nil && !call.fixed {
		delete(c.byKey, key)
		call.end()
	}
}

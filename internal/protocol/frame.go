package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A Frame is one JSON value in pieces, without the newline after it.
type Frame [][]byte

// Size returns the number of bytes.
func (f Frame) Size() int {
	n := 0
	for _, part := range f {
		n += len(part)
	}
	return n
}

// ResultFrame answers the call with that id, as the client wrote it, with an
// encoded result. A result that is not JSON becomes an error: its bytes would
// cost the client the session.
func ResultFrame(id []byte, result json.RawMessage) Frame {
	if !jsonwire.Valid(result) {
		return ErrorFrame(id, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the result could not be encoded"})
	}
	if bytes.IndexByte(result, '\n') >= 0 || bytes.IndexByte(result, '\r') >= 0 {
		var flat bytes.Buffer
		_ = json.Compact(&flat, result) // fails for invalid JSON only
		result = flat.Bytes()
	}
	return Frame{Head(id, "result"), result, []byte("}")}
}

// ErrorFrame answers the call with that id, null if nil.
func ErrorFrame(id []byte, e *jsonrpc.Error) Frame {
	encoded, err := jsonwire.Encode(e)
	if err != nil {
		// The data is not JSON; the rest always is.
		encoded, _ = jsonwire.Encode(&jsonrpc.Error{Code: e.Code, Message: e.Message})
	}
	return Frame{Head(id, "error"), encoded, []byte("}")}
}

// WriteResult answers the call with that id with a result. If the result fails with a
// [*jsonrpc.Error] before anything of the answer has gone out, that becomes the answer and is
// returned as failed. Another error leaves the frame cut.
func WriteResult(w *jsonwire.Writer, id []byte, result Result) (failed *jsonrpc.Error, err error) {
	start := w.Written()
	if id == nil {
		id = null
	}
	w.RawString(`{"jsonrpc":"2.0","id":`)
	w.Raw(id)
	w.RawString(`,"result":`)
	if err = result.WriteJSON(w); err == nil {
		w.RawString("}")
		return nil, nil
	}
	failed, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || !w.Cut(start) {
		return nil, err
	}
	for _, part := range ErrorFrame(id, WireError(failed)) {
		w.Raw(part)
	}
	return failed, nil
}

var null = []byte("null")

// Head is the start of an answer up to the value of its member "result" or "error".
func Head(id []byte, member string) []byte {
	if id == nil {
		id = null
	}
	b := append(make([]byte, 0, 40+len(id)), `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	return append(append(append(b, `,"`...), member...), `":`...)
}

// maxMessage is how long the message of an error may be. The SDK's repeat what
// the client sent, however large.
const maxMessage = 4 << 10

func cutMessage(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + "…"
}

// WireError is the error object for what a handler returned: the code of the
// [jsonrpc.Error] in its chain and the message of the whole. The SDK gives
// everything else code 0, which JSON-RPC 2.0 section 5.1 does not know.
func WireError(err error) *jsonrpc.Error {
	var inner *jsonrpc.Error
	e := &jsonrpc.Error{Message: cutMessage(err.Error())}
	if errors.As(err, &inner) {
		e.Code = inner.Code
		if error(inner) == err {
			e.Data = inner.Data
		}
	}
	if e.Code != 0 {
		return e
	}
	e.Code = jsonrpc.CodeInternalError
	// What the SDK says, as a plain error, to a call before initialize.
	if strings.HasPrefix(e.Message, `method "`) && strings.HasSuffix(e.Message, `" is invalid during session initialization`) {
		e.Code = jsonrpc.CodeInvalidRequest
	}
	return e
}

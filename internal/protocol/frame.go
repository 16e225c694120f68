package protocol

import (
	"errors"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// ErrorFrame is the answer to the call with that id, as the client wrote it, null if nil.
func ErrorFrame(id []byte, e *Error) []byte {
	encoded, err := jsonwire.Encode(e)
	if err != nil {
		// The data is not JSON; the rest always is.
		encoded, _ = jsonwire.Encode(&Error{Code: e.Code, Message: e.Message})
	}
	if id == nil {
		id = []byte("null")
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"error":`), encoded, []byte("}"))
}

// WriteResult answers the call with that id with a result. If the result fails with an [*Error]
// before anything of the answer has gone out, that becomes the answer and is
// returned as failed. Another error leaves the frame cut.
func WriteResult(w *jsonwire.Writer, id []byte, result Result) (failed *Error, err error) {
	start := w.Written()
	w.RawString(`{"jsonrpc":"2.0","id":`)
	w.Raw(id)
	w.RawString(`,"result":`)
	if err = result.WriteJSON(w); err == nil {
		w.RawString("}")
		return nil, nil
	}
	failed, ok := errors.AsType[*Error](err)
	if !ok || !w.Cut(start) {
		return nil, err
	}
	w.Raw(ErrorFrame(id, WireError(failed)))
	return failed, nil
}

// maxMessage is how long the message of an error may be.
const maxMessage = 4 << 10

// WireError is the error object for what a handler returned: the code of the [Error] in its chain
// and the message of the whole. Without a code it is an internal error.
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
	if e.Code == 0 {
		e.Code = CodeInternalError
	}
	return e
}

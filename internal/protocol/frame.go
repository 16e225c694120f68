package protocol

import (
	"errors"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

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
	if e.Code == 0 {
		e.Code = CodeInternalError
	}
	return e
}

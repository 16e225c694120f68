package protocol

import "github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"

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
			err = &Error{Code: CodeInternalError, Message: "the results of this batch are too large together; ask for this one alone"}
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

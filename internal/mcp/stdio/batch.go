package stdio

import (
	"bytes"
	"errors"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

const (
	// maxBatch is how many entries a batch may have. An entry of two bytes can cost an answer of a
	// hundred bytes.
	maxBatch = 1000

	// maxBatchBytes is how many bytes the results in the answer to a batch may have together: the
	// official TypeScript client accepts no longer line.
	maxBatchBytes = 10 << 20
)

// An entry is a place in the array of answers: a call, or the error for an entry that is not a
// call.
type entry struct {
	call  *call
	id    []byte
	fault *protocol.Error
}

// acceptBatch accepts an array. A mistake in an entry is answered in its place in the batch. A
// mistake in the array is answered alone.
func (s *session) acceptBatch(data []byte) {
	removed := protocol.InvalidRequest("invalid request: JSON-RPC batches were removed in protocol version %s", protocol.NoBatches)
	if s.negotiated() >= protocol.NoBatches {
		s.refuse(nil, removed)
		return
	}
	list := jsonwire.Entries(data, maxBatch+1)
	switch {
	case len(list) == 0:
		s.refuse(nil, protocol.InvalidRequest("invalid request: an empty batch"))
		return
	case len(list) > maxBatch:
		s.refuse(nil, protocol.InvalidRequest("invalid request: more than %d entries in one batch", maxBatch))
		return
	}
	messages := make([]protocol.Message, len(list))
	for i, entry := range list {
		messages[i] = protocol.ReadMessage(entry)
		if messages[i].Fault == "" && protocol.MetaProtocolVersion(messages[i].Params) >= protocol.NoBatches {
			s.refuse(nil, removed)
			return
		}
	}
	var entries []entry
	for _, m := range messages {
		e := entry{id: m.ID}
		switch {
		case m.Response:
			continue
		case m.Fault != "":
			e.fault = protocol.InvalidRequest("%s", m.Fault)
		case !m.IsCall():
			s.notice(m)
			continue
		case m.Method == protocol.MethodInitialize:
			e.fault = protocol.InvalidRequest("invalid request: initialize in a batch")
		default:
			e.call, e.fault = s.enter(m)
		}
		entries = append(entries, e)
	}
	if entries != nil {
		begun := s.begun
		s.start(len(data), func() { s.answerBatch(entries, begun) })
	}
}

// answerBatch answers the calls of a batch one after the other, and then writes the array.
func (s *session) answerBatch(entries []entry, begun <-chan struct{}) {
	if !after(s.ctx, begun) || s.batching.Acquire(s.ctx, 1) != nil {
		return
	}
	defer s.batching.Release(1)
	if s.running.Acquire(s.ctx, 1) != nil {
		return
	}
	defer s.running.Release(1)
	var array buffer
	json := jsonwire.NewWriter(&array)
	for _, e := range entries {
		if e.call != nil {
			s.answerEntry(e.call, json, &array)
		} else {
			array.add(protocol.ErrorFrame(e.id, e.fault))
		}
	}
	_ = s.write(s.ctx, func(json *jsonwire.Writer) error {
		if array.parts == nil {
			return errNoFrame
		}
		array.parts[0][0] = '[' // replaces the first comma
		for _, part := range array.parts {
			json.Raw(part)
		}
		json.RawString("]")
		return nil
	})
}

// answerEntry adds the answer to a call to the array, unless the call is cancelled. json writes to
// the array.
func (s *session) answerEntry(c *call, json *jsonwire.Writer, array *buffer) {
	defer c.end()
	if c.ctx.Err() != nil {
		return
	}
	result, err := s.ask(c)
	if result != nil {
		defer result.Release()
	}
	if !s.finish(c) {
		return
	}
	if err != nil {
		array.add(protocol.ErrorFrame(c.ID, protocol.WireError(err)))
		return
	}
	before := *array
	json.Reset(array)
	json.RawString(",")
	_, err = protocol.WriteResult(json, c.ID, result)
	switch full := json.Flush(); {
	case full != nil:
		*array = before
		array.add(protocol.ErrorFrame(c.ID, &protocol.Error{
			Code:    protocol.CodeInternalError,
			Message: "the results of this batch have more than 10 MiB together; ask for this one alone",
		}))
	case err != nil:
		s.end(err) // an incomplete answer to a single call ends the session too
	}
}

// A buffer holds the answers of a batch, each after a comma, in the parts in which they were
// written: a single slice would be copied while it grows.
type buffer struct {
	parts [][]byte
	size  int
}

var errFull = errors.New("the buffer is full")

// Write returns an error when the results have more bytes than a batch may have.
func (b *buffer) Write(p []byte) (int, error) {
	if b.size+len(p) > maxBatchBytes {
		return 0, errFull
	}
	b.parts = append(b.parts, bytes.Clone(p))
	b.size += len(p)
	return len(p), nil
}

// add adds an error. Errors do not count towards the limit.
func (b *buffer) add(frame []byte) {
	b.parts = append(b.parts, append([]byte(","), frame...))
	b.size += len(frame) + 1
}

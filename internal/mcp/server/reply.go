package server

import (
	"strconv"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A reply is a result that is written without reflection: first the members that every result has,
// then the members of its body.
type reply struct {
	protocol.Outcome
	serverInfo []byte // JSON; nil if the result does not name the server
	meta       []byte // further members of _meta, JSON with a comma after each
	body       body
	agreed     string // the version that initialize agrees on

	// ttl returns how long a client may keep the result; nil: as Freshness says. It is called when
	// the result is about to be written, so that no notification of a change can have been written
	// before.
	ttl func() time.Duration

	written  int64
	err      error
	panicked func(p any) error // logs a panic of the body, and returns the error for the client
	released func(bytes int64, err error)
}

// A body is the members of a result.
type body interface {
	// WriteJSON writes the members with commas between them. It is called at most once. After an
	// error, the output is incomplete.
	WriteJSON(w *jsonwire.Writer) error
	// Release returns the memory of the body.
	Release()
}

// WriteJSON writes the result.
func (r *reply) WriteJSON(w *jsonwire.Writer) (err error) {
	before := w.Written()
	defer func() {
		if p := recover(); p != nil {
			err = r.panicked(p)
		}
		r.written, r.err = w.Written()-before, err
	}()
	w.RawString("{")
	comma := ""
	if r.serverInfo != nil {
		w.RawString(`"_meta":{`)
		w.Raw(r.meta)
		w.RawString(`"` + protocol.MetaServerInfo + `":`)
		w.Raw(r.serverInfo)
		w.RawString("}")
		comma = ","
	}
	if r.ResultType != "" {
		w.RawString(comma + `"resultType":"` + r.ResultType + `"`)
		comma = ","
	}
	if r.Freshness != nil {
		if r.ttl != nil {
			r.TTLMs = int(r.ttl().Milliseconds())
		}
		w.RawString(comma + `"ttlMs":` + strconv.Itoa(r.TTLMs) + `,"cacheScope":"` + r.CacheScope + `"`)
		comma = ","
	}
	if r.body != nil {
		w.RawString(comma)
		if err := r.body.WriteJSON(w); err != nil {
			return err
		}
	}
	w.RawString("}")
	return nil
}

// Failed reports whether a tool failed, see [protocol.Failed].
func (r *reply) Failed() bool {
	out, ok := r.body.(*tools.Output)
	return ok && out.Failed()
}

// Agreed returns the version that initialize agrees on, see [protocol.Agreed].
func (r *reply) Agreed() string { return r.agreed }

// Release returns the memory of the result.
func (r *reply) Release() {
	defer func() {
		if p := recover(); p != nil {
			_ = r.panicked(p) // the client has its answer
		}
		r.released(r.written, r.err)
	}()
	if r.body != nil {
		r.body.Release()
	}
}

// empty returns a result without members.
func empty() *reply { return &reply{} }

// outcomeOf returns the common members of a result that clients must not keep.
func outcomeOf(e protocol.Era) protocol.Outcome {
	if e == protocol.Handshake {
		return protocol.Outcome{}
	}
	return protocol.Outcome{ResultType: "complete"}
}

// cacheable returns the common members of a result that clients may keep for a time.
func cacheable(e protocol.Era, ttl time.Duration) protocol.Outcome {
	o := outcomeOf(e)
	if e == protocol.Stateless {
		o.Freshness = &protocol.Freshness{TTLMs: int(ttl.Milliseconds()), CacheScope: "private"}
	}
	return o
}

// encoded returns a reply with the members of a struct, which must have at least one.
func encoded(o protocol.Outcome, v any) (*reply, error) {
	b, err := encode(v)
	if err != nil {
		return nil, err
	}
	return &reply{Outcome: o, body: b}, nil
}

// encode returns a body with the members of a struct, which must have at least one.
func encode(v any) (*encodedBody, error) {
	data, err := jsonwire.Encode(v)
	if err != nil {
		return nil, err
	}
	return &encodedBody{members: data[1 : len(data)-1]}, nil
}

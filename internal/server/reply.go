package server

import (
	"strconv"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/tools"
)

// A reply is a result that is written without reflection: the members that every result has, then
// those of its body.
type reply struct {
	protocol.Outcome
	serverInfo []byte // JSON, if the result is to name the server
	meta       []byte // further members of _meta, JSON with a comma behind each
	body       body

	written  int64
	err      error
	released func(bytes int64, err error)
}

// A body is the members of a result.
type body interface {
	// WriteJSON writes the members with commas between them. It is called at most once. An error
	// leaves what is written cut.
	WriteJSON(w *jsonwire.Writer) error
	// Release gives back what the body holds.
	Release()
}

// WriteJSON writes the result.
func (r *reply) WriteJSON(w *jsonwire.Writer) error {
	before := w.Written()
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
		w.RawString(comma + `"ttlMs":` + strconv.Itoa(r.TTLMs) + `,"cacheScope":"` + r.CacheScope + `"`)
		comma = ","
	}
	if r.body != nil {
		w.RawString(comma)
		if err := r.body.WriteJSON(w); err != nil {
			r.err = err
			return err
		}
	}
	w.RawString("}")
	r.written = w.Written() - before
	return nil
}

// Failed reports whether a tool failed, see [protocol.Failed].
func (r *reply) Failed() bool {
	out, ok := r.body.(*tools.Output)
	return ok && out.Failed()
}

// Release gives back what the result holds.
func (r *reply) Release() {
	if r.body != nil {
		r.body.Release()
	}
	if r.released != nil {
		r.released(r.written, r.err)
	}
}

// empty is the answer to a request that has nothing to say.
func empty() *reply { return &reply{} }

// outcomeOf returns the members of a result that may not be kept.
func outcomeOf(e protocol.Era) protocol.Outcome {
	if e == protocol.Handshake {
		return protocol.Outcome{}
	}
	return protocol.Outcome{ResultType: "complete"}
}

// cacheable returns the members of a result that may be kept so long.
func cacheable(e protocol.Era, ttl time.Duration) protocol.Outcome {
	o := outcomeOf(e)
	if e == protocol.Stateless {
		o.Freshness = &protocol.Freshness{TTLMs: int(ttl.Milliseconds()), CacheScope: "private"}
	}
	return o
}

// An encodedBody is members that are JSON already.
type encodedBody struct{ members []byte }

func (b *encodedBody) WriteJSON(w *jsonwire.Writer) error {
	w.Raw(b.members)
	return nil
}

func (b *encodedBody) Release() {}

// encoded is a reply whose members are those of a struct, of which there is at least one.
func encoded(o protocol.Outcome, v any) (*reply, error) {
	data, err := jsonwire.Encode(v)
	if err != nil {
		return nil, err
	}
	return &reply{Outcome: o, body: &encodedBody{data[1 : len(data)-1]}}, nil
}

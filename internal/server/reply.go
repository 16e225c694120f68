package server

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsonwire"
)

// A reply is a result that is written without reflection: the members that every result has, then those of its body. It
// is a [stdio.Result]; for other transports, and for requests that the SDK handles, [settled] makes a result of the SDK
// of it.
type reply struct {
	outcome
	serverInfo []byte // JSON, if the result is to name the server; the SDK adds it to what passes through its hands
	body
}

// A body is the members of a result.
type body interface {
	// writeJSON writes the members with commas between them. It is called once at the most. An error leaves what is
	// written cut.
	writeJSON(w *jsonwire.Writer) error
	// Release gives back what the body holds.
	Release()
}

// WriteJSON writes the result.
func (r *reply) WriteJSON(w *jsonwire.Writer) error {
	w.RawString("{")
	if r.serverInfo != nil {
		w.RawString(`"_meta":{"` + mcp.MetaKeyServerInfo + `":`)
		w.Raw(r.serverInfo)
		w.RawString("},")
	}
	if r.ResultType != "" {
		w.RawString(`"resultType":"` + r.ResultType + `",`)
	}
	if r.freshness != nil {
		w.RawString(`"ttlMs":` + strconv.Itoa(r.TTLMs) + `,"cacheScope":"` + r.CacheScope + `",`)
	}
	if err := r.writeJSON(w); err != nil {
		return err
	}
	w.RawString("}")
	return nil
}

// settled encodes a reply at once and releases it.
func settled(r *reply, err error) (mcp.Result, error) {
	if err != nil {
		return nil, err
	}
	defer r.Release()
	var b bytes.Buffer
	w := jsonwire.NewWriter(&b)
	if err := r.WriteJSON(w); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	return &settledReply{json: b.Bytes()}, nil
}

// settledReply is a result that is JSON already.
type settledReply struct {
	mcp.ResultBase // for what the SDK adds
	json           []byte
}

func (s *settledReply) MarshalJSON() ([]byte, error) {
	if len(s.Meta) == 0 {
		return s.json, nil
	}
	meta, err := json.Marshal(s.Meta)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"_meta":`), meta, []byte(","), s.json[1:]), nil
}

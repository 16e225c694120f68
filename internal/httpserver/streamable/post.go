package streamable

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// post answers a request with a message or a batch.
func (h *Handler) post(w http.ResponseWriter, r *http.Request) {
	if !sendsJSON(r) {
		hosts.Refuse(w, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
		return
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		hosts.Refuse(w, http.StatusUnsupportedMediaType, "the message must not be compressed")
		return
	}
	h.options.Shared.calls.Add(1)
	defer h.options.Shared.calls.Add(-1)
	if json, _ := accepts(r); !json {
		hosts.Refuse(w, http.StatusNotAcceptable, "Accept must have application/json")
		return
	}
	body, done := h.readBody(w, r)
	if body == nil {
		return
	}
	defer done()
	version := versionOf(r)
	if version != "" && !known(version) && version < protocol.FirstStateless {
		hosts.Refuse(w, http.StatusBadRequest, "unsupported MCP-Protocol-Version "+protocol.Shown(version)+"; supported are "+
			strings.Join(protocol.VersionsFrom(oldest), ", "))
		return
	}
	if body[0] == '[' {
		h.batch(w, r, body)
		return
	}
	m := protocol.ReadMessage(body)
	switch {
	case m.Fault != "":
		hosts.RefuseCall(w, http.StatusBadRequest, m.ID, protocol.InvalidRequest("%s", m.Fault))
	case m.Response: // a response, although the server sends no requests
		w.WriteHeader(http.StatusAccepted)
	case version >= protocol.FirstStateless || m.IsCall() && protocol.NamesStateless(m.Params):
		h.stateless(w, r, m, done)
	case m.Method == protocol.MethodInitialize && m.IsCall():
		h.begin(w, r, m)
	default:
		h.inSession(w, r, m)
	}
}

// batch answers an array of messages.
func (h *Handler) batch(w http.ResponseWriter, r *http.Request, body []byte) {
	messages, fault := protocol.ReadBatch(body, versionOf(r))
	if fault != nil {
		hosts.RefuseCall(w, http.StatusBadRequest, nil, fault)
		return
	}
	n := h.session(w, r)
	if n == nil {
		return
	}
	defer n.leave()
	if _, fault := protocol.ReadBatch(body, n.version); fault != nil {
		hosts.RefuseCall(w, http.StatusBadRequest, nil, fault)
		return
	}
	a := newAnswer(w, r, false)
	err := protocol.AnswerBatch(a.Writer, messages, func(m protocol.Message) (protocol.Result, error) {
		if !m.IsCall() {
			n.receive(m)
			return nil, nil
		}
		x := h.exchange(w, r, m, protocol.Handshake)
		ctx, end, fault := n.begin(r.Context(), m)
		if fault != nil {
			return nil, fault
		}
		defer end()
		result, err := h.options.Server.Answer(ctx, x.call(n))
		x.observed(0, result, err)
		return result, err
	})
	nothing := err == nil && a.Written() == 0
	if nothing {
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusAccepted)
	}
	if err = a.end(err); err != nil && !nothing {
		h.options.Logger.Warn("a batch was not sent completely", "error", err)
		panic(http.ErrAbortHandler)
	}
}

// known reports whether this transport supports a version.
func known(version string) bool {
	return version >= oldest && slices.Contains(protocol.Versions, version)
}

// stateless answers a message of 2026-07-28. done gives back the room of its body.
func (h *Handler) stateless(w http.ResponseWriter, r *http.Request, m protocol.Message, done func()) {
	if !m.IsCall() {
		w.WriteHeader(http.StatusAccepted) // notifications have no effect without sessions
		return
	}
	x := h.exchange(w, r, m, protocol.Stateless)
	if mismatch := checkHeaders(r, m); mismatch != nil {
		x.write(nil, mismatch)
		return
	}
	_, events := accepts(r)
	switch call := x.call(nil); {
	case m.Method != protocol.MethodListen:
		x.answer(r.Context(), call)
	case !events:
		hosts.Refuse(w, http.StatusNotAcceptable, "Accept must have text/event-stream for "+protocol.MethodListen)
	default:
		x.listen(call, done)
	}
}

// begin answers initialize, which begins a session.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request, m protocol.Message) {
	x := h.exchange(w, r, m, protocol.Handshake)
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		n := h.find(w, r, id)
		if n == nil {
			return
		}
		n.leave()
		hosts.RefuseCall(w, http.StatusBadRequest, m.ID, protocol.InvalidRequest("initialize: the session has begun already"))
		return
	}
	who, sessions := caller(r), h.options.Shared.sessions
	if !sessions.room(who) {
		tooMany(w, "sessions")
		return
	}
	result, err := h.options.Server.Answer(r.Context(), x.call(nil))
	if err != nil {
		sessions.quota.give(who.RateKey())
	} else {
		w.Header().Set("Mcp-Session-Id", sessions.open(h, who, protocol.Agreed(result)))
	}
	x.write(result, err)
}

// find returns the session with an id. If it returns nil, it has answered the request.
func (h *Handler) find(w http.ResponseWriter, r *http.Request, id string) *session {
	n, err := h.options.Shared.sessions.find(h, r, id)
	switch err {
	case nil:
		return n
	case errTooMany:
		tooMany(w, "sessions")
	default:
		hosts.Refuse(w, http.StatusNotFound, err.Error())
	}
	return nil
}

// session returns the session that a request names. If it returns nil, it has answered the request.
func (h *Handler) session(w http.ResponseWriter, r *http.Request) *session {
	id := r.Header.Get("Mcp-Session-Id")
	if id == "" {
		hosts.Refuse(w, http.StatusBadRequest, "Mcp-Session-Id is missing; a session begins with initialize")
		return nil
	}
	return h.find(w, r, id)
}

// inSession answers a message of a session.
func (h *Handler) inSession(w http.ResponseWriter, r *http.Request, m protocol.Message) {
	n := h.session(w, r)
	if n == nil {
		return
	}
	defer n.leave()
	if !m.IsCall() {
		n.receive(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	x := h.exchange(w, r, m, protocol.Handshake)
	ctx, end, fault := n.begin(r.Context(), m)
	if fault != nil {
		hosts.RefuseCall(w, http.StatusBadRequest, m.ID, fault)
		return
	}
	defer end()
	x.answer(ctx, x.call(n))
}

// receive handles a notification of the client.
func (n *session) receive(m protocol.Message) {
	switch m.Method {
	case protocol.MethodInitialized:
		n.subscriber.Initialized()
	case protocol.MethodCancelled:
		n.calls.Cancel(m.Params)
	}
}

// delete ends a session.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) {
	if versionOf(r) >= protocol.FirstStateless {
		hosts.NotAllowed(w, "POST", "there are no sessions in protocol version "+protocol.FirstStateless)
		return
	}
	n := h.session(w, r)
	if n == nil {
		return
	}
	n.leave()
	if err := h.options.Shared.sessions.delete(r.Context(), n); err != nil {
		hosts.RefuseCall(w, http.StatusServiceUnavailable, nil, h.storeError(http.MethodDelete, err))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

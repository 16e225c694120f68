package streamable

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
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
			n.notice(m)
			return nil, nil
		}
		began := time.Now()
		ctx, end, ok := n.begin(r.Context(), m.Key)
		if !ok {
			return nil, inUse(m.ID)
		}
		defer end()
		result, err := h.options.Server.Answer(ctx, h.call(r, m, n))
		h.observed(r, m, began, 0, result, err)
		return result, err
	})
	switch {
	case err != nil:
		a.free()
		h.options.Logger.Warn("a batch was not sent completely", "error", err)
		panic(http.ErrAbortHandler)
	case a.Written() == 0:
		a.free()
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusAccepted)
	case a.end() != nil:
		panic(http.ErrAbortHandler)
	}
}

// known reports whether this transport supports a version.
func known(version string) bool {
	return version >= oldest && strings.Contains(strings.Join(protocol.Versions, " "), version) && len(version) == len(oldest)
}

// stateless answers a message of 2026-07-28. done gives back the room of its body.
func (h *Handler) stateless(w http.ResponseWriter, r *http.Request, m protocol.Message, done func()) {
	if !m.IsCall() {
		w.WriteHeader(http.StatusAccepted) // notifications have no effect without sessions
		return
	}
	began := time.Now()
	if mismatch := checkHeaders(r, m); mismatch != nil {
		hosts.RefuseCall(w, http.StatusBadRequest, m.ID, mismatch)
		h.observed(r, m, began, 0, nil, mismatch)
		return
	}
	call := h.call(r, m, nil)
	if _, events := accepts(r); call.Method == protocol.MethodListen && !events {
		hosts.Refuse(w, http.StatusNotAcceptable, "Accept must have text/event-stream for "+protocol.MethodListen)
		return
	}
	if call.Method == protocol.MethodListen {
		h.listen(w, r, m, call, began, done)
		return
	}
	h.answer(r.Context(), w, r, m, call, began, statusOf)
}

// statusOf returns the status for an error of 2026-07-28 (SEP-2575).
func statusOf(e *protocol.Error) int {
	switch e.Code {
	case protocol.CodeMethodNotFound:
		return http.StatusNotFound
	case protocol.CodeInvalidParams, protocol.CodeInvalidRequest, protocol.CodeUnsupportedVersion, protocol.CodeMissingCapabilities:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// always200 returns the status for an error of versions up to 2025-11-25: 200, because the HTTP
// request was valid.
func always200(*protocol.Error) int { return http.StatusOK }

func (h *Handler) call(r *http.Request, m protocol.Message, n *session) *protocol.Call {
	call := &protocol.Call{
		ID: m.ID, Method: m.Method, Params: m.Params,
		Oldest: oldest, Caller: caller(r).Key, Shared: true,
	}
	if n != nil {
		call.Session, call.Version = n.subscriber, n.version
	}
	return call
}

// begin answers initialize, which begins a session.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request, m protocol.Message) {
	began := time.Now()
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		n := h.find(w, r, id)
		if n == nil {
			return
		}
		n.leave()
		hosts.RefuseCall(w, http.StatusBadRequest, m.ID, protocol.InvalidRequest("initialize: the session has begun already"))
		return
	}
	who := caller(r)
	if !h.options.Shared.sessions.room(who) {
		tooMany(w, "sessions")
		return
	}
	result, err := h.options.Server.Answer(r.Context(), h.call(r, m, nil))
	if err != nil {
		h.options.Shared.sessions.quota.Give(who.RateKey())
	} else {
		w.Header().Set("Mcp-Session-Id", h.options.Shared.sessions.open(h, who, protocol.Agreed(result)).id)
	}
	h.write(w, r, m, began, result, err, always200)
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
		n.notice(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	began := time.Now()
	ctx, end, ok := n.begin(r.Context(), m.Key)
	if !ok {
		hosts.RefuseCall(w, http.StatusBadRequest, m.ID, inUse(m.ID))
		return
	}
	defer end()
	if m.Method == protocol.MethodSubscribe || m.Method == protocol.MethodUnsubscribe {
		result, err := h.options.Server.Answer(ctx, h.call(r, m, n))
		h.write(w, r, m, began, result, err, always200)
		return
	}
	h.answer(ctx, w, r, m, h.call(r, m, n), began, always200)
}

func inUse(id []byte) *protocol.Error {
	return protocol.InvalidRequest("invalid request: id %s is in use by a call in flight", id)
}

// notice handles a notification of the client.
func (n *session) notice(m protocol.Message) {
	switch m.Method {
	case protocol.MethodInitialized:
		n.subscriber.Initialized()
	case protocol.MethodCancelled:
		n.cancel(protocol.CancelledKey(m.Params))
	}
}

// write sends the answer to a call. If it becomes incomplete, the connection ends.
func (h *Handler) write(w http.ResponseWriter, r *http.Request, m protocol.Message, began time.Time, result protocol.Result, err error, status func(*protocol.Error) int) {
	if err != nil {
		e := protocol.WireError(err)
		h.observed(r, m, began, 0, nil, e)
		hosts.RefuseCall(w, status(e), m.ID, e)
		return
	}
	defer result.Release()
	isList := strings.HasSuffix(m.Method, "/list")
	if isList {
		w.Header().Add("Vary", "Accept-Encoding")
	}
	a := newAnswer(w, r, isList && acceptsGzip(r))
	failed, cut := protocol.WriteResult(a.Writer, m.ID, result)
	bytes := a.Written()
	if cut == nil {
		cut = a.end()
	} else {
		a.free()
		h.options.Logger.Warn("an answer was not sent completely", "method", m.Method, "error", cut)
	}
	h.observed(r, m, began, bytes, result, outcome(failed, cut))
	if cut != nil {
		panic(http.ErrAbortHandler)
	}
}

// outcome returns the error of a call: the reason why its answer is incomplete, or else the error
// in the answer.
func outcome(failed *protocol.Error, cut error) error {
	if cut == nil && failed != nil {
		return failed
	}
	return cut
}

// observed reports an answered call.
func (h *Handler) observed(r *http.Request, m protocol.Message, began time.Time, bytes int64, result protocol.Result, err error) {
	outcome := "ok"
	if rpc, ok := errors.AsType[*protocol.Error](err); ok {
		outcome = strconv.FormatInt(rpc.Code, 10)
	} else if err != nil {
		outcome = "cut"
	} else if protocol.Failed(result) {
		outcome = "tool_error"
	}
	h.options.Observe(r, serverlog.Call{
		Method: m.Method, Subject: subjectOf(m), Caller: caller(r).Name,
		Outcome: outcome, Bytes: bytes, Duration: time.Since(began),
	})
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
	if sessions := h.options.Shared.sessions; sessions.store == nil && sessions.keys != nil {
		sessions.keys.end(n.id, n.expires)
	} else if sessions.store != nil {
		if err := sessions.store.end(r.Context(), n); err != nil {
			hosts.RefuseCall(w, http.StatusServiceUnavailable, nil, h.storeError(http.MethodDelete, err))
			return
		}
	}
	h.options.Shared.sessions.close(n)
	w.WriteHeader(http.StatusNoContent)
}

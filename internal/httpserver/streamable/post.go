package streamable

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"iter"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
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
	case version >= protocol.FirstStateless || m.IsCall() && protocol.MetaProtocolVersion(m.Params) >= protocol.FirstStateless:
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
		// notifications have no effect without sessions
		w.WriteHeader(http.StatusAccepted)
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

// accepted yields what a header says that a client accepts, in lower case, without what has the quality zero (RFC 9110 section 12.5.1).
func accepted(r *http.Request, header string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for item := range strings.SplitSeq(strings.ToLower(strings.Join(r.Header.Values(header), ",")), ",") {
			kind, params, _ := strings.Cut(strings.ReplaceAll(item, " ", ""), ";")
			if q, ok := strings.CutPrefix(params, "q="); ok && q != "" && strings.Trim(q, "0.") == "" {
				continue
			}
			if !yield(kind) {
				return
			}
		}
	}
}

// accepts reports which of the two media types a client accepts. Without an Accept header it accepts both.
func accepts(r *http.Request) (json, events bool) {
	if len(r.Header["Accept"]) == 0 {
		return true, true
	}
	for kind := range accepted(r, "Accept") {
		json = json || kind == "*/*" || kind == "application/*" || kind == "application/json"
		events = events || kind == "*/*" || kind == "text/*" || kind == "text/event-stream"
	}
	return json, events
}

// sendsJSON reports whether the body of a request is declared as JSON, with the charset UTF-8 if
// one is named.
func sendsJSON(r *http.Request) bool {
	value := r.Header.Get("Content-Type")
	if value == "application/json" {
		return true
	}
	kind, params, err := mime.ParseMediaType(value)
	charset := params["charset"]
	return err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// checkHeaders compares the headers of a call of 2026-07-28 with its body (MCP 2026-07-28,
// "Transports", Standard Request Headers; SEP-2243). It returns nil if they agree.
func checkHeaders(r *http.Request, m protocol.Message) *protocol.Error {
	mismatch := func(format string, args ...any) *protocol.Error {
		return &protocol.Error{Code: protocol.CodeHeaderMismatch, Message: "header mismatch: " + fmt.Sprintf(format, args...)}
	}
	named, inBody := versionOf(r), protocol.MetaProtocolVersion(m.Params)
	switch {
	case named == "":
		return mismatch("MCP-Protocol-Version is missing")
	case inBody == "":
		return protocol.InvalidParams("missing or invalid _meta field %q", protocol.MetaVersion)
	case named != inBody:
		return mismatch("MCP-Protocol-Version is %s, the body has %s", protocol.Shown(named), protocol.Shown(inBody))
	}
	if method := r.Header.Get("Mcp-Method"); method != m.Method || len(r.Header["Mcp-Method"]) > 1 {
		if method == "" {
			return mismatch("Mcp-Method is missing")
		}
		return mismatch("Mcp-Method is %s, the body has %s", protocol.Shown(method), protocol.Shown(m.Method))
	}
	member, has := nameMembers[m.Method]
	if !has {
		return nil
	}
	values := r.Header.Values("Mcp-Name")
	if len(values) == 0 {
		return mismatch("Mcp-Name is missing, which %s has", m.Method)
	}
	name, ok := decodeHeader(values[0])
	if !ok {
		return mismatch("Mcp-Name is not valid base64")
	}
	if wanted, ok := memberOf(m.Params, member); !ok || wanted != name || len(values) > 1 {
		return mismatch("Mcp-Name is %s, the body has %s", protocol.Shown(name), protocol.Shown(wanted))
	}
	return nil
}

// nameMembers are the parameters that Mcp-Name repeats, by method.
var nameMembers = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

// decodeHeader decodes a header value that may be in base64: =?base64?…?=.
func decodeHeader(value string) (string, bool) {
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value, true
	}
	if encoded, ok = strings.CutSuffix(encoded, "?="); !ok {
		return value, true
	}
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	return string(decoded), err == nil
}

// memberOf returns a string parameter.
func memberOf(params []byte, member string) (value string, ok bool) {
	jsonwire.Members(params, func(key string, val []byte) {
		if key == member {
			value, ok = jsonwire.Unquote(val)
		}
	})
	return value, ok
}

// subjectOf returns the subject of a call: the URI of a resource, or the name of a tool or prompt.
func subjectOf(m protocol.Message) string {
	uri, _ := memberOf(m.Params, "uri")
	name, _ := memberOf(m.Params, "name")
	return cmp.Or(uri, name)
}

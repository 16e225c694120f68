package page

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
)

const (
	// stay is how long a cookie is valid, whatever the token.
	stay = 12 * time.Hour
	// maxGuests is how many cookies may be valid at a time, and maxCallerCookies how many of one
	// caller. A new cookie replaces the oldest one of all, or of the caller.
	maxGuests        = 10_000
	maxCallerCookies = 20
	// maxForm is how many bytes a form may have. A token has at most 16 KiB.
	maxForm = 1 << 20
)

// A door remembers the callers that have shown a token. It keeps no tokens.
type door struct {
	mu     sync.Mutex
	guests map[string]guest // by the id in the cookie; guarded by mu
}

type guest struct {
	caller auth.Caller
	since  time.Time
}

// A jar describes where browsers keep the cookie.
type jar struct {
	name, path string
	secure     bool
}

// jarOf returns the jar of a server at a URL. A server over HTTPS at the root of its host uses a
// name prefix with which browsers accept the cookie only from this host. A server below a path
// limits its cookie to the path, so that other servers on the host do not get it.
func jarOf(publicURL, root string) jar {
	secure := strings.HasPrefix(publicURL, "https://")
	switch {
	case !secure:
		return jar{"mcp-docs", root + "/", false}
	case root == "":
		return jar{"__Host-mcp-docs", "/", true}
	}
	return jar{"__Secure-mcp-docs", root + "/", true}
}

// admit returns a new id for a caller.
func (d *door) admit(c auth.Caller) string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	id := base64.RawURLEncoding.EncodeToString(random[:])
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	ofCaller := 0
	for id, g := range d.guests {
		switch {
		case now.Sub(g.since) > stay || !g.caller.Valid():
			delete(d.guests, id)
		case g.caller.Key == c.Key:
			ofCaller++
		}
	}
	if ofCaller >= maxCallerCookies {
		d.dropOldest(func(g guest) bool { return g.caller.Key == c.Key })
	}
	if len(d.guests) >= maxGuests {
		d.dropOldest(func(guest) bool { return true })
	}
	d.guests[id] = guest{c, now}
	return id
}

// dropOldest forgets the oldest guest that matches. d.mu is held.
func (d *door) dropOldest(matches func(guest) bool) {
	oldest := ""
	for id, g := range d.guests {
		if matches(g) && (oldest == "" || g.since.Before(d.guests[oldest].since)) {
			oldest = id
		}
	}
	delete(d.guests, oldest)
}

// jarOf returns the jar for the answer to a request.
func (h *Handler) jarOf(r *http.Request) jar { return jarOf(h.gate.PublicURL(r), h.rootOf(r)) }

// idOf returns the id in the cookie of a request, or "". It accepts only the cookie name that this
// server sets. Otherwise anybody who can write a cookie with another name into the browser, such as
// a server on another port of the host, could choose the viewer's account.
func (h *Handler) idOf(r *http.Request) string {
	c, err := r.Cookie(h.jarOf(r).name)
	if err != nil {
		return ""
	}
	return c.Value
}

// known returns the caller of a request with a cookie.
func (h *Handler) known(r *http.Request) (auth.Caller, bool) { return h.door.known(h.idOf(r)) }

// known returns the caller with an id.
func (d *door) known(id string) (auth.Caller, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, ok := d.guests[id]
	if ok && (time.Since(g.since) > stay || !g.caller.Valid()) {
		delete(d.guests, id)
		ok = false
	}
	return g.caller, ok
}

func (d *door) forget(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.guests, id)
}

func (h *Handler) setCookie(w http.ResponseWriter, r *http.Request, id string, age int) {
	j := h.jarOf(r)
	http.SetCookie(w, &http.Cookie{
		Name: j.name, Value: id, Path: j.path, MaxAge: age, HttpOnly: true, Secure: j.secure, SameSite: http.SameSiteStrictMode,
	})
}

// A loginPage is the form for a token.
type loginPage struct {
	Root, To, Error string
	CSS, Icon       string
}

// refused answers a request without valid credentials: browsers get the form, programs the usual
// error.
func (h *Handler) refused(w http.ResponseWriter, r *http.Request, refusal *auth.Refusal) {
	if refusal.Challenge != "" {
		w.Header().Set("WWW-Authenticate", refusal.Challenge)
	}
	if r.Method == http.MethodPost || !strings.Contains(r.Header.Get("Accept"), "text/html") || refusal.Status != http.StatusUnauthorized {
		gate.Refuse(w, refusal.Status, refusal.Error())
		return
	}
	page := loginPage{To: h.rootOf(r) + r.URL.EscapedPath()}
	if refusal.Code != "" {
		page.Error = refusal.Error()
	}
	h.showLogin(w, r, http.StatusUnauthorized, page)
}

func (h *Handler) showLogin(w http.ResponseWriter, r *http.Request, status int, page loginPage) {
	page.Root = h.rootOf(r)
	page.CSS, page.Icon = page.Root+assetsPath+style().name, page.Root+assetsPath+icon().name
	w.Header().Set("Cache-Control", "no-store")
	render(w, r, status, "login", page)
}

// login checks the token in the form and sets the cookie.
func (h *Handler) login(w http.ResponseWriter, r *http.Request) {
	root := h.rootOf(r)
	to := localPath(r.FormValue("to"), root)
	if r.Method != http.MethodPost {
		h.showLogin(w, r, http.StatusOK, loginPage{To: to})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		h.showLogin(w, r, http.StatusBadRequest, loginPage{To: to, Error: "the form cannot be read"})
		return
	}
	to = localPath(r.PostFormValue("to"), root)
	token := strings.TrimSpace(r.PostFormValue("token"))
	with := r.Clone(r.Context())
	with.Header.Set("Authorization", "Bearer "+token)
	// Door counts the attempt for the address, like any other refused request.
	h.auth.Door(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, _ := auth.FromContext(r.Context())
		h.door.forget(h.idOf(r))
		h.setCookie(w, r, h.door.admit(caller), int(stay/time.Second))
		http.Redirect(w, r, to, http.StatusSeeOther)
	}), auth.Door{Refused: func(w http.ResponseWriter, r *http.Request, refusal *auth.Refusal) {
		h.showLogin(w, r, refusal.Status, loginPage{To: to, Error: refusal.Error()})
	}}).ServeHTTP(w, with)
}

// logout forgets the caller.
func (h *Handler) logout(w http.ResponseWriter, r *http.Request) {
	root := h.rootOf(r)
	if r.Method == http.MethodPost {
		h.door.forget(h.idOf(r))
		h.setCookie(w, r, "", -1)
	}
	http.Redirect(w, r, root+"/", http.StatusSeeOther)
}

// localPath returns the path that a form names if it is on this server, or else the path of the
// first page. So no form redirects to another site.
func localPath(to, root string) string {
	if !strings.HasPrefix(to, root+"/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return root + "/"
	}
	return to
}

package webui

import (
	"crypto/rand"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
)

const (
	// stay is how long a cookie is valid, whatever the token.
	stay = 12 * time.Hour
	// maxLogins is how many cookies may be valid at a time, and maxCallerCookies how many of one
	// caller. A new cookie replaces the oldest one of all, or of the caller.
	maxLogins        = 10_000
	maxCallerCookies = 20
	// maxForm is how many bytes a form may have. A token has at most 16 KiB.
	maxForm = 1 << 20
)

// logins are the callers that have shown a token, by the id in their cookie. No token is kept.
type logins struct {
	mu   sync.Mutex
	byID map[string]login // guarded by mu
}

type login struct {
	caller auth.Caller
	since  time.Time
}

func (l login) valid() bool { return time.Since(l.since) <= stay && l.caller.Valid() }

// add returns a new id for a caller.
func (s *logins) add(c auth.Caller) string {
	id := rand.Text() + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.byID, func(_ string, l login) bool { return !l.valid() })
	s.makeRoom(maxCallerCookies, func(l login) bool { return l.caller.Key == c.Key })
	s.makeRoom(maxLogins, func(login) bool { return true })
	s.byID[id] = login{c, time.Now()}
	return id
}

// makeRoom forgets the oldest of the logins that count, if there are as many as there may be. s.mu is held.
func (s *logins) makeRoom(most int, counts func(login) bool) {
	n, oldest := 0, ""
	for id, l := range s.byID {
		if counts(l) {
			if n++; oldest == "" || l.since.Before(s.byID[oldest].since) {
				oldest = id
			}
		}
	}
	if n >= most {
		delete(s.byID, oldest)
	}
}

func (s *logins) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
}

// cookie returns the cookie of the answer to a request. A server over HTTPS at the root of its host uses a name prefix with which
// browsers accept the cookie only from this host. A server below a path limits its cookie to the path, so that other servers on the
// host do not get it.
func (h *Handler) cookie(r *http.Request) *http.Cookie {
	c := &http.Cookie{Name: "mcp-docs", Path: h.root + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if c.Secure = strings.HasPrefix(h.options.Hosts.PublicURL(r), "https://"); c.Secure && h.root == "" {
		c.Name = "__Host-mcp-docs"
	} else if c.Secure {
		c.Name = "__Secure-mcp-docs"
	}
	return c
}

// idOf returns the id in the cookie of a request, or "". It accepts only the cookie name that this
// server sets. Otherwise anybody who can write a cookie with another name into the browser, such as
// a server on another port of the host, could choose the viewer's account.
func (h *Handler) idOf(r *http.Request) string {
	c, err := r.Cookie(h.cookie(r).Name)
	if err != nil {
		return ""
	}
	return c.Value
}

// known returns the caller of a request with a cookie.
func (h *Handler) known(r *http.Request) (auth.Caller, bool) {
	h.logins.mu.Lock()
	defer h.logins.mu.Unlock()
	l, ok := h.logins.byID[h.idOf(r)]
	return l.caller, ok && l.valid()
}

func (h *Handler) setCookie(w http.ResponseWriter, r *http.Request, id string, age int) {
	c := h.cookie(r)
	c.Value, c.MaxAge = id, age
	http.SetCookie(w, c)
}

// A loginPage is the form for a token.
type loginPage struct {
	Root, To, Error string
}

// refused answers a request without valid credentials: browsers get the form, programs the usual
// error.
func (h *Handler) refused(w http.ResponseWriter, r *http.Request, refusal *auth.Refusal) {
	if r.Method == http.MethodPost || !strings.Contains(r.Header.Get("Accept"), "text/html") || refusal.Status != http.StatusUnauthorized {
		refusal.Write(w)
		return
	}
	w.Header().Set("WWW-Authenticate", refusal.Challenge)
	page := loginPage{To: h.root + r.URL.EscapedPath()}
	if refusal.Code != "" {
		page.Error = refusal.Error()
	}
	h.showLogin(w, r, http.StatusUnauthorized, page)
}

func (h *Handler) showLogin(w http.ResponseWriter, r *http.Request, status int, page loginPage) {
	page.Root = h.root
	w.Header().Set("Cache-Control", "no-store")
	render(w, r, status, "login", page)
}

// login checks the token in the form and sets the cookie.
func (h *Handler) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm() // unlike FormValue, it reads no files
	to := h.localPath(r.Form.Get("to"))
	if r.Method != http.MethodPost {
		h.showLogin(w, r, http.StatusOK, loginPage{To: to})
		return
	}
	if err != nil {
		h.showLogin(w, r, http.StatusBadRequest, loginPage{To: to, Error: "the form cannot be read"})
		return
	}
	with := r.Clone(r.Context())
	with.Header.Set("Authorization", "Bearer "+strings.TrimSpace(r.PostForm.Get("token")))
	// The attempt counts for the address, like any other refused request.
	h.options.Auth.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, _ := auth.FromContext(r.Context())
		h.logins.forget(h.idOf(r))
		h.setCookie(w, r, h.logins.add(caller), int(stay/time.Second))
		http.Redirect(w, r, to, http.StatusSeeOther)
	}), auth.Browsers{Refused: func(w http.ResponseWriter, r *http.Request, refusal *auth.Refusal) {
		h.showLogin(w, r, refusal.Status, loginPage{To: to, Error: refusal.Error()})
	}}).ServeHTTP(w, with)
}

// logout forgets the caller.
func (h *Handler) logout(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		h.logins.forget(h.idOf(r))
		h.setCookie(w, r, "", -1)
	}
	http.Redirect(w, r, h.root+"/", http.StatusSeeOther)
}

// localPath returns the path that a form names if it is on this server, or else the path of the
// first page. So no form redirects to another site.
func (h *Handler) localPath(to string) string {
	if !strings.HasPrefix(to, h.root+"/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return h.root + "/"
	}
	return to
}

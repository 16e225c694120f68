package httpserver

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/streamable"
)

// mcpPath is the path of the endpoint, after the name of the site if there are several.
const mcpPath = "/mcp"

// handler returns the handler of all paths.
func (s *server) handler() http.Handler {
	inner := http.NewServeMux()
	metadata := make(map[string]http.Handler) // by path
	endpoint := func(path string, site Site) {
		authenticator := s.auth.At(path)
		h := authenticator.Handler(streamable.New(streamable.Options{
			Name: cmp.Or(site.Scope, site.Name) + path, Server: site.Server, Shared: s.shared, Logger: s.options.Logger, Observe: s.observe, Notified: site.Notified,
		}), auth.Browsers{})
		inner.Handle(path, h)
		inner.Handle(path+"/{$}", h) // as some users and clients write it
		metadata[path] = authenticator.Metadata()
	}
	endpoint(mcpPath, s.options.Sites[0])
	if len(s.options.Sites) > 1 {
		for _, site := range s.options.Sites {
			endpoint("/"+site.Name+mcpPath, site)
		}
	}
	// The metadata of https://host/below/mcp is at https://host/.well-known/…/below/mcp (RFC 9728,
	// section 3.1). A proxy forwards that path unchanged, but turns /below/mcp into /mcp. Clients are
	// sent there, so it takes precedence over a project named below.
	if u, err := url.Parse(s.options.Hosts.PublicURL); err == nil {
		for path, h := range maps.Clone(metadata) {
			metadata[strings.TrimRight(u.Path, "/")+path] = h
		}
	}
	inner.Handle(auth.MetadataPath, s.auth.Metadata())
	inner.HandleFunc(auth.MetadataPath+"/", func(w http.ResponseWriter, r *http.Request) {
		if h := metadata[strings.TrimPrefix(r.URL.Path, auth.MetadataPath)]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		nothing(w, r)
	})
	if s.options.Metrics != nil {
		h := s.options.Metrics.Handler()
		inner.Handle("/metrics", h)
		inner.Handle("/metrics/", h)
	}
	if s.options.Page != nil {
		inner.Handle("/", s.options.Page(s.auth, s.hosts))
	} else {
		inner.HandleFunc("/", nothing)
	}
	health, checked, crooked := s.health(), s.hosts.Handler(inner), s.hosts.Handler(http.HandlerFunc(nothing))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if mayHaveTwoLengths(r) {
			w.Header().Set("Connection", "close")
		}
		next := checked
		switch {
		case r.URL.Path == "/health", r.URL.Path == "/ready":
			next = health
		case !isStraight(r.URL.EscapedPath()):
			next = crooked
		}
		next.ServeHTTP(w, r)
	})
}

// observe counts an answered call and adds it to the access line of its request.
func (s *server) observe(r *http.Request, c serverlog.Call) {
	if s.options.Metrics != nil {
		s.options.Metrics.Answered(c)
	}
	serverlog.Answered(r.Context(), c)
}

// mayHaveTwoLengths reports whether a proxy and this server may disagree about the end of a
// request. A request with both Transfer-Encoding and Content-Length, or with Transfer-Encoding in
// HTTP/1.0, can smuggle another request past a proxy that uses the other header, so the bytes after
// it on the connection must not be read as a request (RFC 9112, section 6.1). net/http does not
// show which requests had both headers, so every request that may have had them counts.
func mayHaveTwoLengths(r *http.Request) bool {
	return r.ProtoMajor == 1 && (r.ProtoMinor == 0 || len(r.TransferEncoding) > 0)
}

// isStraight reports whether a path is canonical. A mux would redirect other paths, such as //mcp
// and /a/../mcp, before the caller is authenticated.
func isStraight(asked string) bool {
	clean := path.Clean(asked)
	return asked == clean || asked == clean+"/" && clean != "/"
}

// nothing answers requests for all other paths.
func nothing(w http.ResponseWriter, _ *http.Request) {
	hosts.Refuse(w, http.StatusNotFound, "there is nothing at this path; the endpoint is "+mcpPath)
}

// health answers probes: 200 once all projects have been read, 503 before. A store that cannot be written makes only
// /ready?store fail: files are served without it, and an orchestrator must not end all replicas because of it.
func (s *server) health() http.Handler {
	type report struct {
		Status    string    `json:"status"`
		Timestamp time.Time `json:"timestamp"`
		Version   string    `json:"version"`
		Transport string    `json:"transport"`
		Store     string    `json:"store,omitempty"`
		Reason    string    `json:"reason,omitempty"` // why somebody must act
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			hosts.NotAllowed(w, "GET, HEAD", "the health can only be read")
			return
		}
		now := report{Status: "healthy", Timestamp: time.Now().UTC().Truncate(time.Millisecond), Version: s.options.Version, Transport: "http-streaming"}
		status := http.StatusOK
		if store := s.options.Store; store != nil {
			now.Store = "ok"
			needed := r.URL.Path == "/ready" && r.URL.Query().Has("store")
			if err := store.Err(); err != nil {
				misfit, _ := errors.AsType[database.Misfit](err)
				now.Store, now.Reason = "unreachable", string(misfit)
			} else if needed && store.Ready(r.Context()) != nil {
				now.Store = "not writable"
			}
			if needed && now.Store != "ok" {
				now.Status, status = "waiting", http.StatusServiceUnavailable
			}
		}
		for _, site := range s.options.Sites {
			if !site.Ready() {
				now.Status, status = "starting", http.StatusServiceUnavailable
			}
		}
		hosts.Answer(w, status, now)
	})
}

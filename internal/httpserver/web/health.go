package web

import (
	"errors"
	"net/http"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

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

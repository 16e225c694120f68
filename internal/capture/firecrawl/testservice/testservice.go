// Package testservice simulates Firecrawl for tests. It answers like version 2 of the API, and checks requests: the
// key, the bodies by the types of the official client, and that no crawl is started twice.
package testservice

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Key is the key that requests must have.
const Key = "fc-0123456789"

// A Page is a page of the web that the service can fetch.
type Page struct {
	URL      string
	From     string // URL that redirects here; "": none
	HTML     string
	Markdown string
	MIME     string // "": text/html
	Status   int    // 0: 200
	Title    string
}

// A Crawl is a crawl that was started.
type Crawl struct {
	ID, Key string
	Body    map[string]any
	State   string
	created time.Time
}

// A Service simulates Firecrawl. Tests set its exported fields before the first request.
type Service struct {
	Pages []Page // of every crawl, in the order in which they complete; also served as single pages
	Part  int    // pages in one answer; 0: 100
	// Fail answers a request instead of the service if it returns a status. It may be nil.
	Fail func(*http.Request) (status int, body string)
	// Lost drops the answer to the start of a crawl.
	Lost bool
	// Started is called with each crawl. It may be nil.
	Started   func(*Crawl)
	Errors    []map[string]string // pages that cannot be fetched
	Forbidden []string            // pages that robots.txt forbids

	mu       sync.Mutex // guards all fields below
	ready    int        // pages that are complete; negative: all
	crawls   []*Crawl
	requests []string
	problems []string
}

// Ready sets how many pages of a crawl are complete; negative: all, and the crawl has ended.
func (s *Service) Ready(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = n
}

// Crawls returns the crawls that were started.
func (s *Service) Crawls() []Crawl {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Crawl, len(s.crawls))
	for i, c := range s.crawls {
		list[i] = *c
	}
	return list
}

// Requests returns how many requests began with a text such as "POST /v2/crawl".
func (s *Service) Requests(prefix string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if strings.HasPrefix(r, prefix) {
			n++
		}
	}
	return n
}

// Problems returns the errors of the requests so far.
func (s *Service) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.problems...)
}

func (s *Service) problem(r *http.Request, format string, args ...any) {
	s.problems = append(s.problems, r.Method+" "+r.RequestURI+": "+fmt.Sprintf(format, args...))
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// ServeHTTP implements [http.Handler].
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Fail != nil {
		if status, body := s.Fail(r); status != 0 {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return
		}
	}
	s.mu.Lock()
	status, answer := s.answer(r)
	lost := s.Lost && r.Method == http.MethodPost && r.URL.Path == "/v2/crawl"
	started := s.Started
	var last *Crawl
	if n := len(s.crawls); n > 0 && r.Method == http.MethodPost && r.URL.Path == "/v2/crawl" {
		last = s.crawls[n-1]
	}
	s.mu.Unlock()
	if started != nil && last != nil {
		started(last)
	}
	if lost {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

type object = map[string]any

// answer returns the status and body for a request. The caller holds s.mu.
func (s *Service) answer(r *http.Request) (int, object) {
	s.requests = append(s.requests, r.Method+" "+r.RequestURI)
	if r.Header.Get("Authorization") != "Bearer "+Key {
		return http.StatusUnauthorized, object{"success": false, "error": "Unauthorized: Invalid token"}
	}
	var body map[string]any
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			s.problem(r, "%v", err)
		}
		if err := Check(strings.TrimPrefix(r.URL.Path, "/v2/"), body); err != nil {
			s.problem(r, "%v", err)
			return http.StatusBadRequest, object{"success": false, "error": "Bad Request", "details": err.Error()}
		}
	}
	id, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v2/crawl/"), "/")
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v2/scrape":
		return s.scrape(body)
	case r.Method == http.MethodPost && r.URL.Path == "/v2/crawl":
		return s.start(r, body)
	case r.Method == http.MethodGet && id == "active":
		return s.active()
	}
	for _, c := range s.crawls {
		switch {
		case c.ID != id:
		case r.Method == http.MethodDelete && rest == "":
			if s.state(c) == "completed" {
				return http.StatusConflict, object{"error": "Crawl is already completed"}
			}
			c.State = "cancelled"
			return http.StatusOK, object{"status": "cancelled"}
		case r.Method == http.MethodGet && rest == "errors":
			return http.StatusOK, object{"errors": s.Errors, "robotsBlocked": s.Forbidden}
		case r.Method == http.MethodGet && rest == "":
			return s.status(r, c)
		}
	}
	return http.StatusNotFound, object{"success": false, "error": "Job not found"}
}

func (s *Service) start(r *http.Request, body map[string]any) (int, object) {
	key := r.Header.Get("X-Idempotency-Key")
	if !uuid.MatchString(key) {
		s.problem(r, "the idempotency key is %q", key)
	}
	for _, name := range []string{"includePaths", "excludePaths"} {
		list, _ := body[name].([]any)
		for _, text := range list {
			if _, err := regexp.Compile(text.(string)); err != nil {
				s.problem(r, "%s: %v", name, err)
			}
		}
	}
	if delay, ok := body["delay"].(float64); ok && (delay <= 0 || delay > 60) {
		s.problem(r, "the delay is %v seconds", delay)
	}
	for _, c := range s.crawls {
		if c.Key == key {
			return http.StatusConflict, object{"success": false, "error": "Idempotency key already used"}
		}
	}
	c := &Crawl{ID: fmt.Sprintf("0199c0de-0000-7000-8000-%012d", len(s.crawls)), Key: key, Body: body, State: "scraping", created: time.Now()}
	s.crawls = append(s.crawls, c)
	return http.StatusOK, object{"success": true, "id": c.ID, "url": "https://api.firecrawl.dev/v2/crawl/" + c.ID}
}

func (s *Service) active() (int, object) {
	list := []object{}
	for _, c := range s.crawls {
		if s.state(c) == "scraping" {
			list = append(list, object{"id": c.ID, "teamId": "team", "url": c.Body["url"], "created_at": c.created.UTC().Format(time.RFC3339Nano), "options": c.Body})
		}
	}
	return http.StatusOK, object{"success": true, "crawls": list}
}

func (s *Service) state(c *Crawl) string {
	if c.State == "scraping" && s.ready < 0 {
		return "completed"
	}
	return c.State
}

// status returns the progress of a crawl. Like the service, it names a next part while there may be one, even if it
// is still empty.
func (s *Service) status(r *http.Request, c *Crawl) (int, object) {
	skip, _ := strconv.Atoi(r.URL.Query().Get("skip"))
	total := len(s.Pages)
	if limit, ok := c.Body["limit"].(float64); ok {
		total = min(total, int(limit))
	}
	done := s.ready
	if done < 0 || done > total {
		done = total
	}
	part := s.Part
	if part == 0 {
		part = 100
	}
	data := []object{}
	for i := skip; i < min(done, skip+part); i++ {
		data = append(data, document(s.Pages[i]))
	}
	answer := object{
		"success": true, "status": s.state(c), "completed": done, "total": total, "creditsUsed": done,
		"expiresAt": c.created.Add(24 * time.Hour).UTC().Format("2006-01-02T15:04:05.000Z"), "data": data,
	}
	if total > skip+len(data) {
		answer["next"] = fmt.Sprintf("https://elsewhere.example/v2/crawl/%s?skip=%d", c.ID, skip+len(data))
	}
	return http.StatusOK, answer
}

func (s *Service) scrape(body map[string]any) (int, object) {
	for _, p := range s.Pages {
		if p.URL == body["url"] || p.From == body["url"] {
			d := document(p)
			d["metadata"].(object)["creditsUsed"] = 1
			return http.StatusOK, object{"success": true, "data": d}
		}
	}
	return http.StatusInternalServerError, object{"success": false, "code": "SCRAPE_SITE_ERROR", "error": "The site could not be reached."}
}

func document(p Page) object {
	if p.MIME == "" {
		p.MIME = "text/html; charset=utf-8"
	}
	if p.Status == 0 {
		p.Status = http.StatusOK
	}
	if p.From == "" {
		p.From = p.URL
	}
	return object{
		"markdown": p.Markdown, "rawHtml": p.HTML,
		"metadata": object{"title": p.Title, "sourceURL": p.From, "url": p.URL, "statusCode": p.Status, "contentType": p.MIME, "proxyUsed": "basic", "cacheState": "miss"},
	}
}

package webclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/temoto/robotstxt"
)

const (
	// maxRobots is how much of a robots.txt is read (RFC 9309, 2.5 asks for at least 500 KiB).
	maxRobots = 512 << 10
	// robotsAge is how long a robots.txt is used, and unreachableAge how long one that cannot be
	// fetched keeps a host from being asked (RFC 9309, 2.4 and 2.3.1.4).
	robotsAge      = 24 * time.Hour
	unreachableAge = 10 * time.Minute
	robotsTimeout  = 15 * time.Second
	// maxSitemaps is how many sitemaps of a robots.txt are known.
	maxSitemaps = 100
	// maxOrigins is how many of them are kept.
	maxOrigins = 500
	// maxCrawlDelay is how much of a Crawl-delay is obeyed.
	maxCrawlDelay = 30 * time.Second
)

// ErrRobots is wrapped by the error of a request that the robots.txt of the host does not allow.
var ErrRobots = errors.New("robots.txt does not allow it")

// robots caches what the robots.txt of each origin says.
type robots struct {
	mu      sync.Mutex // guards origins
	origins map[string]*robotsFile
}

// A robotsFile is the robots.txt of an origin. Its fields are read after ready is closed.
type robotsFile struct {
	ready   chan struct{}
	group   *robotstxt.Group // nil: everything is allowed, unless err
	maps    []string         // URLs of sitemaps
	err     error            // it cannot be fetched
	expires time.Time
}

// check returns an error if the robots.txt of a URL does not allow that it is fetched, and the
// interval between requests that it asks for. fetch gets a robots.txt.
func (r *robots) check(ctx context.Context, u *url.URL, fetch func(context.Context, *url.URL) (int, []byte, error)) (time.Duration, error) {
	if u.Path == "/robots.txt" {
		return 0, nil // RFC 9309, 2.2.2: it is always allowed
	}
	f, err := r.of(ctx, u, fetch)
	if err != nil {
		return 0, err
	}
	if refused, ok := errors.AsType[*refusal](f.err); ok && refused.url != "" { // robots.txt is not what was wanted
		return 0, &refusal{show(u), refused.reason}
	}
	if f.err != nil {
		return 0, f.err
	}
	if f.group == nil {
		return 0, nil
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	if !f.group.Test(path) {
		return 0, fmt.Errorf("%s: %w", show(u), ErrRobots)
	}
	return min(f.group.CrawlDelay, maxCrawlDelay), nil
}

// Sitemaps returns what the robots.txt of the origin of a URL has as URLs of sitemaps.
func (c *Client) Sitemaps(ctx context.Context, u *url.URL) ([]string, error) {
	if err := c.rules.url(u); err != nil {
		return nil, err
	}
	f, err := c.robots.of(ctx, u, c.fetchRobots)
	if err != nil {
		return nil, err
	}
	return f.maps, f.err
}

// of returns the robots.txt of the origin of a URL. One request fetches it, and the others wait.
func (r *robots) of(ctx context.Context, u *url.URL, fetch func(context.Context, *url.URL) (int, []byte, error)) (*robotsFile, error) {
	origin := originOf(u)
	for {
		r.mu.Lock()
		f := r.origins[origin]
		if f == nil || f.stale() {
			if len(r.origins) >= maxOrigins {
				r.forget()
			}
			f = &robotsFile{ready: make(chan struct{})}
			r.origins[origin] = f
			r.mu.Unlock()
			f.fill(ctx, u, fetch)
			if ctx.Err() != nil { // the file is not to blame: the next one fetches it
				r.mu.Lock()
				delete(r.origins, origin)
				r.mu.Unlock()
				f.group, f.err = nil, errAbandoned
			}
			close(f.ready)
			return f, context.Cause(ctx)
		}
		r.mu.Unlock()
		select {
		case <-f.ready:
			if f.err != errAbandoned {
				return f, nil
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

var errAbandoned = errors.New("robots.txt was not fetched")

func (f *robotsFile) stale() bool {
	select {
	case <-f.ready:
		return !time.Now().Before(f.expires)
	default:
		return false
	}
}

// fill fetches a robots.txt.
func (f *robotsFile) fill(ctx context.Context, u *url.URL, fetch func(context.Context, *url.URL) (int, []byte, error)) {
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	status, body, err := fetch(ctx, at)
	f.expires = time.Now().Add(robotsAge)
	switch {
	case errors.Is(err, ErrRefused):
		f.err, f.expires = err, time.Now().Add(unreachableAge)
	case err != nil:
		f.err, f.expires = fmt.Errorf("its robots.txt cannot be read, so it may allow nothing: %w", err), time.Now().Add(unreachableAge)
	case status >= 500 || status == http.StatusTooManyRequests:
		f.err, f.expires = fmt.Errorf("%s: answers %d, so it may allow nothing: %w", show(at), status, ErrRobots), time.Now().Add(unreachableAge)
	case status >= 200 && status < 300:
		data, err := robotstxt.FromBytes(boundedRobots(body))
		if err == nil { // what cannot be read says nothing
			f.group = data.FindGroup(product)
			f.maps = data.Sitemaps[:min(len(data.Sitemaps), maxSitemaps)]
		}
	}
}

// forget removes what is stale, or else anything that is not being fetched. r.mu is held.
func (r *robots) forget() {
	for origin, f := range r.origins {
		if f.stale() {
			delete(r.origins, origin)
		}
	}
	for origin, f := range r.origins {
		if len(r.origins) < maxOrigins {
			return
		}
		select {
		case <-f.ready:
			delete(r.origins, origin)
		default:
		}
	}
}

// fetchRobots fetches a robots.txt, by way of up to five redirects (RFC 9309, 2.3.1.2).
func (c *Client) fetchRobots(ctx context.Context, u *url.URL) (status int, body []byte, err error) {
	return c.fetchRobotsAs(ctx, u, wish{})
}

func (c *Client) fetchRobotsAs(ctx context.Context, u *url.URL, r wish) (status int, body []byte, err error) {
	left := robotsTimeout
	for range 6 {
		if err := c.rules.url(u); err != nil {
			return 0, nil, err
		}
		asked := Request{Timeout: robotsTimeout, MaxBytes: maxRobots, Accept: "text/plain", Caller: r.caller, Patient: r.patient, cut: true}
		a, err := c.inTurn(ctx, u, asked, nil, 0, &left)
		if answered, ok := errors.AsType[*StatusError](err); ok {
			return answered.Status, nil, nil
		}
		if err != nil {
			return 0, nil, err
		}
		if a.location == nil {
			return http.StatusOK, a.response.Body, nil
		}
		u = a.location
	}
	return http.StatusNotFound, nil, nil
}

package webclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
)

const (
	// maxRobots is how many bytes of a robots.txt are read (RFC 9309, 2.5 asks for at least 500 KiB).
	maxRobots = 512 << 10
	// robotsAge is how long a robots.txt is used, and unreachableAge how long a host is left alone
	// whose robots.txt cannot be fetched (RFC 9309, 2.4 and 2.3.1.4).
	robotsAge      = 24 * time.Hour
	unreachableAge = 10 * time.Minute
	robotsTimeout  = 15 * time.Second
	// maxSitemaps is how many sitemaps of a robots.txt are kept.
	maxSitemaps = 100
	// maxOrigins is how many robots.txt files are kept.
	maxOrigins = 500
	// maxCrawlDelay is the longest Crawl-delay that is obeyed.
	maxCrawlDelay = 30 * time.Second
)

// ErrRobots is wrapped by the error of a request that the robots.txt of the host does not allow.
var ErrRobots = errors.New("robots.txt does not allow it")

// robotsCache has the robots.txt of each origin.
type robotsCache struct {
	mu      sync.Mutex // guards origins
	origins map[string]*robotsFile
}

// A robotsFile is the robots.txt of an origin.
type robotsFile struct {
	lock    chan struct{} // holds a value while a request uses the fields below
	rules   *RobotsRules  // nil: everything is allowed, unless err
	err     error         // it cannot be fetched
	expires time.Time
}

// robotsDelay returns an error if robots.txt does not allow a URL, and the Crawl-delay of its host. A
// missing robots.txt is fetched in the turn that ask describes.
func (c *Client) robotsDelay(ctx context.Context, u *url.URL, ask fairqueue.Ask) (time.Duration, error) {
	if c.options.IgnoreRobots || u.Path == "/robots.txt" { // RFC 9309, 2.2.2: it is always allowed
		return 0, nil
	}
	rules, err := c.robotsOf(ctx, u, ask)
	if failed, ok := errors.AsType[*failure](err); ok && failed.url != "" { // name the page, which cannot be fetched either, not its robots.txt
		return 0, &failure{show(u), failed.reason, failed.err}
	}
	if err != nil || rules == nil {
		return 0, err
	}
	path := u.EscapedPath()
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	if !rules.Allow(path) {
		return 0, fmt.Errorf("%s: %w", show(u), ErrRobots)
	}
	return min(rules.Delay, maxCrawlDelay), nil
}

// Sitemaps returns the URLs of sitemaps in the robots.txt of the origin of a URL.
func (c *Client) Sitemaps(ctx context.Context, u *url.URL) ([]string, error) {
	if err := c.rules.url(u); err != nil {
		return nil, err
	}
	rules, err := c.robotsOf(ctx, u, fairqueue.Ask{})
	if err != nil || rules == nil {
		return nil, err
	}
	return rules.Sitemaps[:min(len(rules.Sitemaps), maxSitemaps)], nil
}

// robotsOf returns the rules of the origin of a URL; nil: everything is allowed. One request fetches them, and the others wait.
func (c *Client) robotsOf(ctx context.Context, u *url.URL, ask fairqueue.Ask) (*RobotsRules, error) {
	f := c.robots.file(originOf(u))
	select {
	case f.lock <- struct{}{}:
		defer func() { <-f.lock }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if !time.Now().Before(f.expires) {
		f.rules, f.err = nil, nil
		if c.fillRobots(ctx, f, u, ask); ctx.Err() != nil { // this request gave up: the next one fetches it
			f.expires = time.Time{}
			return nil, context.Cause(ctx)
		}
	}
	return f.rules, f.err
}

// file returns the robots.txt of an origin. If there are too many, it forgets any others.
func (r *robotsCache) file(origin string) *robotsFile {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.origins[origin]
	if f == nil {
		for other := range r.origins {
			if len(r.origins) < maxOrigins {
				break
			}
			delete(r.origins, other)
		}
		f = &robotsFile{lock: make(chan struct{}, 1)}
		r.origins[origin] = f
	}
	return f
}

// fillRobots fetches the robots.txt of the origin of a URL, and sets the fields of f (RFC 9309, 2.3.1).
func (c *Client) fillRobots(ctx context.Context, f *robotsFile, u *url.URL, ask fairqueue.Ask) {
	file := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	a, err := c.Get(ctx, Request{URL: file, Timeout: robotsTimeout, MaxBytes: maxRobots, Accept: "text/plain", Caller: ask.Caller, Background: ask.Background, robots: true})
	status, answered := errors.AsType[*StatusError](err)
	f.expires = time.Now().Add(unreachableAge)
	switch {
	case answered && (status.Status >= 500 || status.Status == http.StatusTooManyRequests):
		f.err = fmt.Errorf("%s: answers %d, so it may allow nothing: %w", show(file), status.Status, ErrRobots)
	case errors.Is(err, ErrRefused):
		f.err = err
	case err != nil && !answered && !errors.Is(err, errManyRedirects):
		f.err = fmt.Errorf("its robots.txt cannot be read, so it may allow nothing: %w", err)
	default:
		f.expires = time.Now().Add(robotsAge)
		if err == nil {
			f.rules = ParseRobots(a.Body, product)
		}
	}
}

package webclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

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
	lock    chan struct{} // holds a value while the fields below are in use
	rules   *RobotsRules  // nil: everything is allowed, unless err
	err     error
	expires time.Time
}

// robotsDelay returns an error if robots.txt does not allow a URL, and the Crawl-delay of its host. A
// missing robots.txt is fetched in the turn that ask describes.
func (c *Client) robotsDelay(ctx context.Context, u *url.URL, ask fairqueue.Ask) (time.Duration, error) {
	if c.options.IgnoreRobots || u.Path == "/robots.txt" { // RFC 9309, 2.2.2
		return 0, nil
	}
	rules, err := c.robotsOf(ctx, u, ask)
	// Name the page instead of its robots.txt.
	if failed, ok := errors.AsType[*failure](err); ok && failed.url != "" {
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
		// If this request gives up, the next one fetches it.
		if c.fillRobots(ctx, f, u, ask); ctx.Err() != nil {
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

// robots.txt is read as RFC 9309 says.
//
//  1. [ParseRobots] reads a file in UTF-8, or in UTF-16 with a byte order mark. A line that it does not understand is left out. It keeps the
//     rules of all groups that name a crawler, or else of all groups for everybody ("*").
//  2. [RobotsRules.Allow] decides about a path: the rule with the longest path wins, and of two as long the one that allows
//     (section 2.2.2). "*" matches any characters, "$" at the end of a rule the end of the path. Paths are compared with
//     escapes in one spelling: of characters that need none they are decoded, and other bytes outside of ASCII are escaped.
//
// The time of a decision grows with the bytes of the rules and of the path, not with their product: a rule is matched in one pass.

// RobotsRules are what a robots.txt says to one crawler. The zero value allows everything.
type RobotsRules struct {
	rules    []robotsRule  // the longest first; of equal length, those that allow
	Delay    time.Duration // Crawl-delay, which is nonstandard; 0: none
	Sitemaps []string
}

// A robotsRule has the literal parts of its path, between asterisks.
type robotsRule struct {
	parts  []string
	end    bool
	length int // bytes, as compared
	allow  bool
}

// robotsKeys are the names of lines, without spaces and hyphens, and how they are often misspelled.
var robotsKeys = map[string]string{
	"useragent": "agent", "allow": "allow", "disallow": "disallow", "crawldelay": "delay", "sitemap": "sitemap",
	"dissallow": "disallow", "dissalow": "disallow", "disalow": "disallow", "diasllow": "disallow", "disallaw": "disallow",
}

// ParseRobots returns the rules for the crawler with a product token.
func ParseRobots(file []byte, product string) *RobotsRules {
	if text, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), file); err == nil {
		file = text
	}
	var all RobotsRules
	var own, others RobotsRules      // for the product, and for everybody
	var named, everybody, begun bool // names of the group, and whether it has other lines
	found := false
	for line := range bytes.FieldsFuncSeq(file, func(r rune) bool { return r == '\n' || r == '\r' }) {
		text, _, _ := strings.Cut(string(line), "#")
		name, value, ok := strings.Cut(text, ":")
		if !ok { // Google reads a space as a colon
			name, value, _ = strings.Cut(strings.TrimSpace(text), " ")
		}
		value = strings.Trim(value, " \t\v\f\x00")
		key := robotsKeys[strings.NewReplacer(" ", "", "\t", "", "-", "").Replace(strings.ToLower(name))]
		switch key {
		case "agent":
			if begun {
				named, everybody, begun = false, false, false
			}
			token := value[:len(value)-len(strings.TrimLeftFunc(value, isToken))]
			named = named || strings.EqualFold(token, product)
			everybody = everybody || value == "*" || strings.HasPrefix(value, "* ")
			found = found || named
		case "sitemap":
			all.Sitemaps = append(all.Sitemaps, strings.TrimSpace(string(line[bytes.IndexByte(line, ':')+1:])))
		case "":
		default:
			begun = true
			if named {
				own.add(key, value)
			}
			if everybody {
				others.add(key, value)
			}
		}
	}
	if !found {
		own = others
	}
	own.Sitemaps = all.Sitemaps
	slices.SortStableFunc(own.rules, func(a, b robotsRule) int {
		if a.length == b.length && a.allow != b.allow {
			return map[bool]int{true: -1, false: 1}[a.allow]
		}
		return b.length - a.length
	})
	return &own
}

// isToken reports whether a character can be in a product token (RFC 9309, section 2.2.1).
func isToken(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_'
}

// add adds a line of a group.
func (r *RobotsRules) add(key, value string) {
	if key == "delay" {
		if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
			r.Delay = time.Duration(min(seconds, 1e6) * float64(time.Second))
		}
		return
	}
	if value = Spelled(value); value == "" { // "Disallow:" allows everything
		return
	}
	rest, end := strings.CutSuffix(value, "$")
	r.rules = append(r.rules, robotsRule{strings.Split(rest, "*"), end, len(value), key == "allow"})
}

// Allow reports whether a crawler may fetch a path with its query, both escaped as in a request. An empty path is "/".
func (r *RobotsRules) Allow(path string) bool {
	if path = Spelled(path); path == "" {
		path = "/"
	}
	i := slices.IndexFunc(r.rules, func(rule robotsRule) bool { return rule.matches(path) })
	return i < 0 || r.rules[i].allow
}

// matches finds each part as early as possible, which leaves the most for the parts after it.
func (r robotsRule) matches(path string) bool {
	path, ok := strings.CutPrefix(path, r.parts[0])
	last := len(r.parts) - 1
	for i := 1; ok && i <= last; i++ {
		if i == last && r.end {
			return strings.HasSuffix(path, r.parts[i])
		}
		_, path, ok = strings.Cut(path, r.parts[i])
	}
	return ok && (!r.end || last > 0 || path == "")
}

// Spelled returns an escaped path or query in the spelling in which it is compared: characters that need no escape are decoded, and
// other bytes are escaped, in upper case (RFC 3986, 6.2.2). Spaces, quotes and other characters than ASCII are escaped, as browsers
// do: servers refuse them otherwise, and a stranger could put sentences and lines into messages that name the URL.
func Spelled(path string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		escaped := c >= 0x80 || c <= ' ' || c == 0x7f || strings.IndexByte("\"<>`", c) >= 0
		if n, err := strconv.ParseUint(path[i+1:min(i+3, len(path))], 16, 8); c == '%' && err == nil && i+3 <= len(path) {
			c, i = byte(n), i+2
			escaped = !isToken(rune(c)) && (c < '0' || c > '9') && c != '.' && c != '~'
		}
		if escaped {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

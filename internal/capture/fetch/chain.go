package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// maxShownURL is how many bytes of a URL a message has.
const maxShownURL = 300

// A Chain is a list of strategies in the order in which they are tried. It is safe for concurrent use.
type Chain struct {
	strategies []Strategy

	mu sync.Mutex // guards learned
	// by host and port: the strategy that succeeded after others failed
	learned map[string]string
}

// NewChain returns a chain of at least one strategy. It remembers for each host which strategy succeeded.
func NewChain(strategies ...Strategy) *Chain {
	return &Chain{strategies: strategies, learned: make(map[string]string)}
}

// An Attempt is the outcome of one strategy.
type Attempt struct {
	Strategy string
	Err      error
	Took     time.Duration
}

// Failed is the error for a page that no strategy could fetch.
type Failed struct {
	URL      string
	Attempts []Attempt
	Refused  []string
}

// Error returns which strategies were tried, why each failed, and how long it took.
func (f *Failed) Error() string {
	if len(f.Attempts) == 0 {
		return "Failed to scrape " + f.URL + ": " + strings.Join(f.Refused, "; ")
	}
	var names, reasons, times []string
	for _, a := range f.Attempts {
		names = append(names, a.Strategy)
		reasons = append(reasons, fmt.Sprintf("- %s: %v", a.Strategy, a.Err))
		times = append(times, fmt.Sprintf("- %s: %dms", a.Strategy, a.Took.Milliseconds()))
	}
	return "Failed to scrape " + f.URL + ": All strategies failed\n\nDiagnostics:\nStrategies attempted: " + strings.Join(names, ", ") +
		"\n\nErrors:\n" + strings.Join(reasons, "\n") + "\n\nTiming:\n" + strings.Join(times, "\n")
}

// Unwrap returns the errors of all attempts.
func (f *Failed) Unwrap() []error {
	var list []error
	for _, a := range f.Attempts {
		list = append(list, a.Err)
	}
	return list
}

// errShell is the error for an answer without text, which counts only if no later strategy succeeds.
var errShell = errors.New("the page has no text until its scripts have run")

// Fetch fetches a page. It calls report with the name of each strategy that it tries, and returns the attempts that
// failed before the answer. The error is [context.Cause] of ctx or [*Failed].
func (c *Chain) Fetch(ctx context.Context, r *Request, report func(strategy string)) (*Answer, []Attempt, error) {
	failed := &Failed{URL: excerpt.Ellipsis(r.URL.Redacted(), maxShownURL)}
	able, refused := c.able(r)
	if len(able) == 0 {
		failed.Refused = refused
		return nil, nil, failed
	}
	usual, learned := able[0].Name(), c.recall(r)
	if i := slices.IndexFunc(able, func(s Strategy) bool { return s.Name() == learned }); i > 0 {
		s := able[i]
		able = slices.Insert(slices.Delete(able, i, i+1), 0, s)
	}
	var deadline time.Time
	if r.Timeout > 0 {
		deadline = time.Now().Add(r.Timeout)
	}
	var shell *Answer
	for i, s := range able {
		if report != nil {
			report(s.Name())
		}
		began := time.Now()
		answer, err := ask(ctx, s, r, deadline, i < len(able)-1)
		took := time.Since(began)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if err == nil && s.Name() == NativeName && isShell(answer) {
			shell, err = answer, errShell
		}
		if err == nil {
			answer.Strategy = s.Name()
			if shell != nil { // the server may be stricter than this strategy knows
				answer.Secrecy = stricter(answer.Secrecy, shell.Secrecy)
			}
			switch {
			case s.Name() == usual:
				c.learn(r, "")
			case len(failed.Attempts) > 0 && (shell == nil || shell.Secrecy == nil || *shell.Secrecy == (webclient.Secrecy{})):
				// a server that marks pages as private is always tried first
				c.learn(r, s.Name())
			}
			return answer, failed.Attempts, nil
		}
		failed.Attempts = append(failed.Attempts, Attempt{s.Name(), err, took})
		if final(err) {
			break
		}
	}
	if shell != nil {
		shell.Strategy = NativeName
		shell.Notes = append(shell.Notes, "The page has hardly any text until its scripts have run, and nothing could run them: the option --browser of the server can.")
		return shell, failed.Attempts, nil
	}
	return nil, nil, failed
}

// able returns the strategies that can serve a request, and why the others cannot.
func (c *Chain) able(r *Request) (able []Strategy, refused []string) {
	for _, s := range c.strategies {
		if reason := s.Refuses(r); reason == "" {
			able = append(able, s)
		} else if !slices.Contains(refused, reason) {
			refused = append(refused, reason)
		}
	}
	if len(refused) > 1 && c.strategies[0].Name() == NativeName {
		// native refuses for the next strategy, which names what is missing
		refused = refused[1:]
	}
	return able, refused
}

// ask tries a strategy. If others follow, it gets half of the time that is left.
func ask(ctx context.Context, s Strategy, r *Request, deadline time.Time, others bool) (*Answer, error) {
	if deadline.IsZero() {
		return s.Fetch(ctx, r)
	}
	left := time.Until(deadline)
	if others {
		left /= 2
	}
	slow := fmt.Errorf("does not answer in full within %v", left.Round(time.Millisecond))
	bounded, cancel := context.WithTimeoutCause(ctx, left, slow)
	defer cancel()
	limited := *r
	limited.Timeout = max(left, time.Millisecond)
	answer, err := s.Fetch(bounded, &limited)
	if err != nil && bounded.Err() != nil {
		return nil, context.Cause(bounded)
	}
	return answer, err
}

// stricter combines what two answers say; nil: neither says anything.
func stricter(a, b *webclient.Secrecy) *webclient.Secrecy {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	both := a.And(*b)
	return &both
}

// final reports whether an error would be the same for every other strategy, or forbids to try one.
func final(err error) bool {
	status, ok := errors.AsType[*webclient.StatusError](err)
	return errors.Is(err, webclient.ErrRefused) || errors.Is(err, webclient.ErrRobots) || errors.Is(err, webclient.ErrExhausted) ||
		ok && (status.Status == http.StatusNotFound || status.Status == http.StatusGone)
}

// maxLearned is how many hosts are remembered.
const maxLearned = 1000

// key returns the key of a request in what is learned, or "" if its outcome says nothing about other requests.
func key(r *Request) string {
	if !r.Plain() || len(r.Header) > 0 {
		return ""
	}
	return strings.ToLower(r.URL.Host)
}

// recall returns the name of the strategy to try first for a request, or "".
func (c *Chain) recall(r *Request) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.learned[key(r)]
}

// learn records that a strategy succeeded for a request. "" forgets the host: its sites need the usual strategy again.
func (c *Chain) learn(r *Request, strategy string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.learned, key(r))
	for host := range c.learned {
		if len(c.learned) < maxLearned {
			break
		}
		delete(c.learned, host)
	}
	if strategy != "" && key(r) != "" {
		c.learned[key(r)] = strategy
	}
}

// maxShell is the size of the largest shell. A larger page contains its text, as data or as HTML.
const maxShell = 2 << 20

// isShell reports whether an answer is HTML with a script and hardly any text.
func isShell(a *Answer) bool {
	return len(a.Body) <= maxShell && webpage.ReadLeads(webpage.Source{URL: cmp.Or(a.URL, new(url.URL)), ContentType: a.ContentType, Body: a.Body}, nil, "").Shell
}

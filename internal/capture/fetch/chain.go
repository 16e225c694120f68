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
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// A Chain is strategies in the order in which they are asked. It is safe for concurrent use.
type Chain struct {
	strategies []Strategy
	memory     *Memory
}

// NewChain returns a chain of at least one strategy. memory may be nil: then nothing is remembered.
func NewChain(memory *Memory, strategies ...Strategy) *Chain {
	return &Chain{strategies, memory}
}

// Names returns the names of the strategies.
func (c *Chain) Names() []string {
	var names []string
	for _, s := range c.strategies {
		names = append(names, s.Name())
	}
	return names
}

// An Attempt is what came of a strategy that was asked.
type Attempt struct {
	Strategy string
	Err      error
	Took     time.Duration
}

// Failed is the error of a page that no strategy could get.
type Failed struct {
	URL      string
	Attempts []Attempt
	Refused  []string // why none could be asked, if there are no attempts; each names its remedy
}

// Error returns what was tried, why each failed, and how long it took.
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

// errShell is why an answer without a text does not count at once.
var errShell = errors.New("the page has no text until its scripts have run")

// Fetch gets a page. report is called with the name of each strategy that is asked. The attempts
// are those that failed before; an error is that of ctx or [*Failed].
func (c *Chain) Fetch(ctx context.Context, r *Request, report func(strategy string)) (*Answer, []Attempt, error) {
	failed := &Failed{URL: shown(r.URL)}
	var able []Strategy
	for _, s := range c.strategies {
		if reason := s.Refuses(r); reason == "" {
			able = append(able, s)
		} else if !slices.Contains(failed.Refused, reason) {
			failed.Refused = append(failed.Refused, reason)
		}
	}
	if len(able) == 0 {
		if len(failed.Refused) > 1 && c.strategies[0].Name() == NativeName {
			failed.Refused = failed.Refused[1:] // what native would need is there, and says what is wrong
		}
		return nil, nil, failed
	}
	usual := able[0].Name()
	teachable := c.memory != nil && r.Plain() && len(r.Header) == 0
	learned := ""
	if teachable {
		learned = c.memory.Strategy(r.URL)
		if i := slices.IndexFunc(able, func(s Strategy) bool { return s.Name() == learned }); i > 0 {
			s := able[i]
			able = slices.Insert(slices.Delete(able, i, i+1), 0, s)
		}
	}
	var end time.Time
	if r.Timeout > 0 {
		end = time.Now().Add(r.Timeout)
	}
	var shell *Answer
	for i, s := range able {
		if report != nil {
			report(s.Name())
		}
		began := time.Now()
		answer, err := ask(ctx, s, r, end, i < len(able)-1)
		took := time.Since(began)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if err == nil && s.Name() == NativeName && isShell(answer) {
			if i < len(able)-1 {
				shell, err = answer, errShell
			} else if len(c.strategies) == 1 {
				answer.Notes = append(answer.Notes, "The page has hardly any text until its scripts have run: start the server with --browser, which runs them.")
			}
		}
		if err == nil {
			answer.Strategy = s.Name()
			if shell != nil { // the server of the page said something that this strategy may not know
				answer.Secrecy = stricter(answer.Secrecy, shell.Secrecy)
			}
			if teachable {
				c.memory.note(r.URL, s.Name(), s.Name() != usual && len(failed.Attempts) > 0, learned)
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
		shell.Notes = append(shell.Notes, "The page has hardly any text until its scripts have run, and nothing could run them.")
		return shell, failed.Attempts, nil
	}
	return nil, nil, failed
}

// ask asks a strategy, which has half of the time that is left if others come behind it.
func ask(ctx context.Context, s Strategy, r *Request, end time.Time, others bool) (*Answer, error) {
	if end.IsZero() {
		return s.Fetch(ctx, r)
	}
	left := time.Until(end)
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

// stricter returns the stricter of what two answers say; nil: neither says anything.
func stricter(a, b *webclient.Secrecy) *webclient.Secrecy {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	both := a.And(*b)
	return &both
}

// final reports whether an error is one that every strategy would or should have.
func final(err error) bool {
	if errors.Is(err, webclient.ErrRefused) || errors.Is(err, webclient.ErrRobots) || errors.Is(err, webclient.ErrExhausted) {
		return true
	}
	if _, ok := errors.AsType[*webclient.SizeError](err); ok {
		return true
	}
	status, ok := errors.AsType[*webclient.StatusError](err)
	return ok && (status.Status == http.StatusNotFound || status.Status == http.StatusGone)
}

// shown returns a URL for a message.
func shown(u *url.URL) string {
	s := u.Redacted()
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}

package scrapetool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// A query has the arguments of a call, and what they mean.
type query struct {
	arguments
	caller     string
	shared     bool // other callers use the store too
	url        *url.URL
	end        time.Time // deadline of fetching, converting and saving
	header     http.Header
	extract    string
	choice     webpage.Choice
	parameters map[string]string // the result of options
}

// has reports whether the argument formats names a format.
func (q *query) has(format string) bool { return slices.Contains(q.Formats, format) }

// fresh reports whether the page is fetched even if it is in the store: because the caller wants that, or extras, which are not stored.
func (q *query) fresh() bool {
	return q.ForceRescrape || q.has("screenshot") || len(q.made()) > 0 || slices.ContainsFunc(q.Actions, func(a fetch.Action) bool {
		return a.Type == fetch.ActScreenshot || a.Type == fetch.ActScrape || a.Type == fetch.ActScript
	})
}

// made returns the wanted formats that only a service makes.
func (q *query) made() []string {
	var list []string
	for _, f := range []string{"summary", "branding"} {
		if q.has(f) {
			list = append(list, f)
		}
	}
	return list
}

// options returns the arguments that change what is fetched or stored, without headers, and with one
// spelling for each value. Actions may contain passwords, so only their digest is in it.
func (q *query) options() map[string]string {
	o := make(map[string]string)
	text := func(v any) string {
		data, _ := json.Marshal(v) // does not fail for strings and numbers
		return string(data)
	}
	if q.Proxy == fetch.StealthProxy {
		o["proxy"] = string(q.Proxy)
	}
	if !q.BlockAds {
		o["blockAds"] = "false"
	}
	if q.WaitFor > 0 {
		o["waitFor"] = strconv.FormatInt(q.WaitFor, 10)
	}
	if len(q.IncludeTags) > 0 {
		o["includeTags"] = text(q.IncludeTags)
	}
	if len(q.ExcludeTags) > 0 {
		o["excludeTags"] = text(q.ExcludeTags)
	}
	if !q.OnlyMainContent {
		o["onlyMainContent"] = "false"
	}
	if len(q.Actions) > 0 {
		sum := sha256.Sum256([]byte(text(q.Actions)))
		o["actions"] = hex.EncodeToString(sum[:])
	}
	for _, f := range []string{"screenshot", "summary", "branding"} {
		if q.has(f) {
			o[f] = "true"
		}
	}
	if q.extract != "" {
		o["extract"] = q.extract
	}
	return o
}

// personal reports whether the result is for its caller alone.
func (q *query) personal() bool { return len(q.header) > 0 || len(q.Actions) > 0 || q.extract != "" }

// request returns the request whose key the store uses for the query.
func (q *query) request(owner string) store.Request {
	return store.Request{URL: q.url, Owner: owner, Options: q.parameters, Header: q.header}
}

// plain returns the query without extract.
func (q *query) plain() *query {
	p := *q
	p.extract = ""
	p.parameters = p.options()
	return &p
}

// wait waits for a turn until ctx ends. If too many calls wait, the error is a [*fetch.Failed].
func (q *query) wait(ctx context.Context, t *fairqueue.Turns) (done func(), err error) {
	done, err = t.Wait(ctx, q.ask())
	return done, q.busy(err)
}

func (q *query) ask() fairqueue.Ask { return fairqueue.Ask{Caller: q.caller, Unshared: q.caller == ""} }

// busy turns a [*fairqueue.FullError] into a [*fetch.Failed], and returns other errors unchanged.
func (q *query) busy(err error) error {
	if full, ok := errors.AsType[*fairqueue.FullError](err); ok {
		return q.failed("the server is busy: " + full.Error())
	}
	return err
}

// within returns a context that ends at the deadline of the query.
func (q *query) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, q.end, q.failed(fmt.Sprintf("it is not converted and saved within %v", milliseconds(q.Timeout))))
}

func (q *query) failed(why string) error {
	return &fetch.Failed{URL: excerpt.Cut(q.url.Redacted(), 300), Refused: []string{why}}
}

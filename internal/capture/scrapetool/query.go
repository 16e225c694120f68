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

// A query is the arguments of a call, checked.
type query struct {
	caller     string
	shared     bool // other callers use the store too
	url        *url.URL
	timeout    time.Duration
	end        time.Time // of the time that fetching, converting and saving may take
	maxChars   int
	start      int
	handling   string
	force      bool
	clean      bool
	maxAge     time.Duration
	proxy      fetch.Proxy
	blockAds   bool
	header     http.Header
	waitFor    time.Duration
	include    []string
	exclude    []string
	formats    []string // nil: they were not given
	main       bool     // onlyMainContent
	actions    []fetch.Action
	extract    string // of extract
	choice     webpage.Choice
	parameters map[string]string // those that change what is fetched or kept, each in one spelling
}

// has reports whether a format was asked for by its name.
func (q *query) has(format string) bool { return slices.Contains(q.formats, format) }

// made are the formats that only a service makes.
func (q *query) made() []string {
	var list []string
	for _, f := range []string{"summary", "branding"} {
		if q.has(f) {
			list = append(list, f)
		}
	}
	return list
}

// options are the arguments that change what is fetched or kept, without headers, in one spelling
// for each value. Actions may have passwords in them, so that they are a digest.
func (q *query) options() map[string]string {
	o := make(map[string]string)
	text := func(v any) string {
		data, _ := json.Marshal(v) // strings and numbers can always be encoded
		return string(data)
	}
	if q.proxy == fetch.StealthProxy {
		o["proxy"] = string(q.proxy)
	}
	if !q.blockAds {
		o["blockAds"] = "false"
	}
	if q.waitFor > 0 {
		o["waitFor"] = strconv.FormatInt(q.waitFor.Milliseconds(), 10)
	}
	if len(q.include) > 0 {
		o["includeTags"] = text(q.include)
	}
	if len(q.exclude) > 0 {
		o["excludeTags"] = text(q.exclude)
	}
	if !q.main {
		o["onlyMainContent"] = "false"
	}
	if len(q.actions) > 0 {
		sum := sha256.Sum256([]byte(text(q.actions)))
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

// personal reports whether what is fetched is for its caller alone.
func (q *query) personal() bool { return len(q.header) > 0 || len(q.actions) > 0 || q.extract != "" }

// request is what a capture of the query depends on.
func (q *query) request(owner string) store.Request {
	return store.Request{URL: q.url, Owner: owner, Options: q.parameters, Header: q.header}
}

// plain is the query without extract.
func (q *query) plain() *query {
	p := *q
	p.extract = ""
	p.parameters = p.options()
	return &p
}

// wait waits for a turn of a query, until ctx ends. If too many wait, the error is a [*fetch.Failed].
func (q *query) wait(ctx context.Context, t *fairqueue.Turns) (done func(), err error) {
	done, err = t.Wait(ctx, q.ask())
	return done, q.busy(err)
}

func (q *query) ask() fairqueue.Ask { return fairqueue.Ask{Caller: q.caller, Only: q.caller == ""} }

// busy returns an error of turns for the caller.
func (q *query) busy(err error) error {
	if full, ok := errors.AsType[*fairqueue.FullError](err); ok {
		return q.failed("the server is busy: " + full.Error())
	}
	return err
}

// within returns a context that ends when the time of the query is over.
func (q *query) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, q.end, q.failed(fmt.Sprintf("it is not converted and saved within %v", q.timeout)))
}

func (q *query) failed(why string) error {
	return &fetch.Failed{URL: excerpt.Cut(q.url.Redacted(), 300), Refused: []string{why}}
}

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

// A job is the arguments of a call, checked.
type job struct {
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
	query      string // of extract
	choice     webpage.Choice
	parameters map[string]string // those that change what is fetched or kept, each in one spelling
}

// has reports whether a format was asked for by its name.
func (j *job) has(format string) bool { return slices.Contains(j.formats, format) }

// made are the formats that only a service makes.
func (j *job) made() []string {
	var list []string
	for _, f := range []string{"summary", "branding"} {
		if j.has(f) {
			list = append(list, f)
		}
	}
	return list
}

// options are the arguments that change what is fetched or kept, without headers, in one spelling
// for each value. Actions may have passwords in them, so that they are a digest.
func (j *job) options() map[string]string {
	o := make(map[string]string)
	text := func(v any) string {
		data, _ := json.Marshal(v) // strings and numbers can always be encoded
		return string(data)
	}
	if j.proxy == fetch.StealthProxy {
		o["proxy"] = string(j.proxy)
	}
	if !j.blockAds {
		o["blockAds"] = "false"
	}
	if j.waitFor > 0 {
		o["waitFor"] = strconv.FormatInt(j.waitFor.Milliseconds(), 10)
	}
	if len(j.include) > 0 {
		o["includeTags"] = text(j.include)
	}
	if len(j.exclude) > 0 {
		o["excludeTags"] = text(j.exclude)
	}
	if !j.main {
		o["onlyMainContent"] = "false"
	}
	if len(j.actions) > 0 {
		sum := sha256.Sum256([]byte(text(j.actions)))
		o["actions"] = hex.EncodeToString(sum[:])
	}
	for _, f := range []string{"screenshot", "summary", "branding"} {
		if j.has(f) {
			o[f] = "true"
		}
	}
	if j.query != "" {
		o["extract"] = j.query
	}
	return o
}

// personal reports whether what is fetched is for its caller alone.
func (j *job) personal() bool { return len(j.header) > 0 || len(j.actions) > 0 || j.query != "" }

// request is what a capture of the job depends on.
func (j *job) request(owner string) store.Request {
	return store.Request{URL: j.url, Owner: owner, Options: j.parameters, Header: j.header}
}

// plain is the job without extract.
func (j *job) plain() *job {
	p := *j
	p.query = ""
	p.parameters = p.options()
	return &p
}

// wait waits for a turn of a job, until ctx ends. If too many wait, the error is a [*fetch.Failed].
func (j *job) wait(ctx context.Context, t *fairqueue.Turns) (done func(), err error) {
	done, err = t.Wait(ctx, j.ask())
	return done, j.busy(err)
}

func (j *job) ask() fairqueue.Ask { return fairqueue.Ask{Caller: j.caller, Only: j.caller == ""} }

// busy returns an error of turns for the caller.
func (j *job) busy(err error) error {
	if full, ok := errors.AsType[*fairqueue.FullError](err); ok {
		return j.failed("the server is busy: " + full.Error())
	}
	return err
}

// within returns a context that ends when the time of the job is over.
func (j *job) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, j.end, j.failed(fmt.Sprintf("it is not converted and saved within %v", j.timeout)))
}

func (j *job) failed(why string) error {
	return &fetch.Failed{URL: excerpt.Cut(j.url.Redacted(), 300), Refused: []string{why}}
}

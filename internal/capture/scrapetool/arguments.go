package scrapetool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/llm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/toolargs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// Defaults and bounds of arguments.
const (
	defaultTimeout  = 60_000 // milliseconds
	maxTimeout      = 600_000
	defaultMaxChars = 100_000
	mostMaxChars    = 1_000_000
	defaultMaxAge   = 172_800_000 // milliseconds: two days
	maxWaitFor      = 60_000      // milliseconds
	maxPrompt       = 10_000      // bytes
)

// formats are what a page can be had as.
var formats = []string{"markdown", "html", "rawHtml", "links", "images", "screenshot", "summary", "branding"}

// names are the names of all arguments.
var names = []string{
	"url", "timeout", "maxChars", "startIndex", "resultHandling", "forceRescrape", "cleanScrape", "maxAge", "proxy", "blockAds", "headers",
	"waitFor", "includeTags", "excludeTags", "formats", "onlyMainContent", "actions", "extract",
}

// parse reads the arguments of a call. extracts says that there is a model for extract. The error is
// a [*tools.Mistake], which has everything that is wrong.
func parse(raw json.RawMessage, extracts bool) (*query, error) {
	r := &reader{}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &r.given); err != nil {
			return nil, invalid("must be an object")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.given)) {
		if len(r.wrong) == maxWrong {
			break
		}
		if slices.Contains(names, name) {
			continue
		}
		r.fail(excerpt.Cut(name, 60), "is no argument of scrape%s", nearest.Meant(name, names))
	}
	q := &query{
		timeout:  time.Duration(r.number("timeout", defaultTimeout, 1, maxTimeout)) * time.Millisecond,
		maxChars: r.number("maxChars", defaultMaxChars, 1, mostMaxChars),
		start:    r.number("startIndex", 0, 0, math.MaxInt32),
		handling: r.choice("resultHandling", toolargs.SaveAndReturn, toolargs.SaveOnly, toolargs.SaveAndReturn, toolargs.ReturnOnly),
		force:    r.bool("forceRescrape", false),
		clean:    r.bool("cleanScrape", true),
		maxAge:   time.Duration(r.number("maxAge", defaultMaxAge, 0, math.MaxInt32*1000)) * time.Millisecond,
		proxy:    fetch.Proxy(r.choice("proxy", string(fetch.AutoProxy), string(fetch.BasicProxy), string(fetch.StealthProxy), string(fetch.AutoProxy))),
		blockAds: r.bool("blockAds", true),
		waitFor:  time.Duration(r.number("waitFor", 0, 0, maxWaitFor)) * time.Millisecond,
		main:     r.bool("onlyMainContent", true),
	}
	var target string
	q.end = time.Now().Add(q.timeout)
	if !value(r, "url", "a string", &target) && len(r.wrong) == 0 || target == "" && r.given["url"] == nil {
		r.fail("url", "is missing")
	} else if target != "" || string(r.given["url"]) == `""` {
		var err error
		if q.url, err = address(target); err != nil {
			r.fail("url", "%v", err)
		}
	}
	var headers map[string]string
	value(r, "headers", "an object of strings", &headers)
	q.header = toolargs.Header("headers", headers, r.fail)
	value(r, "includeTags", "an array of strings", &q.include)
	value(r, "excludeTags", "an array of strings", &q.exclude)
	q.choice.Include, q.choice.Exclude = toolargs.Selectors("includeTags", q.include, r.fail), toolargs.Selectors("excludeTags", q.exclude, r.fail)
	q.choice.Whole = !q.main
	r.formats(q)
	var actions []json.RawMessage
	value(r, "actions", "an array of objects", &actions)
	q.actions = toolargs.Actions("actions", actions, r.fail)
	if value(r, "extract", "a string", &q.extract) {
		switch q.extract = strings.TrimSpace(q.extract); {
		case q.extract == "":
			r.fail("extract", "is empty")
		case len(q.extract) > maxPrompt:
			r.fail("extract", "has %d bytes, must have at most %d", len(q.extract), maxPrompt)
		case !extracts:
			r.fail("extract", "needs a language model: set %s and %s where the server is started", llm.ProviderVar, llm.KeyVar)
		}
	}
	if len(r.wrong) > 0 {
		return nil, invalid(strings.Join(r.wrong, ", "))
	}
	q.parameters = q.options()
	return q, nil
}

func (r *reader) formats(q *query) {
	if !value(r, "formats", "an array of strings", &q.formats) {
		return
	}
	for i, f := range q.formats {
		if !slices.Contains(formats, f) {
			r.fail(fmt.Sprintf("formats[%d]", i), "%s", nearest.NotOneOf(f, formats))
		}
	}
	if len(q.formats) == 0 {
		r.fail("formats", "is empty: leave it out, or name one of %s", strings.Join(formats, ", "))
	}
}

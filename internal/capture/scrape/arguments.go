package scrape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/llm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// Defaults and bounds of arguments.
const (
	defaultTimeout  = 60_000 // milliseconds
	maxTimeout      = 600_000
	defaultMaxChars = 100_000
	mostMaxChars    = 1_000_000
	defaultMaxAge   = 172_800_000 // milliseconds: two days
	maxWaitFor      = 60_000      // milliseconds
	maxActions      = 50
	maxSelectors    = 50
	maxHeaders      = 50
	maxHeaderBytes  = 16 << 10
	maxPrompt       = 10_000 // bytes
)

// Values of resultHandling.
const (
	saveOnly      = "saveOnly"
	saveAndReturn = "saveAndReturn"
	returnOnly    = "returnOnly"
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
func parse(raw json.RawMessage, extracts bool) (*job, error) {
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
	j := &job{
		timeout:  time.Duration(r.number("timeout", defaultTimeout, 1, maxTimeout)) * time.Millisecond,
		maxChars: r.number("maxChars", defaultMaxChars, 1, mostMaxChars),
		start:    r.number("startIndex", 0, 0, math.MaxInt32),
		handling: r.choice("resultHandling", saveAndReturn, saveOnly, saveAndReturn, returnOnly),
		force:    r.bool("forceRescrape", false),
		clean:    r.bool("cleanScrape", true),
		maxAge:   time.Duration(r.number("maxAge", defaultMaxAge, 0, math.MaxInt32*1000)) * time.Millisecond,
		proxy:    fetch.Proxy(r.choice("proxy", string(fetch.AutoProxy), string(fetch.BasicProxy), string(fetch.StealthProxy), string(fetch.AutoProxy))),
		blockAds: r.bool("blockAds", true),
		waitFor:  time.Duration(r.number("waitFor", 0, 0, maxWaitFor)) * time.Millisecond,
		main:     r.bool("onlyMainContent", true),
	}
	var target string
	j.end = time.Now().Add(j.timeout)
	if !value(r, "url", "a string", &target) && len(r.wrong) == 0 || target == "" && r.given["url"] == nil {
		r.fail("url", "is missing")
	} else if target != "" || string(r.given["url"]) == `""` {
		var err error
		if j.url, err = address(target); err != nil {
			r.fail("url", "%v", err)
		}
	}
	r.headers(j)
	j.include, j.choice.Include = r.selectors("includeTags")
	j.exclude, j.choice.Exclude = r.selectors("excludeTags")
	j.choice.Whole = !j.main
	r.formats(j)
	r.actions(j)
	if value(r, "extract", "a string", &j.query) {
		switch j.query = strings.TrimSpace(j.query); {
		case j.query == "":
			r.fail("extract", "is empty")
		case len(j.query) > maxPrompt:
			r.fail("extract", "has %d bytes, must have at most %d", len(j.query), maxPrompt)
		case !extracts:
			r.fail("extract", "needs a language model: set %s and %s where the server is started", llm.ProviderVar, llm.KeyVar)
		}
	}
	if len(r.wrong) > 0 {
		return nil, invalid(strings.Join(r.wrong, ", "))
	}
	j.parameters = j.options()
	return j, nil
}

// reserved are headers that only the program sets, or that are about a connection.
var reserved = []string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection",
	"Accept-Encoding", "User-Agent", "Expect", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range",
}

func (r *reader) headers(j *job) {
	var given map[string]string
	if !value(r, "headers", "an object of strings", &given) || len(given) == 0 {
		return
	}
	j.header = make(http.Header)
	size := 0
	for _, name := range slices.Sorted(maps.Keys(given)) {
		canonical, v := http.CanonicalHeaderKey(name), strings.TrimSpace(given[name])
		size += len(name) + len(v)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			r.fail("headers", "%q is no name of a header", excerpt.Cut(name, 60))
		case !httpguts.ValidHeaderFieldValue(v):
			r.fail("headers."+canonical, "has a character that no header has")
		case slices.Contains(reserved, canonical):
			r.fail("headers."+canonical, "is set by the server")
		case j.header[canonical] != nil:
			r.fail("headers."+canonical, "is there twice")
		default:
			j.header[canonical] = []string{v}
		}
	}
	if len(given) > maxHeaders || size > maxHeaderBytes {
		r.fail("headers", "must be at most %d of at most %d bytes together", maxHeaders, maxHeaderBytes)
	}
}

func (r *reader) selectors(name string) (texts []string, list []*webpage.Selector) {
	value(r, name, "an array of strings", &texts)
	if len(texts) > maxSelectors {
		r.fail(name, "has %d selectors, must have at most %d", len(texts), maxSelectors)
		return nil, nil
	}
	for i, text := range texts {
		s, err := webpage.ParseSelector(text)
		if err != nil {
			r.fail(fmt.Sprintf("%s[%d]", name, i), "%v", err)
			continue
		}
		list = append(list, s)
	}
	return texts, list
}

func (r *reader) formats(j *job) {
	if !value(r, "formats", "an array of strings", &j.formats) {
		return
	}
	for i, f := range j.formats {
		if !slices.Contains(formats, f) {
			r.fail(fmt.Sprintf("formats[%d]", i), "%s", nearest.NotOneOf(f, formats))
		}
	}
	if len(j.formats) == 0 {
		r.fail("formats", "is empty: leave it out, or name one of %s", strings.Join(formats, ", "))
	}
}

func (r *reader) actions(j *job) {
	var list []json.RawMessage
	value(r, "actions", "an array of objects", &list)
	if len(list) > maxActions {
		r.fail("actions", "are %d, must be at most %d", len(list), maxActions)
		return
	}
	for i, raw := range list {
		var a fetch.Action
		if err := json.Unmarshal(raw, &a); err != nil {
			r.fail(fmt.Sprintf("actions[%d]", i), "%v", err)
			continue
		}
		j.actions = append(j.actions, a)
	}
}

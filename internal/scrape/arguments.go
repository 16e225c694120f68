package scrape

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-docs-server/mcp-docs-server/internal/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/llm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/outbound"
	"github.com/mcp-docs-server/mcp-docs-server/internal/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/webpage"
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

// A job is the arguments of a call, checked.
type job struct {
	caller     string
	url        *url.URL
	timeout    time.Duration
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

// A reader reads the arguments of a call, and collects what is wrong with them.
type reader struct {
	given map[string]json.RawMessage
	wrong []string
}

// maxWrong is how many mistakes are named: more would make an answer many times as large as the
// arguments.
const maxWrong = 20

func (r *reader) fail(name, format string, args ...any) {
	if len(r.wrong) < maxWrong {
		r.wrong = append(r.wrong, name+": "+fmt.Sprintf(format, args...))
	}
}

// value decodes an argument if it was given, and is not null.
func value[T any](r *reader, name, kind string, dst *T) bool {
	raw, ok := r.given[name]
	if !ok || string(raw) == "null" {
		return false
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		r.fail(name, "must be %s", kind)
		return false
	}
	*dst = v
	return true
}

// number decodes a whole number from least to most.
func (r *reader) number(name string, byDefault, least, most int) int {
	n := float64(byDefault)
	if value(r, name, "a number", &n) && (n != math.Trunc(n) || n < float64(least) || n > float64(most)) {
		r.fail(name, "is %s, must be a whole number from %d to %d", strconv.FormatFloat(n, 'g', -1, 64), least, most)
		return byDefault
	}
	return int(n)
}

func (r *reader) choice(name, byDefault string, allowed ...string) string {
	v := byDefault
	if value(r, name, "a string", &v) && !slices.Contains(allowed, v) {
		r.fail(name, "%s", nearest.NotOneOf(v, allowed))
		return byDefault
	}
	return v
}

func (r *reader) bool(name string, byDefault bool) bool {
	v := byDefault
	value(r, name, "true or false", &v)
	return v
}

// An argumentError says what is wrong with arguments. Its text begins an answer.
type argumentError struct{ reason string }

func (e *argumentError) Error() string { return "Invalid arguments: " + e.reason }

func invalid(reason string) error { return &tools.Mistake{Err: &argumentError{reason}} }

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

// address reads a URL as an agent writes it, and returns it in one spelling.
func address(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return nil, errors.New("is empty")
	case !utf8.ValidString(s), strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return nil, errors.New("is no URL: it has control characters")
	}
	if !strings.Contains(s, "://") {
		scheme, rest, found := strings.Cut(s, ":")
		port := rest
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			port = rest[:i]
		}
		_, err := strconv.ParseUint(port, 10, 16)
		if found && err != nil && !strings.ContainsAny(scheme, "/?#.[") {
			return nil, fmt.Errorf("has the scheme %q, must have http or https", excerpt.Cut(scheme, 60))
		}
		s = "https://" + strings.TrimPrefix(s, "//")
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("is no URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("has the scheme %q, must have http or https", excerpt.Cut(u.Scheme, 60))
	}
	host := outbound.ASCII(strings.ToLower(u.Hostname()))
	if host == "" {
		return nil, errors.New("has no host")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && !(u.Scheme == "http" && port == "80") && !(u.Scheme == "https" && port == "443") {
		host += ":" + port
	}
	u.Host, u.RawQuery = host, outbound.EscapeQuery(u.RawQuery)
	if u.Path == "" {
		u.Path = "/"
	}
	if !strings.HasPrefix(u.Fragment, "/") && !strings.HasPrefix(u.Fragment, "!") { // others are places of the page
		u.Fragment, u.RawFragment = "", ""
	}
	return u, nil
}

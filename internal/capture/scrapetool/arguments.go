package scrapetool

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/llm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/toolargs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
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

// formats are the values of the argument formats.
var formats = []string{"markdown", "html", "rawHtml", "links", "images", "screenshot", "summary", "branding"}

// arguments are the arguments of a call, or their defaults.
type arguments struct {
	URL             *string           `json:"url"`
	Timeout         int64             `json:"timeout"` // ms
	MaxChars        int               `json:"maxChars"`
	StartIndex      int               `json:"startIndex"`
	ResultHandling  string            `json:"resultHandling"`
	ForceRescrape   bool              `json:"forceRescrape"`
	CleanScrape     bool              `json:"cleanScrape"`
	MaxAge          int64             `json:"maxAge"` // ms
	Proxy           fetch.Proxy       `json:"proxy"`
	BlockAds        bool              `json:"blockAds"`
	Headers         map[string]string `json:"headers"`
	WaitFor         int64             `json:"waitFor"` // ms
	IncludeTags     []string          `json:"includeTags"`
	ExcludeTags     []string          `json:"excludeTags"`
	Formats         []string          `json:"formats"`
	OnlyMainContent bool              `json:"onlyMainContent"`
	Actions         []json.RawMessage `json:"actions"`
	Extract         *string           `json:"extract"`
}

// reading returns the schema by which arguments are read. It has extract, which clients see only if a
// model is configured.
var reading = sync.OnceValue(func() *tools.Schema { return &tools.Schema{Text: string(schema(true))} })

// parse reads the arguments of a call. extracts says that a model for extract is configured. The error
// is a [*tools.Mistake] with all mistakes.
func parse(raw json.RawMessage, extracts bool) (*query, error) {
	a := arguments{
		Timeout: defaultTimeout, MaxChars: defaultMaxChars, ResultHandling: toolargs.SaveAndReturn, CleanScrape: true, MaxAge: defaultMaxAge, Proxy: fetch.AutoProxy,
		BlockAds: true, OnlyMainContent: true,
	}
	wrong := reading().Read(raw, &a)
	q := &query{
		timeout: time.Duration(a.Timeout) * time.Millisecond, maxChars: a.MaxChars, start: a.StartIndex, handling: a.ResultHandling, force: a.ForceRescrape, clean: a.CleanScrape,
		maxAge: time.Duration(a.MaxAge) * time.Millisecond, proxy: a.Proxy, blockAds: a.BlockAds, waitFor: time.Duration(a.WaitFor) * time.Millisecond,
		include: a.IncludeTags, exclude: a.ExcludeTags, formats: a.Formats, main: a.OnlyMainContent,
	}
	q.end = time.Now().Add(q.timeout)
	if a.URL != nil {
		var err error
		if q.url, err = address(*a.URL); err != nil {
			wrong.Add("url", "%v", err)
		}
	}
	q.header = toolargs.Header("headers", a.Headers, wrong.Add)
	q.choice.Include, q.choice.Exclude = toolargs.Selectors("includeTags", q.include, wrong.Add), toolargs.Selectors("excludeTags", q.exclude, wrong.Add)
	q.choice.Whole = !q.main
	if q.formats != nil && len(q.formats) == 0 {
		wrong.Add("formats", "is empty: leave it out, or name one of %s", strings.Join(formats, ", "))
	}
	q.actions = toolargs.Actions("actions", a.Actions, wrong.Add)
	if a.Extract != nil {
		switch q.extract = strings.TrimSpace(*a.Extract); {
		case q.extract == "":
			wrong.Add("extract", "is empty")
		case len(q.extract) > maxPrompt:
			wrong.Add("extract", "has %d bytes, must have at most %d", len(q.extract), maxPrompt)
		case !extracts:
			wrong.Add("extract", "needs a language model: set %s and %s where the server is started", llm.ProviderVar, llm.KeyVar)
		}
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	q.parameters = q.options()
	return q, nil
}

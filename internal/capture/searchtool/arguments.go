package searchtool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// Bounds on arguments.
const (
	defaultLimit = 5
	maxLimit     = 100
	maxQuery     = 2000 // bytes
	maxPlace     = 200  // bytes
	maxNames     = 20   // in a list
	maxTimeout   = 5 * time.Minute
	maxWaitFor   = time.Minute
)

// arguments are those of the tool.
type arguments struct {
	Query             string         `json:"query"`
	Limit             *int           `json:"limit"`
	Sources           []Source       `json:"sources"`
	Categories        []Category     `json:"categories"`
	Country           string         `json:"country"`
	Lang              string         `json:"lang"`
	Location          string         `json:"location"`
	Timeout           *int           `json:"timeout"`
	IgnoreInvalidURLs bool           `json:"ignoreInvalidURLs"`
	TBS               string         `json:"tbs"`
	Scrape            *scrapeOptions `json:"scrapeOptions"`
}

type scrapeOptions struct {
	Formats         []string `json:"formats"`
	OnlyMainContent *bool    `json:"onlyMainContent"`
	RemoveBase64    *bool    `json:"removeBase64Images"`
	BlockAds        *bool    `json:"blockAds"`
	WaitFor         int      `json:"waitFor"` // ms
	Parsers         []string `json:"parsers"`
}

// PageOptions say how the pages are captured that a search found.
type PageOptions struct {
	Formats         []string // nil: those of the tool scrape
	OnlyMainContent bool
	BlockAds        bool
	WaitFor         time.Duration
	SkipPDF         bool // PDF files are not captured
}

func (q *Query) options() map[string]string {
	return map[string]string{
		"limit": fmt.Sprint(q.Limit), "categories": fmt.Sprint(q.Categories), "country": q.Country, "language": q.Language, "location": q.Place, "tbs": q.Window.tbs,
	}
}

// parse returns the query of a call. All mistakes of the caller are in one [tools.Mistake].
func parse(raw json.RawMessage) (*Query, *arguments, *PageOptions, error) {
	var a arguments
	if err := tools.Arguments(raw, &a); err != nil {
		return nil, nil, nil, err
	}
	var wrong []string
	bad := func(name, format string, args ...any) { wrong = append(wrong, name+": "+fmt.Sprintf(format, args...)) }

	q := &Query{Text: strings.TrimSpace(a.Query), Limit: defaultLimit, Sources: a.Sources, Categories: a.Categories, Place: strings.TrimSpace(a.Location)}
	switch {
	case q.Text == "":
		bad("query", "is missing")
	case len(q.Text) > maxQuery:
		bad("query", "has %d bytes, must have at most %d", len(q.Text), maxQuery)
	}
	if a.Limit != nil {
		if q.Limit = *a.Limit; q.Limit < 1 || q.Limit > maxLimit {
			bad("limit", "is %d, must be from 1 to %d", q.Limit, maxLimit)
		}
	}
	if len(q.Sources) > maxNames {
		bad("sources", "are %d, must be at most %d", len(q.Sources), maxNames)
		q.Sources = nil
	}
	if len(q.Categories) > maxNames {
		bad("categories", "are %d, must be at most %d", len(q.Categories), maxNames)
		q.Categories = nil
	}
	for _, s := range q.Sources {
		if s != Web && s != Images && s != News {
			bad("sources", "%s", nearest.NotOneOf(string(s), []string{string(Web), string(Images), string(News)}))
		}
	}
	for _, c := range q.Categories {
		if c != GitHub && c != Research && c != PDF {
			bad("categories", "%s", nearest.NotOneOf(string(c), []string{string(GitHub), string(Research), string(PDF)}))
		}
	}
	q.Sources, q.Categories = unique(q.Sources), unique(q.Categories)
	if len(q.Sources) == 0 {
		q.Sources = []Source{Web}
	}
	if q.Country = strings.ToUpper(a.Country); q.Country != "" && !isCountry(q.Country) {
		bad("country", "%.50q must be two letters, such as US", a.Country)
	}
	if q.Language = a.Lang; q.Language == "" {
		q.Language = "en"
	} else if !isLanguage(q.Language) {
		bad("lang", "%.50q is not a language, such as en or pt-BR", a.Lang)
	}
	if len(q.Place) > maxPlace {
		bad("location", "has %d bytes, must have at most %d", len(q.Place), maxPlace)
	}
	if a.Timeout != nil {
		if q.Timeout = time.Duration(*a.Timeout) * time.Millisecond; *a.Timeout < 1 || *a.Timeout > int(maxTimeout/time.Millisecond) {
			bad("timeout", "is %d, must be from 1 to %d milliseconds", *a.Timeout, maxTimeout/time.Millisecond)
		}
	}
	var err error
	if q.Window, err = ParseWindow(a.TBS); err != nil {
		bad("tbs", "%v", err)
	}
	pages := a.Scrape.parse(bad)
	if len(wrong) > 0 {
		return nil, nil, nil, &tools.Mistake{Err: errors.New("Invalid arguments: " + strings.Join(wrong, ", "))}
	}
	return q, &a, pages, nil
}

func (s *scrapeOptions) parse(bad func(name, format string, args ...any)) *PageOptions {
	if s == nil {
		return nil
	}
	o := &PageOptions{Formats: s.Formats, OnlyMainContent: s.OnlyMainContent == nil || *s.OnlyMainContent, BlockAds: s.BlockAds == nil || *s.BlockAds}
	if s.RemoveBase64 != nil && !*s.RemoveBase64 {
		bad("scrapeOptions.removeBase64Images", "must be true: images within a page are left out, since they are text that says nothing")
	}
	if o.WaitFor = time.Duration(s.WaitFor) * time.Millisecond; s.WaitFor < 0 || s.WaitFor > int(maxWaitFor/time.Millisecond) {
		bad("scrapeOptions.waitFor", "is %d, must be from 0 to %d milliseconds", s.WaitFor, maxWaitFor/time.Millisecond)
	}
	for _, p := range s.Parsers[:min(len(s.Parsers), maxNames)] {
		if p != "pdf" {
			bad("scrapeOptions.parsers", "%s", nearest.NotOneOf(p, []string{"pdf"}))
		}
	}
	o.SkipPDF = s.Parsers != nil && len(s.Parsers) == 0
	return o
}

func unique[T ~string](list []T) []T {
	var kept []T
	for _, v := range list {
		if !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	return kept
}

func isCountry(s string) bool {
	return len(s) == 2 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z'
}

var languages = lazyregexp.New(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$`)

func isLanguage(s string) bool { return languages().MatchString(s) }

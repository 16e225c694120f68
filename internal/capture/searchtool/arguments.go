package searchtool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/toolargs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Bounds on arguments.
const (
	defaultLimit = 5
	maxQuery     = 2000 // bytes
	maxPlace     = 200  // bytes
	maxNames     = 20   // in a list
)

// arguments are the arguments of a call.
type arguments struct {
	Query             *string        `json:"query"`
	Limit             int            `json:"limit"`
	Sources           []Source       `json:"sources"`
	Categories        []Category     `json:"categories"`
	Country           string         `json:"country"`
	Lang              string         `json:"lang"`
	Location          string         `json:"location"`
	Timeout           int            `json:"timeout"` // ms; 0: the default
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

// PageOptions say how the found pages are captured.
type PageOptions struct {
	Formats         []string // nil: the default of the tool scrape
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

// parse returns the query of a call. The error is a [*tools.Mistake] with all mistakes.
func parse(raw json.RawMessage) (*Query, *arguments, *PageOptions, error) {
	a := &arguments{Limit: defaultLimit, Lang: "en"}
	wrong := schema.Read(raw, a)
	q := &Query{
		Limit: a.Limit, Sources: a.Sources, Categories: a.Categories, Language: cmp.Or(a.Lang, "en"), Place: strings.TrimSpace(a.Location),
		Timeout: time.Duration(a.Timeout) * time.Millisecond,
	}
	if a.Query != nil {
		switch q.Text = strings.TrimSpace(*a.Query); {
		case q.Text == "":
			wrong.Add("query", "is missing")
		case len(q.Text) > maxQuery:
			wrong.Add("query", "has %d bytes, must have at most %d", len(q.Text), maxQuery)
		}
	}
	if len(q.Sources) > maxNames {
		wrong.Add("sources", "are %d, must be at most %d", len(q.Sources), maxNames)
		q.Sources = nil
	}
	if len(q.Categories) > maxNames {
		wrong.Add("categories", "are %d, must be at most %d", len(q.Categories), maxNames)
		q.Categories = nil
	}
	q.Sources, q.Categories = unique(q.Sources), unique(q.Categories)
	if len(q.Sources) == 0 {
		q.Sources = []Source{Web}
	}
	if q.Country = strings.ToUpper(a.Country); q.Country != "" && !toolargs.Country(q.Country) {
		wrong.Add("country", "%.50q must be two letters, such as US", a.Country)
	}
	if !isLanguage(q.Language) {
		wrong.Add("lang", "%.50q is not a language, such as en or pt-BR", a.Lang)
	}
	if len(q.Place) > maxPlace {
		wrong.Add("location", "has %d bytes, must have at most %d", len(q.Place), maxPlace)
	}
	var err error
	if q.Window, err = ParseWindow(a.TBS); err != nil {
		wrong.Add("tbs", "%v", err)
	}
	if o := a.Scrape; o != nil && o.RemoveBase64 != nil && !*o.RemoveBase64 {
		wrong.Add("scrapeOptions.removeBase64Images", "must be true: images within a page are always left out, since their text says nothing")
	}
	return q, a, a.Scrape.pages(), wrong.Err()
}

func (s *scrapeOptions) pages() *PageOptions {
	if s == nil {
		return nil
	}
	return &PageOptions{
		Formats: s.Formats, OnlyMainContent: s.OnlyMainContent == nil || *s.OnlyMainContent, BlockAds: s.BlockAds == nil || *s.BlockAds,
		WaitFor: time.Duration(s.WaitFor) * time.Millisecond, SkipPDF: s.Parsers != nil && len(s.Parsers) == 0,
	}
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

var languages = lazyregexp.New(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$`)

func isLanguage(s string) bool { return languages().MatchString(s) }

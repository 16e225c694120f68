// Package webtools implements the tools for the web: [Scraper] (scrape), [Options.Map] (map), [Crawler] (crawl) and
// [Scraper.SearchTool] (web_search).
//
// # Arguments
//
// The tags of a struct describe the arguments of a tool to agents, and set their defaults ([tools.SchemaOf]). All mistakes of a call are reported together.
// URLs, header fields, CSS selectors and actions are read in arguments.go.
//
// # scrape
//
// The tool returns one page of the web.
//
//  1. Arguments are checked, and all mistakes are reported together (scrape.go, arguments.go).
//  2. If the store has a capture of the same request that is not older than maxAge, it is the answer.
//     If it is older, the next request is conditional (stored.go, document.go).
//  3. Otherwise package fetch fetches the page, with the first strategy that can, and package webpage
//     makes Markdown of it. For extract, a language model is asked (document.go, llm.go).
//  4. Page, Markdown and extract are stored together (stored.go). Extras such as screenshots are in the answer only, so a page with
//     extras is always fetched.
//  5. A fresh and a stored document give the same answer, but for the lines that say which one it is
//     (answer.go).
//  6. A capture is public, unless the call has headers, actions or extract, or the server calls the
//     page private: then only its caller sees it. If there are several callers, a page with no-store is
//     not stored. When a page becomes private, its public capture is removed; a 304 never makes a
//     private capture public. Headers are never stored, and only a digest of actions is.
//  7. maxChars, startIndex and warnings count characters, that is, code points of Unicode.
//
// # map
//
// The tool lists the URLs of a site without capturing its pages.
//
//  1. A call reads llms.txt, the sitemaps and up to ten pages of the site through [crawl.Crawl], which
//     obeys robots.txt, the pace of the host and the rules for addresses. If the site does not answer
//     in time, the answer has the URLs found until then, and a note.
//  2. The list includes pages that were captured before. Titles come from sitemaps, links, pages and
//     captures.
//  3. With a search, the list keeps the URLs that have one of its words in the URL or the title. URLs
//     with more of the words come first.
//  4. The store keeps the whole list, so that the next call continues the same list. Each part that a
//     call returns is also a resource of its own, which can be read again.
//
// A part is bounded in URLs, and by [maxMapPage] in bytes. At most [maxMapURLs] URLs are in memory, with
// some 300 bytes each.
//
// # crawl
//
// The tool captures sites into the store, as jobs that run in the background.
//
// A job is a crawl of package crawl, and lives in the process that started it. Its keeper puts each page into the store,
// where it becomes a resource of the job's caller at once. While a job runs, its pages are pinned, so other captures do not
// displace them. If the store is full, the job fails with the error of the store, which names the limit. Pages that the
// site refuses are fetched through Firecrawl, one by one, if it is configured.
//
// If replicas share a database, the process writes the state of its job, its captures and, each second, a sign of
// life through [Jobs]. From the result it learns whether another process asks to cancel the job. A running job without a sign of life for
// [silence] counts as interrupted when it is read: nothing continues it. Every request for a job compares the caller.
//
// Without a database, jobs end with their process; the pages that they captured stay in the store.
//
// When a caller begins a crawl with the same arguments again, pages of its earlier jobs that are still in the store are not
// requested again: the new job takes their captures, and the URLs that the earlier job had not captured. A crawl with
// headers neither takes such pages nor gives them, since the headers may decide what a page says and are not kept.
//
// All jobs of a process share one client, with one budget of connections and the pace of each host. A job is bounded
// by its number of pages, [maxCrawlBytes] and [maxCrawlTime]; a process runs [maxRunning] jobs and remembers [maxJobs], each for
// [jobTime] after its end. A caller may start another job only while more places are free than it has running jobs, as in
// package fairqueue: so the last place is for a caller that has none.
//
// # web_search
//
// The tool searches the web by services that the operator configured. A [Provider] is one such service: SearXNG, Brave or Firecrawl.
//
//  1. The arguments of the tool become a [Query]. All mistakes are reported together.
//  2. The providers are tried in their order, until one succeeds. A provider that does not support the
//     query, such as a search by location, is skipped.
//  3. The store keeps a list of results for each source. Lists are private to the caller, since a search
//     shows what the caller is interested in.
//  4. With scrapeOptions, the pages are captured, and the answer links to the captures.
//  5. Strangers write titles and descriptions. The answer has them as JSON, each on one line and of
//     bounded length, and has only http and https URLs.
package webtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// The names of tools. The name search is taken by a tool for connectors of ChatGPT.
const (
	ScrapeName = "scrape"
	MapName    = "map"
	CrawlName  = "crawl"
	SearchName = "web_search"
)

// Options are what the tools of a project use.
type Options struct {
	Client    *webclient.Client
	Chain     *fetch.Chain
	Acts      bool
	Firecrawl *firecrawl.Strategy
	Providers []Provider // in order of preference
	LLM       *Model
	Store     *store.Store
	Jobs      Jobs // nil: no other process sees the crawls
	Converter *conversion.Converter
	Logger    *slog.Logger
	Now       func() time.Time
}

var errStorage = errors.New("the store failed")

// public returns what a client may read of an error of the store, without details of this computer. It logs other errors.
func (o *Options) public(err error) error {
	if err == nil || errors.Is(err, store.ErrTooLarge) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || fserr.Full(err) {
		return err
	}
	o.Logger.Warn("a capture cannot be kept", "error", err)
	return cmp.Or(database.Public(err), errStorage)
}

// keepJSON puts JSON into the store, and returns the block for it: a resource, or a text if it cannot be kept.
func (o *Options) keepJSON(ctx context.Context, r store.Request, text []byte, source, name, description string) (tools.Block, error) {
	uri, err := o.Store.PutJSON(ctx, r, text, source, name, description)
	if err != nil {
		return tools.Block{Text: string(text)}, o.public(err)
	}
	return tools.Block{Resource: &tools.Resource{URI: uri, Name: name, MIME: "application/json", Text: new(string(text))}}, nil
}

// failure returns the answer to a call that fails for another reason than wrong arguments.
func failure(what string, err error) *tools.Output {
	return tools.Failure(what + " error: " + err.Error())
}

// more says how to go on after the first n of all parts of a result.
func more(n, all int) string {
	if n == all {
		return ""
	}
	return fmt.Sprintf("\n\n[More results available. Use startIndex: %d to continue]", n)
}

// oneLine returns a text of strangers on one line of at most a number of bytes.
func oneLine(s string, most int) string {
	return excerpt.Ellipsis(excerpt.OneLine(strings.ToValidUTF8(s, "\ufffd")), most)
}

// milliseconds returns a duration.
func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

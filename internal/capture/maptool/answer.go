package maptool

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/toolargs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// answer returns one page of the list.
func answer(ctx context.Context, o *Options, c *tools.Call, q *query, list []item, notes []string) *tools.Output {
	from := min(q.StartIndex, len(list))
	to := from
	size := 2
	for to < len(list) && to-from < q.MaxResults && size < maxPage {
		size += len(list[to].URL) + len(list[to].Title) + 30
		to++
	}
	page := list[from:to]
	text, _ := json.Marshal(page) // does not fail for texts
	var b strings.Builder
	fmt.Fprintf(&b, "Map Results for %s\n%s\nTotal URLs discovered: %d\n", q.url, strings.Repeat("━", 41), len(list))
	switch {
	case len(page) > 0:
		fmt.Fprintf(&b, "Showing: %d-%d of %d", from+1, to, len(list))
	case len(list) == 0:
		b.WriteString("Showing: none")
	default:
		fmt.Fprintf(&b, "Showing: none: startIndex %d is after the last of %d", q.StartIndex, len(list))
	}
	for _, note := range notes {
		b.WriteString("\nNote: " + note)
	}
	if to < len(list) {
		fmt.Fprintf(&b, "\n\n[More results available. Use startIndex: %d to continue]", to)
	}
	summary := tools.Block{Text: b.String()}
	if len(page) == 0 {
		return tools.Answer(summary)
	}
	name := fmt.Sprintf("URL Map: %s (%s)", q.url, count(len(page)))
	if q.ResultHandling != toolargs.ReturnOnly {
		uri, err := o.Store.PutJSON(ctx, q.request(c.Caller, fmt.Sprintf("%d-%d", from, to)), text, "native", name, description)
		if err == nil {
			if q.ResultHandling == toolargs.SaveOnly {
				return tools.Answer(summary, tools.Block{Link: &tools.Link{URI: uri, Name: name, MIME: "application/json", Size: int64(len(text)),
					Description: fmt.Sprintf("URLs %d-%d from %s. Estimated %d tokens.", from+1, to, q.url, tokens.Estimate(string(text)))}})
			}
			return tools.Answer(summary, tools.Block{Resource: &tools.Resource{URI: uri, Name: name, MIME: "application/json", Text: string(text)}})
		}
		summary.Text += "\nNote: these URLs were not saved: " + err.Error()
	}
	return tools.Answer(summary, tools.Block{Text: string(text)})
}

func count(n int) string {
	if n == 1 {
		return "1 URL"
	}
	return fmt.Sprintf("%d URLs", n)
}

// request returns the request whose key the store uses for a part of the list.
func (q *query) request(caller, part string) store.Request {
	options := map[string]string{
		"map": part, "search": q.Search, "limit": strconv.Itoa(q.Limit), "sitemap": q.Sitemap, "subdomains": strconv.FormatBool(q.Subdomains),
		"ignoreQuery": strconv.FormatBool(q.IgnoreQuery), "language": q.header().Get("Accept-Language"),
	}
	return store.Request{URL: q.url, Owner: caller, Options: options}
}

// description describes a part of the list in the store.
const description = "URLs of a site, as JSON"

// earlier returns the list that an earlier call has stored.
func earlier(ctx context.Context, s *store.Store, caller string, q *query) (list []item, ok bool) {
	capture, err := s.Get(ctx, q.request(caller, "list").Key())
	if err != nil || time.Since(capture.Meta.Created) > time.Hour {
		return nil, false
	}
	text, err := capture.Content(ctx, store.Raw)
	if err != nil || json.Unmarshal(text, &list) != nil {
		return nil, false
	}
	return list, true
}

package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/loopback"
)

const (
	// maxItems is the maximum number of resources that are examined; further ones are only counted.
	maxItems = 100_000
	// maxReads is the maximum number of files, and of folders, that are read.
	maxReads = 1000
	// smallFile is the maximum size in bytes of a file that is read only to test spellings of its URI.
	smallFile = 1 << 20
	// tokenBytes is the number of bytes that always fit into 25,000 tokens: in any language, a token
	// has at least three bytes.
	tokenBytes = 75_000
	// maxText is the number of bytes of the instructions and of the description of a tool that Claude
	// Code reads.
	maxText = 2 << 10
	// maxFrame is the number of bytes of a line above which clients with the TypeScript SDK break.
	maxFrame = 10 << 20
)

// Facts holds what [Observe] found.
type Facts struct {
	Resources    int
	Pages        int // of the list of resources
	FirstPage    int // resources on the first page
	Templates    int
	Prompts      int
	Tools        []string
	Unanswered   []string // lists that returned an error, with the error
	Instructions int      // bytes
	LongTools    []string // tools with a description over maxText

	Reads      int      // files that were read
	Unread     []string // URIs of files that could not be read, with the error
	LongTexts  []string // texts longer than tokenBytes, with their length
	LongFrames []string // answers longer than maxFrame
	LongCalls  []string // tools whose answer is longer than tokenBytes

	SameRows    []string // labels that several resources have, with their number
	Empty       []string // files without bytes
	SpacedHosts []string // URIs with a space in the host
	NarrowNames []string // templates with a variable {name} that has values beyond ASCII

	Rewritten Rewrites // URIs as VS Code rewrites them
	Parsed    Rewrites // URIs as "new URL" of JavaScript rewrites them
	Folders   Rewrites // folders without the slash at the end

	Connector       bool // the server has the tools search and fetch
	ConnectorResult string
	ConnectorError  string
}

// Rewrites counts reads with another spelling of a URI.
type Rewrites struct {
	Tried  int
	Failed []string // with the reason
}

func (r *Rewrites) note(uri, reason string) {
	r.Tried++
	if reason != "" {
		r.Failed = append(r.Failed, uri+": "+reason)
	}
}

// An item is a listed resource.
type item struct {
	URI, Name, Title, MIMEType string
	Size                       int64
}

func (i *item) label() string {
	if i.Title != "" {
		return i.Title
	}
	return i.Name
}

// An observer collects facts.
type observer struct {
	client *loopback.Client
	facts  Facts
	items  []item
}

// Observe collects the facts about a server. The error comes only from ctx: errors of the server are
// facts.
func Observe(ctx context.Context, client *loopback.Client) (*Facts, error) {
	o := &observer{client: client}
	for _, step := range []func(context.Context){o.introduction, o.resources, o.templates, o.prompts, o.tools, o.labels, o.files, o.folders, o.calls, o.connector} {
		step(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return &o.facts, nil
}

// list reads all pages of a list, and records an error.
func list[T any](ctx context.Context, o *observer, method, member string, page func([]T)) {
	cursor := ""
	for pages := 0; ; pages++ {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		result, _, err := o.client.Call(ctx, method, params)
		if err != nil {
			o.facts.Unanswered = append(o.facts.Unanswered, method+": "+err.Error())
			return
		}
		var members map[string]json.RawMessage
		var items []T
		err = json.Unmarshal(result, &members)
		if err == nil {
			err = json.Unmarshal(members[member], &items)
		}
		cursor = ""
		if next := members["nextCursor"]; err == nil && next != nil {
			err = json.Unmarshal(next, &cursor)
		}
		if err != nil {
			o.facts.Unanswered = append(o.facts.Unanswered, fmt.Sprintf("%s: %v", method, err))
			return
		}
		page(items)
		if cursor == "" {
			return
		}
	}
}

func (o *observer) introduction(ctx context.Context) {
	var hello struct{ Instructions string }
	if result, err := o.client.Discover(ctx); err == nil && json.Unmarshal(result, &hello) == nil {
		o.facts.Instructions = len(hello.Instructions)
	}
}

func (o *observer) resources(ctx context.Context) {
	list(ctx, o, "resources/list", "resources", func(page []item) {
		if o.facts.Pages++; o.facts.Pages == 1 {
			o.facts.FirstPage = len(page)
		}
		o.facts.Resources += len(page)
		o.items = append(o.items, page[:min(len(page), maxItems-len(o.items))]...)
	})
}

func (o *observer) templates(ctx context.Context) {
	list(ctx, o, "resources/templates/list", "resourceTemplates", func(page []struct{ URITemplate string }) {
		o.facts.Templates += len(page)
		for _, t := range page {
			if o.narrow(ctx, t.URITemplate) {
				o.facts.NarrowNames = append(o.facts.NarrowNames, t.URITemplate)
			}
		}
	})
}

// narrow reports whether a template has a variable without + that has a value beyond ASCII.
func (o *observer) narrow(ctx context.Context, template string) bool {
	for rest := template; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return false
		}
		expression, tail, ok := strings.Cut(after, "}")
		if !ok {
			return false
		}
		rest = tail
		if strings.HasPrefix(expression, "+") {
			continue
		}
		for name := range strings.SplitSeq(strings.TrimLeft(expression, "#./;?&"), ",") {
			result, _, err := o.client.Call(ctx, "completion/complete", map[string]any{
				"ref": map[string]string{"type": "ref/resource", "uri": template}, "argument": map[string]string{"name": strings.TrimRight(name, "*"), "value": ""},
			})
			var answer struct{ Completion struct{ Values []string } }
			if err != nil || json.Unmarshal(result, &answer) != nil {
				continue
			}
			for _, value := range answer.Completion.Values {
				if strings.IndexFunc(value, func(r rune) bool { return r > 127 }) >= 0 {
					return true
				}
			}
		}
	}
}

func (o *observer) prompts(ctx context.Context) {
	list(ctx, o, "prompts/list", "prompts", func(page []struct{ Name string }) { o.facts.Prompts += len(page) })
}

func (o *observer) tools(ctx context.Context) {
	list(ctx, o, "tools/list", "tools", func(page []struct{ Name, Description string }) {
		for _, t := range page {
			o.facts.Tools = append(o.facts.Tools, t.Name)
			if len(t.Description) > maxText {
				o.facts.LongTools = append(o.facts.LongTools, t.Name)
			}
		}
	})
}

// labels finds resources that look the same in a list of titles.
func (o *observer) labels(context.Context) {
	n := make(map[string]int)
	for i := range o.items {
		n[o.items[i].label()]++
	}
	for i := range o.items {
		it := &o.items[i]
		if times := n[it.label()]; times > 1 {
			o.facts.SameRows = append(o.facts.SameRows, fmt.Sprintf("%q (%d times)", it.label(), times))
			n[it.label()] = 0 // report each label once
		}
		if it.Size == 0 {
			o.facts.Empty = append(o.facts.Empty, it.URI)
		}
		if strings.Contains(host(it.URI), "%20") {
			o.facts.SpacedHosts = append(o.facts.SpacedHosts, it.URI)
		}
	}
}

package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// contentsOf is the answer to resources/read.
type contentsOf struct {
	Contents []struct {
		URI  string
		Text *string
		Blob *string
	}
}

// read reads a URI as a client does, and returns the contents and the length of the answer.
func (o *observer) read(ctx context.Context, uri string) (c contentsOf, bytes int, err error) {
	result, _, err := o.client.Call(ctx, "resources/read", map[string]string{"uri": uri})
	if err != nil {
		return c, 0, err
	}
	return c, len(result), json.Unmarshal(result, &c)
}

// files reads the largest files, and the files whose URIs clients spell in another way.
func (o *observer) files(ctx context.Context) {
	largest := slices.Clone(o.items)
	slices.SortStableFunc(largest, func(a, b item) int { return cmp.Compare(b.Size, a.Size) })
	for i := range largest {
		it := &largest[i]
		if ctx.Err() != nil || i == maxReads/10 || it.Size <= tokenBytes && i > 0 {
			break
		}
		c, bytes, err := o.read(ctx, it.URI)
		o.facts.Reads++
		switch {
		case err != nil:
			o.facts.Unread = append(o.facts.Unread, it.URI+": "+err.Error())
		case bytes > maxFrame:
			o.facts.LongFrames = append(o.facts.LongFrames, fmt.Sprintf("%s (%d MiB)", it.URI, bytes>>20))
		case len(c.Contents) == 1 && c.Contents[0].Text != nil && len(*c.Contents[0].Text) > tokenBytes:
			o.facts.LongTexts = append(o.facts.LongTexts, fmt.Sprintf("%s (%d KB)", it.URI, len(*c.Contents[0].Text)/1000))
		}
	}
	for i := range o.items {
		it := &o.items[i]
		if ctx.Err() != nil {
			return
		}
		if it.Size > smallFile {
			continue
		}
		for _, client := range []struct {
			spell func(string) string
			to    *Rewrites
		}{{asVSCode, &o.facts.Rewritten}, {asURL, &o.facts.Parsed}} {
			if spelled := client.spell(it.URI); spelled != it.URI && client.to.Tried < maxReads {
				client.to.note(spelled, o.same(ctx, spelled, it.URI))
			}
		}
	}
}

// same returns why a spelling of a URI does not return the same file, or "".
func (o *observer) same(ctx context.Context, spelled, uri string) string {
	c, _, err := o.read(ctx, spelled)
	switch {
	case err != nil:
		return err.Error()
	case len(c.Contents) != 1 || c.Contents[0].URI != uri:
		return "returns another resource than " + uri
	case c.Contents[0].Text == nil && c.Contents[0].Blob == nil:
		return "has neither text nor blob"
	}
	return ""
}

// folders reads the folders of the files, without the slash at the end, as VS Code does to list them.
func (o *observer) folders(ctx context.Context) {
	seen := make(map[string]bool)
	for i := range o.items {
		uri := o.items[i].URI
		scheme := strings.Index(uri, "://") + len("://")
		for end := strings.LastIndexByte(uri, '/'); end > scheme; end = strings.LastIndexByte(uri[:end], '/') {
			folder := uri[:end]
			if seen[folder] {
				break
			}
			seen[folder] = true
			if o.facts.Folders.Tried == maxReads || ctx.Err() != nil {
				return
			}
			o.facts.Folders.note(folder, o.lists(ctx, folder))
		}
	}
}

// lists returns why a folder cannot be listed, or "".
func (o *observer) lists(ctx context.Context, folder string) string {
	c, _, err := o.read(ctx, folder)
	if err != nil {
		return err.Error()
	}
	for _, content := range c.Contents {
		if !strings.HasPrefix(content.URI, folder+"/") {
			return content.URI + " is not in this folder"
		}
	}
	return ""
}

// calls calls the tools like a model that does not know the project.
func (o *observer) calls(ctx context.Context) {
	call := func(tool string, arguments map[string]any) {
		result, _, err := o.client.Call(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments})
		if err == nil && len(textOf(result)) > tokenBytes+tokenBytes/3 { // an answer also has headers, which its limit does not count
			o.facts.LongCalls = append(o.facts.LongCalls, fmt.Sprintf("%s (%d KB)", tool, len(textOf(result))/1000))
		}
	}
	for _, tool := range o.facts.Tools {
		switch {
		case tool == "list_resources":
			call(tool, nil)
		case tool == "read_resource" && len(o.items) > 0:
			largest := slices.MaxFunc(o.items, func(a, b item) int { return cmp.Compare(a.Size, b.Size) })
			call(tool, map[string]any{"uri": largest.URI})
		case strings.HasPrefix(tool, "search") && tool != "search":
			call(tool, map[string]any{"paths": []string{"/"}})
			call(tool, map[string]any{"query": "the"})
		}
	}
}

// textOf joins the texts of the answer of a tool.
func textOf(result json.RawMessage) string {
	var answer struct{ Content []struct{ Text string } }
	if json.Unmarshal(result, &answer) != nil {
		return ""
	}
	var text strings.Builder
	for _, c := range answer.Content {
		text.WriteString(c.Text)
	}
	return text.String()
}

// connector calls the tools like a connector of ChatGPT: search, and then fetch with the first result.
func (o *observer) connector(ctx context.Context) {
	o.facts.Connector = slices.Contains(o.facts.Tools, "search") && slices.Contains(o.facts.Tools, "fetch")
	if !o.facts.Connector || len(o.items) == 0 {
		return
	}
	fail := func(reason string) { o.facts.ConnectorError = reason }
	result, failed, err := o.client.Call(ctx, "tools/call", map[string]any{"name": "search", "arguments": map[string]string{"query": o.items[0].label()}})
	var found struct {
		Results []struct{ ID, Title, URL string }
	}
	switch {
	case err != nil:
		fail("search: " + err.Error())
		return
	case failed || json.Unmarshal([]byte(textOf(result)), &found) != nil:
		fail("search: " + textOf(result))
		return
	case len(found.Results) == 0:
		return // the label has no word to search for
	}
	result, failed, err = o.client.Call(ctx, "tools/call", map[string]any{"name": "fetch", "arguments": map[string]string{"id": found.Results[0].ID}})
	var fetched struct{ ID, Text, URL string }
	switch {
	case err != nil:
		fail("fetch: " + err.Error())
	case failed || json.Unmarshal([]byte(textOf(result)), &fetched) != nil:
		fail("fetch: " + textOf(result))
	case fetched.URL == "" || found.Results[0].URL == "":
		fail(found.Results[0].ID + " has no url, so it is not cited")
	default:
		o.facts.ConnectorResult = fetched.ID
	}
}

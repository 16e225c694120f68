package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"

	"golang.org/x/text/unicode/norm"
)

// Tools that mirror resources, for clients that only know tools.

func (s *Set) resourceTools() []Tool {
	return []Tool{{
		Name:        "list_resources",
		Title:       "List resources",
		Description: "List resources, one a line: URI, MIME type, size in bytes, title, description. Narrow a long list with prefix or glob.",
		Schema:      listSchema().JSON,
		Hints:       reading, Run: s.callListResources,
	}, {
		Name:        "read_resource",
		Title:       "Read a resource",
		Description: "Read a resource: a text, an image, or the bytes of another file in base64. A long text comes in parts.",
		Schema:      readSchema().JSON,
		Hints:       reading, Run: s.callReadResource,
	}}
}

type listArguments struct {
	Prefix string `json:"prefix" doc:"Only URIs that begin so"`
	Glob   string `json:"glob" doc:"Only URIs that match, such as docs://**/*.{md,txt}"`
	Cursor string `json:"cursor" doc:"From the end of the last answer"`
	Limit  int    `json:"limit" schema:"minimum=1 maximum=5000" doc:"Most lines; default 500"`
}

type readArguments struct {
	URI     string `json:"uri" schema:"required" doc:"As list_resources gives it"`
	Section string `json:"section" doc:"Only the part below this heading"`
	Offset  int    `json:"offset" schema:"minimum=1" doc:"Line to start at, from 1"`
	Limit   int    `json:"limit" schema:"minimum=1" doc:"Most lines"`
}

var listSchema, readSchema = lenient[listArguments](), lenient[readArguments]()

func (s *Set) callListResources(ctx context.Context, c Call) (*Output, error) {
	var args listArguments
	if err := c.read(listSchema(), &args); err != nil {
		return nil, err
	}
	if args.Limit <= 0 {
		args.Limit = 500
	}
	var wanted *glob.Glob
	if args.Glob != "" {
		var err error
		if wanted, err = glob.Parse(args.Glob); err != nil {
			return nil, badCall("glob is %v", err)
		}
	}
	after := ""
	if args.Cursor != "" {
		var ok bool
		if after, ok = protocol.ParseCursor(protocol.ResourceCursor, args.Cursor); !ok {
			return nil, badCall("cursor is not one that list_resources gave")
		}
	}
	v, err := s.views.Load(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	list, err := onDisk(ctx, s, func(ctx context.Context) (string, error) {
		return listing(ctx, v, after, args.Prefix, wanted, min(args.Limit, 5000))
	})
	if err != nil {
		return nil, err
	}
	return text(list), nil
}

// lineRoom are the tokens kept for the line that says how to go on.
const lineRoom = 2000

// listing returns a line for each wanted resource after a URI, and says how to continue.
func listing(ctx context.Context, v view.View, after, prefix string, wanted *glob.Glob, limit int) (string, error) {
	var b strings.Builder
	lines, used, last, visited := 0, 0, "", 0
	prefix = norm.NFC.String(strings.ToLower(uri.Decode(prefix)))
	for r := range v.After(after) {
		// Matching a long URI with a glob is slow.
		if visited++; (wanted != nil || visited%1024 == 0) && ctx.Err() != nil {
			return "", ctx.Err()
		}
		canonical := r.URI()
		decoded := uri.Decode(canonical)
		if !strings.HasPrefix(norm.NFC.String(strings.ToLower(decoded)), prefix) || wanted != nil && !wanted.Match(decoded) {
			continue
		}
		var size int64
		var mime string
		var texts [2]string
		if o := r.Other; o != nil {
			size, mime, texts = o.Size, o.MIMEType, [2]string{o.Title, o.Description}
		} else {
			of := v.Files.Metadata(r.File)
			size, mime, texts = r.File.Size(), v.Files.MIME(r.File), [2]string{of.Title, of.Description}
		}
		line := canonical + "\t" + mime + "\t"
		if size >= 0 {
			line += strconv.FormatInt(size, 10)
		} else {
			line += "?"
		}
		for _, text := range texts {
			if text != "" {
				line += "\t" + excerpt.Ellipsis(excerpt.OneLine(text), 120)
			}
		}
		used += tokens.Estimate(line) + 1
		if lines == limit || lines > 0 && used > tokens.MaxAnswer-lineRoom {
			fmt.Fprintf(&b, "\nThere are more: continue with cursor %q.\n", protocol.NewCursor(protocol.ResourceCursor, last))
			break
		}
		b.WriteString(line + "\n")
		lines, last = lines+1, canonical
	}
	if lines == 0 {
		b.WriteString("There are no such resources.\n")
	}
	return b.String(), nil
}

func (s *Set) callReadResource(ctx context.Context, c Call) (*Output, error) {
	var args readArguments
	if err := c.read(readSchema(), &args); err != nil {
		return nil, err
	}
	if args.URI == "" {
		return nil, badCall("uri is missing")
	}
	v, err := s.views.Load(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	found, ok := v.Lookup(args.URI)
	if !ok {
		return nil, &Mistake{contents.NotFound(v, args.URI)}
	}
	read, err := s.read(ctx, v, args.URI, found)
	if err != nil {
		return nil, err
	}
	out, err := s.resourceOutput(read, args.Section, args.Offset, args.Limit)
	if err != nil || out.held == nil {
		read.Release()
	}
	return out, err
}

// read reads the resource that was found for a URI, and holds it whole.
func (s *Set) read(ctx context.Context, v view.View, requested string, found view.Item) (read *contents.Contents, err error) {
	if found.Other != nil {
		read, err = s.reader.ReadOther(ctx, requested, found.Other, true)
	} else {
		read, err = s.reader.ReadWhole(ctx, v.Files, requested, found.File)
	}
	if err == nil {
		return read, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Mistake{contents.NotFound(v, requested)}
	}
	if _, ok := errors.AsType[*contents.Error](err); ok {
		return nil, &Mistake{err}
	}
	return nil, err
}

// resourceOutput returns the answer of read_resource for a file. It holds the file if it refers to it.
func (s *Set) resourceOutput(read *contents.Contents, section string, offset, limit int) (*Output, error) {
	item := &read.Files[0]
	frame := s.reader.Limits().FrameBytes
	if item.IsText {
		part, err := partOf(item.Text(), section, offset, limit, int(min(excerpt.MaxText, frame/jsonwire.MaxEscaped)))
		if err != nil {
			return nil, err
		}
		if part == "" {
			return text(protocol.Shown(item.URI) + " is empty."), nil
		}
		if item.Pointer() {
			return text(fmt.Sprintf("%s %s. \"git lfs pull\" fetches it. The pointer:\n\n%s", protocol.Shown(item.URI), media.NotFetched, part)), nil
		}
		return text(strings.Clone(part)), nil // the file is not held for it
	}
	if item.EncodedSize() > frame {
		return nil, badCall("%s is %d bytes of %s: %v", protocol.Shown(item.URI), item.Size(), item.MIME, &contents.FrameError{Limit: frame})
	}
	return &Output{blocks: []Block{{file: item}}, held: read}, nil
}

// partOf returns limit lines of a text, or of a section of it, from the line offset of the text on; all lines if
// limit is 0. It returns at most most bytes, and says how to continue.
func partOf(text, section string, offset, limit, most int) (string, error) {
	skip := 0
	if section = strings.TrimSpace(section); section != "" {
		all := excerpt.Headings(text)
		found, ok := excerpt.FindSection(text, all, section)
		if !ok {
			headings, _ := excerpt.OfferSections(all, section)
			reason := "there is no section " + protocol.Shown(section)
			if n := len(headings); n > 0 { // lines, not a part of the sentence
				reason += "; there is:\n" + excerpt.Ellipsis(strings.Join(headings[:min(n, 10)], "\n"), 1000)
			}
			return "", badCall("%s", reason)
		}
		text, skip = found.Text, found.Line-1
	}
	lines := excerpt.LinesOf(text, offset-skip, limit, most, tokens.MaxAnswer-lineRoom).After(skip)
	if lines.Beyond {
		return "", badCall("%s", lines.Missing())
	}
	return lines.Text + lines.HowToGoOn(), nil
}

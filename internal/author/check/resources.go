package check

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
)

// resources checks the files of the catalog against the templates.
func (c *checker) resources() {
	catalog := c.contents.Catalog
	index := catalog.Templates()
	wins := make([]int, len(index.Entries())) // files, by entry
	first := make(map[int]loader.Resource)    // the first file that each entry matches
	sought := 0                               // entries that may match a file
	for i := range wins {
		if index.Pattern(i) != nil {
			sought++
		}
	}
	for r := range catalog.All() {
		if c.ctx.Err() != nil {
			return
		}
		entry, ok := r.Template()
		if !ok {
			if c.Templates != "" && !r.Mounted() {
				c.about(Unmatched, r, "no template matches: clients see it without a description")
			}
			continue
		}
		c.roundTrip(catalog, r, entry)
		wins[entry]++
		if len(first) == sought {
			continue
		}
		for _, matching := range index.Candidates(uri.Decode(r.URI())) {
			if _, known := first[matching]; !known {
				first[matching] = r
			}
		}
	}
	c.templates(index, wins, first)
}

// roundTrip checks that expanding the template with the variables of the URI gives a URI of the
// same file.
func (c *checker) roundTrip(catalog *loader.Catalog, r loader.Resource, entry int) {
	canonical := r.URI()
	index := catalog.Templates()
	e := index.Entries()[entry]
	m, ok := index.Match(canonical)
	if !ok || m.Entry != entry {
		c.about(RoundTrip, r, "%s does not match the URI again", e.URITemplate)
		return
	}
	expanded := index.Pattern(entry).Expand(m.Variables)
	if expanded == canonical {
		return
	}
	if found, ok := catalog.Lookup(expanded); !ok || found != r {
		c.about(RoundTrip, r, "%s gives %s, which is not this file", e.URITemplate, expanded)
	}
}

// templates reports templates that do not work as their author may expect.
func (c *checker) templates(index *matcher.Index, wins []int, first map[int]loader.Resource) {
	entries := index.Entries()
	located := func(entry int, f Finding) Finding {
		e := entries[entry]
		f.File, f.Line, f.Column = loader.TemplatesFile, e.Line, e.Column
		f.Message = fmt.Sprintf("%s (%s) %s", e.URITemplate, e.Name, f.Message)
		return f
	}
	for i, e := range entries {
		if e.Line == 0 {
			continue // the program adds it
		}
		for _, part := range entries[i].Template.Parts() {
			if x := part.Expression; x != nil && x.Operator == 0 && x.Variables[0].Explode {
				name := x.Variables[0].Name
				c.add(Unmatchable, located(i, Finding{Message: fmt.Sprintf("{%[1]s*} matches one segment, without slashes", name), Fix: fmt.Sprintf("write {+%s} for a path of any length", name)}))
			}
		}
		lost, loses := first[i]
		switch {
		case wins[i] > 0 || losing[index.Verdict(i).Reason] != "":
		case loses:
			winner, _ := lost.Template()
			c.add(Shadowed, located(i, Finding{URI: lost.URI(), Message: "wins no existing file: " + why(index, winner, i)}))
		default:
			example := index.Pattern(i).Example()
			c.add(Unused, located(i, Finding{URI: example, Message: "matches no existing file; it is for URIs such as " + example}))
		}
	}
}

// why says by which rule one template wins over another.
func why(index *matcher.Index, winner, loser int) string {
	e := index.Entries()[winner]
	name := fmt.Sprintf("%s (%s) in line %d", e.URITemplate, e.Name, e.Line)
	d, ok := index.Decide(winner, loser)
	if !ok || d.Winner == loser {
		return name + " gets its URIs"
	}
	return fmt.Sprintf("%s comes before it (%s)", name, d.Rule)
}

// patterns reports include and exclude patterns without effect.
func (c *checker) patterns() {
	var served []string
	for r := range c.contents.Catalog.All() {
		served = append(served, r.LogicalPath())
	}
	include, exclude := c.Options.Unused(served, c.left)
	settings, _ := jsondoc.Parse(c.ConfigFile, []byte(c.ConfigText))
	report := func(key string, patterns []string, unused []int, severity Severity, what string) {
		for _, i := range unused {
			f := Finding{Severity: severity, File: c.ConfigFile, Message: fmt.Sprintf("the pattern %q of %q matches no %s", patterns[i], key, what)}
			if settings != nil {
				if v := settings.Member(key); v != nil && i < len(v.Items) {
					f.Line, f.Column = v.Items[i].Line, v.Items[i].Column
				}
			}
			c.add(PatternUnused, f)
		}
	}
	report("include", c.Options.Include, include, Warning, "file below resources/ that is not left out by another rule")
	report("docsExclude", c.Config.DocsExclude, c.unusedOfDocuments(), Warning, "file or folder of the documents")
	report("exclude", c.Options.Exclude, exclude, Note, "file or folder below resources/ that is not left out already")
}

// unusedOfDocuments returns the indexes of the patterns of docsExclude that match no file in the folders of
// the documents.
func (c *checker) unusedOfDocuments() (unused []int) {
	var names []string
	for _, o := range c.contents.Omitted {
		names = append(names, strings.TrimSuffix(o.Path, "/"))
	}
	for _, p := range c.contents.Library.Sites().Hidden() {
		names = append(names, p.File)
	}
	for i := range c.Config.DocsExclude {
		set, err := glob.ParseSet(c.Config.DocsExclude[i : i+1])
		if err == nil && !slices.ContainsFunc(names, func(name string) bool { _, ok := set.Covers(name); return ok }) {
			unused = append(unused, i)
		}
	}
	return unused
}

// special holds schemes that programs do not treat as schemes of resources: the schemes of the URL
// Standard have special rules for hosts and slashes, and clients never read the others from a server.
var special = []string{"http", "https", "ws", "wss", "ftp", "file", "data", "mailto", "javascript", "blob"}

// names finds names and sizes of resources, and instructions, that cause problems in clients.
func (c *checker) names() {
	catalog := c.contents.Catalog
	schemes := make(map[string]bool)
	hosts := make(map[string]bool)
	loose := make(map[string]int) // by folder of a scheme: files whose names are hosts
	for r := range catalog.All() {
		if c.ctx.Err() != nil {
			return
		}
		canonical := r.URI()
		scheme, rest, _ := strings.Cut(canonical, "://")
		if !schemes[scheme] {
			schemes[scheme] = true
			if slices.Contains(special, scheme) {
				c.add(SchemeName, Finding{File: loader.Resources + "/" + scheme, URI: canonical, Message: fmt.Sprintf("clients do not treat URIs with %s:// as resources of a server", scheme)})
			}
		}
		host, _, inHost := strings.Cut(rest, "/")
		if !inHost && !r.Mounted() {
			loose[path.Dir(r.LogicalPath())]++
		}
		if strings.Contains(host, "%") && !hosts[scheme+"://"+host] {
			hosts[scheme+"://"+host] = true
			file := r.LogicalPath()
			if inHost && !r.Mounted() {
				file = strings.Join(strings.SplitN(file, "/", 4)[:3], "/")
			}
			c.add(HostName, Finding{File: file, URI: canonical, Message: "the host needs percent-encoding: VS Code and others that parse URLs refuse the URI"})
		}
		c.awkward(r)
		c.size(r)
	}
	for folder, n := range loose {
		c.add(FileHost, Finding{File: folder, Message: fmt.Sprintf("the URI of each file directly in this folder has the file's name as its host (files: %d)", n),
			Fix: fmt.Sprintf("put them into a folder below %[1]s/, such as %[1]s/files/, so that names are paths", folder)})
	}
	if err := c.Config.CheckInstructions(); err != nil {
		c.add(Instructions, Finding{File: c.ConfigFile, Message: err.Error()})
	}
}

// awkward reports a name that clients show in a confusing way, or read as a query or a fragment.
func (c *checker) awkward(r loader.Resource) {
	why := ""
	switch decoded := uri.Decode(r.URI()); {
	case !utf8.ValidString(decoded):
		why = "it is not UTF-8, so that clients show it percent-encoded"
	case strings.ContainsFunc(decoded, func(r rune) bool { return !unicode.IsPrint(r) }):
		why = "it has characters that cannot be seen, or that reorder text"
	case strings.ContainsAny(decoded, "?#"):
		why = "it has \"?\" or \"#\", which clients treat as the start of a query or a fragment unless they encode it"
	}
	if why != "" {
		c.about(AwkwardName, r, "the name is awkward: %s", why)
	}
}

// size reports a file that some or all clients cannot read.
func (c *checker) size(r loader.Resource) {
	limits := c.Config.Limits
	switch n := r.Size(); {
	case n == 0:
		c.about(Empty, r, "is empty: VS Code shows it as a folder")
	case n > int64(limits.MaxReadBytes):
		c.about(TooLarge, r, "has %d bytes, and \"limits.maxReadBytes\" is %d: no client can read it", n, limits.MaxReadBytes)
	case n > int64(limits.MaxFrameBytes):
		c.about(LargeAnswer, r, "has %d bytes, and \"limits.maxFrameBytes\" is %d: clients over standard input and output cannot read it", n, limits.MaxFrameBytes)
	}
}

// Hidden returns the files and folders of a project that are not served, sorted by path, each with
// the rule that hides it. It reads only the files that a scan reads. The error comes from ctx, or
// from a folder that cannot be read.
func Hidden(ctx context.Context, p Project) ([]explain.Hidden, error) {
	var w withheld
	contents, err := p.gather(ctx, w.omitted)
	if err != nil {
		return nil, err
	}
	return w.all(contents, p.Config.Docs), nil
}

// withheld collects the files that are not served.
type withheld struct {
	mu     sync.Mutex // guards hidden
	hidden []explain.Hidden
}

// omitted adds a file that the scan of the resources leaves out.
func (w *withheld) omitted(o loader.Skipped) {
	if o.Path == loader.TemplatesFile {
		return // the server uses it, although it is not a resource
	}
	w.mu.Lock()
	w.hidden = append(w.hidden, explain.HiddenOf(o))
	w.mu.Unlock()
}

// all returns these files and the files that are left out of documents and prompts.
func (w *withheld) all(contents *pack.Contents, docs string) []explain.Hidden {
	reported := explain.Reported(contents.Notices, contents.Problems, docs)
	hidden := slices.Clone(w.hidden)
	pages := contents.Library.Left()
	if contents.Library.Closed() {
		pages = contents.Library.Sites().Hidden()
	}
	for _, p := range pages {
		hidden = append(hidden, explain.Unpublished(contents.Library.Sites(), p))
	}
	// files in the folder of the documents may be resources too
	for i, h := range hidden {
		if _, _, ok := contents.Library.Lookup(strings.TrimPrefix(h.Path, docs+"/")); ok && h.Path != docs && walk.Holds(docs, h.Path) {
			hidden[i].Reason = "a document, but not a resource: " + h.Reason
		}
	}
	for _, left := range contents.Omitted {
		name := strings.TrimSuffix(left.Path, "/")
		if walk.Holds(loader.Resources, name) && !walk.Holds(docs, name) {
			continue // the scan of the resources has reported it
		}
		for _, h := range explain.Withheld(name, contents.Library, reported) {
			// in a closed library, a file without a reason is not a document, or the site has reported it
			if !contents.Library.Closed() || !h.Unexplained() || walk.Holds(prompts.Folder, name) {
				hidden = append(hidden, h)
			}
		}
	}
	slices.SortStableFunc(hidden, func(a, b explain.Hidden) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(hidden, func(a, b explain.Hidden) bool { return a.Path == b.Path })
}

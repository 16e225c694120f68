package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxInstructions is where common clients cut the instructions of a server, in bytes.
const maxInstructions = 2 << 10

// shared is how many files may have a title before it no longer distinguishes them.
const shared = 1

// special are schemes that programs take for something else: those of the URL Standard have rules
// of their own for hosts and slashes, and the others are never read from a server of resources.
var special = []string{"http", "https", "ws", "wss", "ftp", "file", "data", "mailto", "javascript", "blob"}

// names finds what clients stumble over: names, sizes and titles of resources, and the
// instructions.
func (c *checker) names() {
	catalog := c.contents.Catalog
	titles := make(map[string][]loader.Resource)
	schemes := make(map[string]bool)
	hosts := make(map[string]bool)
	for r := range catalog.All() {
		if c.ctx.Err() != nil {
			return
		}
		canonical := r.URI()
		scheme, rest, _ := strings.Cut(canonical, "://")
		if !schemes[scheme] {
			schemes[scheme] = true
			if slices.Contains(special, scheme) {
				c.add(SchemeName, Finding{File: loader.Resources + "/" + scheme, URI: canonical, Message: fmt.Sprintf("clients take %s:// for something else than a resource of a server", scheme)})
			}
		}
		host, _, below := strings.Cut(rest, "/")
		if strings.Contains(host, "%") && !hosts[scheme+"://"+host] {
			hosts[scheme+"://"+host] = true
			file := r.LogicalPath()
			if below && !r.Mounted() {
				file = strings.Join(strings.SplitN(file, "/", 4)[:3], "/")
			}
			c.add(HostName, Finding{File: file, URI: canonical, Message: "the host needs percent-encoding: VS Code and others that parse URLs refuse the URI"})
		}
		c.awkward(catalog, r, canonical)
		c.size(r, canonical)
		if title := catalog.About(r).Title; title != "" {
			titles[title] = append(titles[title], r)
		}
	}
	for title, files := range titles {
		if len(files) <= shared {
			continue
		}
		message := fmt.Sprintf("%d resources have the title %q, as %s: Claude Desktop shows titles only, so their rows look the same", len(files), title, files[1].LogicalPath())
		c.add(SameTitle, Finding{File: files[0].LogicalPath(), URI: files[0].URI(), Message: message})
	}
	if n := len(c.Config.Instructions); n > maxInstructions {
		c.add(Instructions, Finding{File: c.ConfigFile, Message: fmt.Sprintf("\"instructions\" has %d bytes: Claude Code and others cut them at %d", n, maxInstructions)})
	}
}

// awkward reports a name that some client respells so that other servers would not find it, or
// shows in a confusing way. This server finds the spellings of known clients.
func (c *checker) awkward(catalog *loader.Catalog, r loader.Resource, canonical string) {
	_, path, _ := strings.Cut(canonical, "://")
	if _, below, ok := strings.Cut(path, "/"); !ok || !strings.ContainsAny(below, "%&+:") {
		return
	}
	decoded := uri.Decode(canonical)
	var why []string
	switch {
	case !utf8.ValidString(decoded):
		why = append(why, "it is not UTF-8, so that clients show it percent-encoded")
	case strings.ContainsFunc(decoded, func(r rune) bool { return !unicode.IsPrint(r) }):
		why = append(why, "it has characters that cannot be seen, or that reorder text")
	}
	if c.mangled(catalog, r, decoded) {
		why = append(why, "VS Code misspells what is not ASCII in a simple variable such as {name}; {+name} is right")
	}
	if strings.ContainsAny(decoded, "?#") {
		why = append(why, "it has \"?\" or \"#\", which clients take for the start of a query or a fragment where they do not encode it")
	}
	if strings.ContainsAny(strings.TrimPrefix(decoded, "://"), "%+&") {
		why = append(why, "VS Code writes %25, %2B and %26 as the characters themselves")
	}
	for name := range strings.SplitSeq(decoded, "/") {
		if strings.TrimSpace(name) != name {
			why = append(why, "it begins or ends with a space, which forms cut off")
			break
		}
	}
	if len(why) > 0 {
		c.add(AwkwardName, Finding{File: r.LogicalPath(), URI: canonical, Message: "the name is awkward: " + strings.Join(why, "; ")})
	}
}

// mangled reports whether a variable that is not reserved ({name}, not {+name}) has a value beyond
// ASCII.
func (c *checker) mangled(catalog *loader.Catalog, r loader.Resource, decoded string) bool {
	entry, ok := r.Template()
	if !ok || strings.IndexFunc(decoded, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return false
	}
	template := catalog.Templates().Entries()[entry].URITemplate
	variables, _ := catalog.Templates().Pattern(entry).Match(decoded)
	for _, v := range variables {
		if strings.Contains(template, "{"+v.Name+"}") && strings.IndexFunc(v.Value, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			return true
		}
	}
	return false
}

// size reports a file that clients cannot read, or not all of them.
func (c *checker) size(r loader.Resource, canonical string) {
	limits := c.Config.Limits
	switch n := r.Size(); {
	case n == 0:
		c.add(Empty, Finding{File: r.LogicalPath(), URI: canonical, Message: "is empty: VS Code shows it as a folder"})
	case n > int64(limits.MaxReadBytes):
		c.add(TooLarge, Finding{File: r.LogicalPath(), URI: canonical, Message: fmt.Sprintf("has %d bytes, and \"limits.maxReadBytes\" is %d: no client can read it", n, limits.MaxReadBytes)})
	case n > int64(limits.MaxFrameBytes):
		c.add(LargeAnswer, Finding{File: r.LogicalPath(), URI: canonical, Message: fmt.Sprintf("has %d bytes, and \"limits.maxFrameBytes\" is %d: clients over standard input and output cannot read it", n, limits.MaxFrameBytes)})
	}
}

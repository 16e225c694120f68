package check

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

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
		c.awkward(r, canonical)
		c.size(r, canonical)
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
func (c *checker) awkward(r loader.Resource, canonical string) {
	why := ""
	switch decoded := uri.Decode(canonical); {
	case !utf8.ValidString(decoded):
		why = "it is not UTF-8, so that clients show it percent-encoded"
	case strings.ContainsFunc(decoded, func(r rune) bool { return !unicode.IsPrint(r) }):
		why = "it has characters that cannot be seen, or that reorder text"
	case strings.ContainsAny(decoded, "?#"):
		why = "it has \"?\" or \"#\", which clients treat as the start of a query or a fragment unless they encode it"
	}
	if why != "" {
		c.add(AwkwardName, Finding{File: r.LogicalPath(), URI: canonical, Message: "the name is awkward: " + why})
	}
}

// size reports a file that some or all clients cannot read.
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

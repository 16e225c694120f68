package docs

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// Scheme is the scheme of the URIs of documents.
const Scheme = "docs"

// Host returns the host of the URIs of a project's documents, not encoded: the name of the project,
// with "-" for characters that a folder name cannot have.
func Host(project string) string {
	host := strings.NewReplacer("/", "-", "\x00", "-").Replace(project)
	if host == "" || host == "." || host == ".." {
		return "docs"
	}
	return host
}

// URI returns the URI of a document: docs://<host>/<path>.
func URI(project, path string) string {
	b := uri.AppendHost([]byte(Scheme+"://"), Host(project))
	for segment := range strings.SplitSeq(path, "/") {
		b = uri.AppendSegment(append(b, '/'), segment)
	}
	return string(b)
}

// PathOf returns the path of the document that a URI names, and false for other URIs.
func PathOf(project, s string) (string, bool) {
	return strings.CutPrefix(uri.Decode(s), Scheme+"://"+Host(project)+"/")
}

package site

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestFormats compares the places that name the extensions of documents.
func TestFormats(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../../docs/write/documents.md"))(t))
	source := string(must.Get(os.ReadFile("../../publish/worker/src/documents/path.ts"))(t))
	inWorker := regexp.MustCompile("(?i)" + regexp.MustCompile(`documentName = /(.*)/i\n`).FindStringSubmatch(source)[1])
	for _, extension := range documentExtensions {
		if !strings.Contains(page, "`"+extension+"`") || !inWorker.MatchString(extension) {
			t.Errorf("%s is not in docs/write/documents.md, or not in path.ts of the Worker", extension)
		}
	}
	for extension, f := range formats {
		if f != openapi && f != pdf && !slices.Contains(documentExtensions, extension) { // what these are is decided by the text or a program
			t.Errorf("%s has a format, and is no document", extension)
		}
	}
}

package publishing

import (
	"encoding/json"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A published is the JSON about the package that was published or written, or would be with --dry-run.
type published struct {
	Target    string          `json:"target"`
	Package   string          `json:"package"`
	Version   string          `json:"version"`
	DryRun    bool            `json:"dryRun"`
	Published bool            `json:"published"`         // it was published to the npm registry or the store
	Output    string          `json:"output,omitempty"`  // the file or folder that was written
	Project   string          `json:"project,omitempty"` // store: the name of the project
	Number    int             `json:"number,omitempty"`  // store: of the version that is served
	Files     []publishedFile `json:"files"`
	Outside   []string        `json:"outside,omitempty"` // names of files outside of the documents' folders, or hidden ones, that documents show or include
	Omitted   []omittedFile   `json:"omitted"`
	Unpacked  int64           `json:"unpacked"`           // bytes of all files
	Packed    int64           `json:"packed,omitempty"`   // bytes of the product
	SHA256    string          `json:"sha256,omitempty"`   // of the product, in hexadecimal
	Manifest  json.RawMessage `json:"manifest,omitempty"` // package.json or server.json
}

// A publishedFile is a file of a product.
type publishedFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// An omittedFile is a file or folder of the project that is not published.
type omittedFile struct {
	Path   string `json:"path"`
	Hidden bool   `json:"hidden"` // hidden by its name; otherwise it is not served for another reason
}

// newPublished returns the values that are known before the product is made.
func newPublished(o publishing, info bundle.Info, contents *pack.Contents) *published {
	left := contents.Omitted
	p := &published{
		Target: o.target, Package: info.Package, Version: info.Version, DryRun: o.dryRun,
		Files: []publishedFile{}, Omitted: make([]omittedFile, len(left)),
	}
	for _, name := range contents.Outside {
		p.Outside = append(p.Outside, uri.Display(name))
	}
	for i, l := range left {
		p.Omitted[i] = omittedFile{uri.Display(l.Path), l.Hidden}
	}
	return p
}

// hold adds the files of the product.
func (p *published) hold(files []bundle.File) {
	for _, f := range files {
		p.Files = append(p.Files, publishedFile{uri.Display(f.Name), f.Size})
		p.Unpacked += f.Size
	}
}

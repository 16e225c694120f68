package loader

import (
	"context"
	"io/fs"

	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
)

// Find looks for the file of a URI without reading more of the project than the folders on the way to it, for whoever cannot
// wait for [Scan]. It knows one spelling only, the canonical one and what decodes to the same; what it does not find may be
// there. The catalog of the resource that it returns holds nothing else to go by. The options are those of Scan, but for
// Visit and Omitted, which are not called. The error is of a bad pattern, or of ctx.
func Find(ctx context.Context, fsys fs.FS, opts Options, s string) (r Resource, ok bool, err error) {
	if len(s) > uri.MaxLength {
		return Resource{}, false, nil
	}
	decoded := uri.Decode(s)
	segments := segmentsOf(decoded)
	if len(segments) < 2 {
		return Resource{}, false, nil
	}
	opts.Visit, opts.Omitted = nil, nil
	scan, err := newScanner(ctx, fsys, opts)
	if err != nil {
		return Resource{}, false, err
	}
	scan.only = segments[:len(segments)-1]
	catalog, err := scan.catalog(scan.scanRoot(nil))
	if err != nil {
		return Resource{}, false, err
	}
	r, ok = catalog.file(decoded)
	return r, ok, nil
}

// wanted leaves those of the folders that the scan is for.
func (s *scanner) wanted(listings []*listing) []*listing {
	if s.only == nil {
		return listings
	}
	for _, l := range listings {
		if l.depth <= len(s.only) && l.name == s.only[l.depth-1] {
			return []*listing{l}
		}
	}
	return nil
}

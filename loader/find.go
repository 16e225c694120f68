package loader

import (
	"context"
	"io/fs"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// Find looks up the file of a URI and reads only the folders on its path, for a caller that cannot
// wait for [Scan]. It accepts only the canonical spelling and spellings that decode to the same
// URI; a file that it does not find may still exist. The catalog of the returned resource contains
// only that resource. Find uses the options as Scan does, but does not call Visit and Omitted. It
// fails only if a pattern is invalid or ctx ends.
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

// wanted returns the folders that the scan is limited to.
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

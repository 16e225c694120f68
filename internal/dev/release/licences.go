package main

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// checkLicences returns an error for each module in a binary whose licence the release does not
// contain.
func (r *release) checkLicences() error {
	linked, err := r.linked()
	if err != nil {
		return err
	}
	return covered(linked)
}

func covered(linked map[string]component) error {
	var errs []error
	for _, ref := range slices.Sorted(maps.Keys(linked)) {
		if c := linked[ref]; c.Name != standard && !licences.Covers(c.Name, c.Version) {
			errs = append(errs, fmt.Errorf("there is no licence of %s %s; run go generate ./internal/publish/licences", c.Name, c.Version))
		}
	}
	return errors.Join(errs...)
}

// binLicences puts the licences into the folder bin, next to the programs.
func binLicences(*release) ([]bundle.File, error) {
	files := licences.Files()
	for i := range files {
		files[i].Name = path.Join("bin", files[i].Name)
	}
	return files, nil
}

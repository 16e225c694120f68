package pack

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
)

// MaxTotal is the default limit of publish for all files together, in bytes.
const MaxTotal = 100 << 20

// A Finding is a reason not to publish before somebody has checked it.
type Finding struct {
	File string // "" for all files together
	Line int    // from 1; 0 if the finding is about the whole file
	What string // description, without the secret itself
}

func (f Finding) String() string {
	switch {
	case f.File == "":
		return f.What
	case f.Line == 0:
		return fmt.Sprintf("%s: %s", display(f.File), f.What)
	}
	return fmt.Sprintf("%s:%d: %s", display(f.File), f.Line, f.What)
}

// display returns a name on one line.
func display(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// Inspect reads the files, and returns the findings, by file and line. It sets the sum of each file that it reads, so that no other contents
// can be published instead. It reads no file if all together have more bytes than most, unless that is 0. The error comes from ctx or
// from a file that cannot be read.
func Inspect(ctx context.Context, files []bundle.File, most int64) (findings []Finding, err error) {
	if total := bundle.Total(files); most > 0 && total > most {
		return []Finding{{What: fmt.Sprintf("all files together have %s, the limit is %s; the largest: %s", size(total), size(most), Largest(files))}}, nil
	}
	for i := range files {
		found, err := inspect(ctx, &files[i])
		if err != nil {
			return nil, err
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

// Largest names the largest files, at most three.
func Largest(files []bundle.File) string {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b bundle.File) int { return cmp.Compare(b.Size, a.Size) })
	var names []string
	for _, f := range files[:min(len(files), 3)] {
		names = append(names, fmt.Sprintf("%s (%s)", display(f.Name), size(f.Size)))
	}
	return strings.Join(names, ", ")
}

// inspect checks one file.
func inspect(ctx context.Context, f *bundle.File) ([]Finding, error) {
	if what := secret.OfName(path.Base(f.Name)); what != "" {
		return []Finding{{File: f.Name, What: what}}, nil
	}
	var findings []Finding
	inName, err := secret.Scan(ctx, strings.NewReader(f.Name))
	if err != nil {
		return nil, err
	}
	for _, found := range inName {
		findings = append(findings, Finding{File: f.Name, What: "has a name that " + found.What})
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer r.Close()
	sum := sha256.New()
	// One byte more than Size is enough to detect a change when the file is packed.
	inside, err := secret.Scan(ctx, io.TeeReader(io.LimitReader(r, f.Size+1), sum))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	f.Sum = string(sum.Sum(nil))
	for _, found := range inside {
		findings = append(findings, Finding{File: f.Name, Line: found.Line, What: found.What})
	}
	return findings, nil
}

// Allowed reports whether a pattern allows the findings in a file: its path, or a doublestar
// pattern that matches it.
func Allowed(pattern, file string) bool {
	return pattern == file || doublestar.MatchUnvalidated(pattern, file)
}

// size formats a number of bytes for people.
func size(n int64) string {
	const mega = 1 << 20
	if n < mega {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/mega)
}

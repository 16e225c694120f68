// Package guard looks through files that are about to be published for what must not be: secrets, and more bytes than
// anybody meant.
//
// Sizes come first: nothing is read of files that are too large together. Then each file is read once, in parts.
//
// The rules know secrets by a shape that their issuers gave them so that they can be found, such as the prefix of a
// token, and by random characters behind it; a placeholder in a document is none. Each rule has marks, such as "ghp_".
// One pass looks for the marks of all rules, and a rule runs where one of its marks stands, on a few kilobytes around it. So the
// time hardly depends on the rules, and memory not on the file. Private keys are also found in binary form, and within
// base64; everything that is text, also in UTF-16.
//
// What has no such shape, passwords in sentences above all, is not found. JSON Web Tokens are not looked for: those in
// documents are nearly always examples, and nothing in them says whether they are. Archives are not unpacked.
package guard

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
)

// Limits bound what is published, in bytes. The zero value sets no bounds.
type Limits struct{ File, Total int64 }

// A Finding is something that must not be published unseen.
type Finding struct {
	File string // "" for all files together
	Line int    // from 1; 0 where it is about the file as a whole
	What string // what it is, without the secret itself
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

// display is a name on one line.
func display(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// Check compares the sizes of the files with the limits, reads them, and returns what it finds, by file and line. Those that it has
// read have a sum from then on, so that nothing else is published in their place. A file that is larger than its limit is not read,
// and none is if all together are too large. The error is of ctx, or of a file that cannot be read.
func Check(ctx context.Context, files []bundle.File, limits Limits) ([]Finding, error) {
	sizes, total := make(map[string]Finding), int64(0) // of files that are too large
	for _, f := range files {
		total += f.Size
		if limits.File > 0 && f.Size > limits.File {
			sizes[f.Name] = Finding{File: f.Name, What: fmt.Sprintf("has %s, the limit for a file is %s", size(f.Size), size(limits.File))}
		}
	}
	tooMuch := limits.Total > 0 && total > limits.Total
	var findings []Finding
	s := newScanner()
	for i := range files {
		if large, ok := sizes[files[i].Name]; ok {
			findings = append(findings, large)
		} else if !tooMuch {
			found, err := s.check(ctx, &files[i])
			if err != nil {
				return nil, err
			}
			findings = append(findings, found...)
		}
	}
	if tooMuch {
		findings = append(findings, Finding{What: fmt.Sprintf("all files together have %s, the limit is %s; the largest: %s", size(total), size(limits.Total), largest(files))})
	}
	return findings, nil
}

// largest names the files that a total comes from, three at the most.
func largest(files []bundle.File) string {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b bundle.File) int { return cmp.Compare(b.Size, a.Size) })
	var names []string
	for _, f := range files[:min(len(files), 3)] {
		names = append(names, fmt.Sprintf("%s (%s)", display(f.Name), size(f.Size)))
	}
	return strings.Join(names, ", ")
}

// check looks through one file.
func (s *scanner) check(ctx context.Context, f *bundle.File) ([]Finding, error) {
	if what := kept(path.Base(f.Name)); what != "" {
		return []Finding{{File: f.Name, What: what}}, nil
	}
	var findings []Finding
	inName, err := s.scan(ctx, strings.NewReader(f.Name), io.Discard)
	if err != nil {
		return nil, err
	}
	for _, found := range inName {
		findings = append(findings, Finding{f.Name, 0, "has a name that " + found.What})
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer r.Close()
	sum := sha256.New()
	// One byte more than it said is enough to know that it changed, which is noticed when it is packed.
	inside, err := s.scan(ctx, io.LimitReader(r, f.Size+1), sum)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	f.Sum = string(sum.Sum(nil))
	for _, found := range inside {
		findings = append(findings, Finding{f.Name, found.Line, found.What})
	}
	return findings, nil
}

// Allowed reports whether a pattern allows the findings in a file: its path, or a doublestar pattern that matches it.
func Allowed(pattern, file string) bool {
	return pattern == file || doublestar.MatchUnvalidated(pattern, file)
}

// size is a number of bytes for people.
func size(n int64) string {
	const mega = 1 << 20
	if n < mega {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/mega)
}

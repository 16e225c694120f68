// Package guard looks through files that are about to be published for what must not be: secrets, and more bytes than
// anybody meant.
//
// The rules know secrets by a shape that their issuers gave them so that they can be found, such as the prefix of a
// token, and by random characters behind it; a placeholder in a document is none. What has no such shape, passwords in
// sentences above all, is not found. JSON Web Tokens are not looked for: those in documents are nearly always examples,
// and tell nobody whether they are.
package guard

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
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

// perFile is how many findings one file has at the most: nobody mends a key file line by line.
const perFile = 10

// Check reads the files and returns what it finds, by file and line. Those that it has read have a sum from then on, so that nothing
// else is published in their place. A file that is larger than its limit is not read.
func Check(files []bundle.File, limits Limits) ([]Finding, error) {
	var findings []Finding
	var total int64
	for i := range files {
		f := &files[i]
		total += f.Size
		if limits.File > 0 && f.Size > limits.File {
			findings = append(findings, Finding{File: f.Name, What: fmt.Sprintf("has %s, the limit for a file is %s", size(f.Size), size(limits.File))})
			continue
		}
		found, err := check(f)
		if err != nil {
			return nil, err
		}
		findings = append(findings, found...)
	}
	if limits.Total > 0 && total > limits.Total {
		findings = append(findings, Finding{What: fmt.Sprintf("all files together have %s, the limit is %s", size(total), size(limits.Total))})
	}
	return findings, nil
}

func check(f *bundle.File) ([]Finding, error) {
	if what := kept(path.Base(f.Name)); what != "" {
		return []Finding{{File: f.Name, What: what}}, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	sum := sha256.Sum256(data)
	f.Sum = string(sum[:])
	if media.StartsUTF16(data) {
		data = bytes.ReplaceAll(data, []byte{0}, nil) // secrets are ASCII, whatever else is there
	}
	var findings []Finding
	for _, s := range secrets([]byte(f.Name)) {
		findings = append(findings, Finding{f.Name, 0, "has a name that " + s.what})
	}
	for _, s := range secrets(data) {
		if len(findings) < perFile {
			findings = append(findings, Finding{f.Name, 1 + bytes.Count(data[:s.at], []byte("\n")), s.what})
		}
	}
	return findings, nil
}

// kept says why a file of this name is for its owner alone, whatever is in it, or nothing.
func kept(name string) string {
	name = strings.ToLower(name)
	switch path.Ext(name) {
	case ".example", ".sample", ".template", ".dist", ".defaults":
		return ""
	}
	switch name {
	case ".npmrc", ".netrc", "_netrc", ".git-credentials", ".pgpass":
		return "is a file of passwords"
	}
	if strings.HasSuffix(name, ".env") || strings.HasPrefix(name, ".env.") || name == ".envrc" {
		return "is a file of environment variables, which mostly hold secrets"
	}
	return ""
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

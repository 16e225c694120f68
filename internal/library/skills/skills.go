// Package skills reads Agent Skills for the Skills extension of MCP (SEP-2640).
//
//  1. Each folder in skills/, at any depth, with a file SKILL.md is a skill. Its files are resources in
//     skill://, which the loader finds as a mount. Clients also get an entry ([Skill]): its URI, the front
//     matter of its SKILL.md as JSON, and each of its files with a digest.
//  2. An entry is made from a [loader.Catalog] at each call. Digests are kept with the catalog while size
//     and time of the file are unchanged, and front matter is kept by the digest of its SKILL.md. So an
//     entry is never older than the call, and unchanged files are not read again.
//  3. The front matter must be a YAML mapping with a name, which equals the name of the folder, and a
//     description. A skill that violates this, or a limit that all hosts accept (512 files, 16 MiB), is
//     not listed as a skill; its files are still resources. [Reader.Problems] says why.
//  4. The values of the front matter follow the core schema of YAML 1.2, as hosts compare them.
package skills

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
)

// Folder is the folder of a project that holds its skills, and Scheme the scheme of their URIs.
const (
	Folder = "skills"
	Scheme = "skill"
)

// Mount makes the loader serve the skills of a project.
func Mount() loader.Mount { return loader.Mount{Dir: Folder, Scheme: Scheme, Skills: true} }

// Limits that every host accepts (SEP-2640, "Limits").
const (
	MaxFiles = 512
	MaxBytes = 16 << 20
)

const (
	// maxManifest bounds the SKILL.md, which a model reads as a whole.
	maxManifest = 1 << 20
	// readTries is how often a changing SKILL.md is read.
	readTries = 5
)

// A Skill is the entry of a skill.
type Skill struct {
	URI         string
	Name        string
	Description string
	FrontMatter []byte // a JSON object
	Files       []File // in canonical order, nested skills included
}

// A File is one of the files of a skill.
type File struct {
	URI string
	loader.Digest
}

// AppendJSON appends the entry as JSON (SEP-2640, "Skill Entries").
func (s *Skill) AppendJSON(b []byte) []byte {
	b = jsonwire.AppendString(append(b, `{"uri":`...), s.URI)
	b = append(append(b, `,"frontmatter":`...), s.FrontMatter...)
	b = append(b, `,"resources":[`...)
	for i, f := range s.Files {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonwire.AppendString(append(b, `{"uri":`...), f.URI)
		b = append(b, `,"digest":"sha256:`...)
		b = hex.AppendEncode(b, f.SHA256[:])
		b = fmt.Appendf(b, `","size":%d}`, f.Size)
	}
	return append(b, "]}"...)
}

// A Reader reads skills. Its methods may be called concurrently.
type Reader struct {
	mu    sync.Mutex
	known map[[32]byte]*manifest // by digest of the SKILL.md; guarded by mu
}

// NewReader returns a reader.
func NewReader() *Reader { return &Reader{known: make(map[[32]byte]*manifest)} }

// maxKnown is how many manifests are kept. When there are more, all are read again.
const maxKnown = 1000

// An InvalidError says why a folder with a SKILL.md is not a skill for clients.
type InvalidError struct{ Problems problems.List }

// Error names the first reason, without the file.
func (e *InvalidError) Error() string { return e.Problems[0].Reason }

// Read makes the entry of a skill. read is the number of bytes that were read for it, even after an
// error. The error is an [*InvalidError], an error of a file, or ctx.Err().
func (r *Reader) Read(ctx context.Context, catalog *loader.Catalog, skill loader.Resource) (s *Skill, read int64, err error) {
	if found := sizes(skill); found.Err() != nil {
		return nil, 0, &InvalidError{found}
	}
	m, digest, read, err := r.manifest(ctx, catalog, skill)
	if err != nil {
		return nil, read, err
	}
	if found := m.problemsIn(skill); found.Err() != nil {
		return nil, read, &InvalidError{failures(found)}
	}
	s = &Skill{URI: skill.URI(), Name: m.name, Description: excerpt.Seen(m.description), FrontMatter: m.json}
	total := int64(0)
	for file := range skill.Folder().All() {
		d := digest
		if file != skill {
			var cached bool
			d, cached, err = catalog.Digest(ctx, file, MaxBytes)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return nil, read, fmt.Errorf("%s: %w", file.LogicalPath(), err)
			}
			if !cached {
				read += d.Size
			}
		}
		if total += d.Size; total > MaxBytes {
			return nil, read, &InvalidError{problems.List{tooLarge(skill, total)}}
		}
		s.Files = append(s.Files, File{file.URI(), d})
	}
	return s, read, nil
}

// manifest reads the SKILL.md of a skill, and its digest.
func (r *Reader) manifest(ctx context.Context, catalog *loader.Catalog, skill loader.Resource) (m *manifest, d loader.Digest, read int64, err error) {
	for range readTries {
		var cached bool
		d, cached, err = catalog.Digest(ctx, skill, MaxBytes)
		if err != nil {
			return nil, d, read, err
		}
		if !cached {
			read += d.Size
		}
		r.mu.Lock()
		m = r.known[d.SHA256]
		r.mu.Unlock()
		if m != nil {
			return m, d, read, nil
		}
		if d.Size > maxManifest {
			return &manifest{problems: problems.List{{Reason: fmt.Sprintf("has %d bytes, more than %d: move some of it to other files of the skill", d.Size, maxManifest)}}}, d, read, nil
		}
		_, data, err := catalog.Content(skill, maxManifest)
		if err != nil {
			return nil, d, read, err
		}
		read += int64(len(data))
		if sha256.Sum256(data) != d.SHA256 {
			continue
		}
		m = parse(data)
		r.keep(d.SHA256, m)
		return m, d, read, nil
	}
	return nil, d, read, loader.ErrChanging
}

// keep remembers a manifest.
func (r *Reader) keep(digest [32]byte, m *manifest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxKnown {
		clear(r.known)
	}
	r.known[digest] = m
}

// sizes checks a skill against the limits, with the sizes in the catalog.
func sizes(skill loader.Resource) problems.List {
	folder := skill.Folder()
	if n := folder.Total(); n > MaxFiles {
		return problems.List{{File: folderOf(skill), Reason: fmt.Sprintf("the skill has %d files, more than the %d that all hosts accept", n, MaxFiles)}}
	}
	bytes := int64(0)
	for file := range folder.All() {
		bytes += file.Size()
	}
	if bytes > MaxBytes {
		return problems.List{tooLarge(skill, bytes)}
	}
	return nil
}

func tooLarge(skill loader.Resource, bytes int64) problems.Problem {
	return problems.Problem{File: folderOf(skill), Reason: fmt.Sprintf("the files of the skill have %d bytes, more than the %d that all hosts accept", bytes, MaxBytes)}
}

// folderOf returns the path of the folder of a skill.
func folderOf(skill loader.Resource) string {
	return strings.TrimSuffix(skill.LogicalPath(), "/"+loader.SkillFile)
}

// problemsIn returns the problems of the manifest of a skill.
func (m *manifest) problemsIn(skill loader.Resource) problems.List {
	file := skill.LogicalPath()
	found := slices.Clone(m.problems)
	for i := range found {
		found[i].File = file
	}
	if folder := skill.Folder().Name(); found.Err() == nil && m.name != folder {
		found = append(found, problems.Problem{File: file, Line: m.nameLine, Reason: fmt.Sprintf("the name is %q, must be the name of the folder, %q", m.name, folder)})
	}
	return found
}

// failures returns the problems that are not warnings.
func failures(found problems.List) problems.List {
	return slices.DeleteFunc(slices.Clone(found), func(p problems.Problem) bool { return p.Warning })
}

// A Summary has the name and description of a skill.
type Summary struct {
	Manifest          loader.Resource
	Name, Description string
}

// Summaries returns the skills of a catalog in canonical order. It reads each SKILL.md. The error
// is ctx.Err().
func (r *Reader) Summaries(ctx context.Context, catalog *loader.Catalog) ([]Summary, error) {
	var all []Summary
	for skill := range catalog.Skills("") {
		if sizes(skill).Err() != nil {
			continue
		}
		m, _, _, err := r.manifest(ctx, catalog, skill)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && m.problemsIn(skill).Err() == nil {
			all = append(all, Summary{skill, m.name, m.description})
		}
	}
	return all, nil
}

// The consequences of a problem for clients, in the texts of [Reader.Problems].
const (
	leftOut = "; it is not a skill for clients"
	kept    = "; clients get the skill all the same"
)

// Problems returns the problems of the skills of a catalog, and says which skills clients therefore do
// not get. It reads each SKILL.md. The error is ctx.Err().
func (r *Reader) Problems(ctx context.Context, catalog *loader.Catalog) (problems.List, error) {
	var all problems.List
	first := make(map[string]string) // by name, URI of the first skill
	for skill := range catalog.Skills("") {
		found := sizes(skill)
		m, _, _, err := r.manifest(ctx, catalog, skill)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			all = append(all, problems.Problem{File: skill.LogicalPath(), Reason: loader.Reason(err) + leftOut})
			continue
		}
		found = append(found, m.problemsIn(skill)...)
		if found.Err() == nil {
			if other, twice := first[m.name]; twice {
				found = append(found, problems.Problem{File: skill.LogicalPath(), Line: m.nameLine, Warning: true,
					Reason: fmt.Sprintf("%s has the name %s too: hosts may show the two alike", other, m.name)})
			} else {
				first[m.name] = skill.URI()
			}
		}
		invalid := found.Err() != nil
		for _, p := range found {
			switch {
			case !p.Warning:
				p.Reason += leftOut
			case !invalid:
				p.Reason += kept
			}
			all = append(all, p)
		}
	}
	return all, nil
}

package prompts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Folder is the folder of a project that holds its prompts.
const Folder = "prompts"

// Bounds on a scan. Links between folders can make endless paths.
const (
	maxPrompts = 10_000
	maxFolders = 2_000
)

// A version is a file as it was read.
type version struct {
	real     string // with links followed
	info     fs.FileInfo
	settled  bool // a later change of the file would have shown in info
	prompt   *Prompt
	problems jsondoc.Problems
}

// Scan reads the prompts in the folder dir of a project, which may not exist. old is an earlier Set
// of the same folder, or nil; files that have not changed since are not read again. visit, if not
// nil, is called before a folder is read, with each folder whose changes affect the set: below the
// project folder and with links resolved. changed, if not nil, reports whether a file, with links
// resolved, is to be read again even if it looks the same. The error is the error of ctx; [Set.Problems]
// reports problems with single files.
func Scan(ctx context.Context, fsys fs.FS, dir string, old *Set, visit func(dir string), changed func(file string) bool) (*Set, error) {
	s := &scanner{ctx: ctx, fsys: fsys, dir: dir, visit: visit, changed: changed}
	if changed == nil {
		s.changed = func(string) bool { return false }
	}
	if visit == nil {
		s.visit = func(string) {}
	}
	s.visit(path.Dir(dir))
	s.root(dir)
	slices.SortStableFunc(s.files, before)
	set := &Set{files: make(map[string]*version, len(s.files))}
	for i, f := range s.files {
		if ctx.Err() != nil {
			break
		}
		if i > 0 && s.files[i-1].name == f.name {
			s.files[i].loc = s.files[i-1].loc // for a third one
			s.problem(f.loc, "is not served: %s has the same name", s.files[i].loc)
			continue
		}
		v := s.read(f, old)
		if v == nil {
			continue
		}
		set.files[f.loc] = v
		s.problems = append(s.problems, v.problems...)
		if v.prompt != nil {
			set.prompts = append(set.prompts, v.prompt)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.problems, func(a, b jsondoc.Problem) int { return cmp.Compare(a.File, b.File) })
	set.problems = s.problems
	return set, nil
}

// A scanner builds one Set.
type scanner struct {
	ctx      context.Context
	fsys     fs.FS
	visit    func(dir string)
	changed  func(file string) bool
	dir      string
	files    []candidate
	folders  int // read so far
	problems jsondoc.Problems
}

// A candidate is a file that may become a prompt.
type candidate struct {
	name string
	loc  string // below the project folder, with links not resolved
	real string // with links followed
}

// before orders files by name, and files of one name by precedence: .md before .mdx, lower case before
// upper case.
func before(a, b candidate) int {
	ext := func(f candidate) string { return strings.ToLower(path.Ext(f.loc)) }
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(ext(a), ext(b)), cmp.Compare(b.loc, a.loc))
}

func compareName(p *Prompt, name string) int { return cmp.Compare(p.Name, name) }

func (s *scanner) problem(loc, format string, args ...any) {
	s.problems = append(s.problems, jsondoc.Problem{File: loc, Reason: fmt.Sprintf(format, args...)})
}

// root finds the folder itself, which may be a link.
func (s *scanner) root(dir string) {
	real := dir
	if info, err := lstat(s.fsys, dir); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.problem(dir, "%s: no prompts are served", loader.Reason(err))
		}
		return
	} else if info.Mode()&fs.ModeSymlink != 0 {
		if real, err = walk.Follow(s.fsys, dir); err == nil {
			s.visit(path.Dir(real))
			info, err = fs.Stat(s.fsys, real)
		}
		if err != nil {
			s.problem(dir, "%s: no prompts are served", loader.Reason(err))
			return
		}
		if !info.IsDir() {
			s.problem(dir, "is not a folder: no prompts are served")
			return
		}
	} else if !info.IsDir() {
		s.problem(dir, "is not a folder: no prompts are served")
		return
	}
	err := walk.Folder(s.ctx, s.fsys, real, walk.Visitor{
		Watch: s.visit, Enter: s.enter, File: s.file,
		Problem: func(loc string, err error) {
			s.problem(path.Join(dir, loc), "is not served: %s", loader.Reason(err))
		},
	})
	if err != nil && s.ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
		s.problem(dir, "%s", loader.Reason(err))
	}
}

func lstat(fsys fs.FS, name string) (fs.FileInfo, error) {
	if links, ok := fsys.(fs.ReadLinkFS); ok {
		return links.Lstat(name)
	}
	return fs.Stat(fsys, name)
}

// enter is called for each folder and counts it.
func (s *scanner) enter(entry walk.Entry) error {
	if s.folders++; s.folders > maxFolders {
		s.problem(path.Join(s.dir, entry.Loc), "is one folder too many: the prompts in it and in others are not served")
		return fs.SkipAll
	}
	return nil
}

// file adds a file.
func (s *scanner) file(entry walk.Entry) error {
	f := candidate{loc: path.Join(s.dir, entry.Loc), real: entry.Real}
	ext := path.Ext(entry.Loc)
	switch {
	case !strings.EqualFold(ext, ".md") && !strings.EqualFold(ext, ".mdx"):
	case !entry.Type.IsRegular():
		s.problem(f.loc, "is not a regular file")
	case !utf8.ValidString(entry.Loc) || strings.ContainsFunc(entry.Loc, unicode.IsControl):
		s.problem(f.loc, "has a name that is not printable text in UTF-8")
	case len(s.files) == maxPrompts:
		s.problem(f.loc, "is one prompt too many: it and others are not served")
		return fs.SkipAll
	default:
		f.name = strings.TrimSuffix(entry.Loc, ext)
		s.files = append(s.files, f)
	}
	return nil
}

// read returns a file, from the old Set where it is unchanged, or nil for one that cannot be read.
func (s *scanner) read(f candidate, old *Set) *version {
	now := time.Now()
	if old != nil {
		if known := old.files[f.loc]; known != nil && known.settled && known.real == f.real && !s.changed(f.real) {
			if info, err := fs.Stat(s.fsys, f.real); err == nil && same(known.info, info) {
				return known
			}
		}
	}
	data, info, err := readFile(s.fsys, f.real)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the file was removed during the scan
	} else if err != nil {
		s.problem(f.loc, "%s", loader.Reason(err))
		return nil
	}
	v := &version{real: f.real, info: info}
	// A file system without times returns the zero time, which shows no change.
	v.settled = !info.ModTime().IsZero() && !walk.RecentAt(info.ModTime(), now)
	v.prompt, v.problems = parse(f.loc, f.name, data)
	return v
}

// same reports whether both describe the same file in the same state. If the system identifies
// files, same detects a file that has replaced another one with the same size and time.
func same(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && (b.Sys() == nil || rootfs.SameFile(a, b))
}

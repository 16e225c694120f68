package prompts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

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

// A Set holds the prompts of a project. It is immutable. A nil Set is empty.
type Set struct {
	prompts  []*Prompt
	problems jsondoc.Problems
}

// Prompts returns the prompts sorted by name. The slice is shared and must not be changed.
func (s *Set) Prompts() []*Prompt { return cmp.Or(s, noPrompts).prompts }

var noPrompts = new(Set)

// Literal returns a prompt without arguments whose text contains no placeholders and no links. file
// is where it comes from, below the project folder.
func Literal(name, description, file, text string) *Prompt {
	return &Prompt{Name: name, Title: name, Description: description, File: file, line: 1, parts: []Part{{Template: Template{Text: text}}}}
}

// With returns a set with further prompts. It leaves out prompts with the name of a prompt in the
// set.
func (s *Set) With(more []*Prompt) *Set {
	if len(more) == 0 && s != nil {
		return s
	}
	out := &Set{prompts: slices.Clone(s.Prompts()), problems: s.Problems()}
	for _, p := range more {
		if _, taken := s.Get(p.Name); !taken {
			out.prompts = append(out.prompts, p)
		}
	}
	slices.SortFunc(out.prompts, func(a, b *Prompt) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Get returns the prompt of a name.
func (s *Set) Get(name string) (*Prompt, bool) {
	prompts := s.Prompts()
	if i, ok := slices.BinarySearchFunc(prompts, name, func(p *Prompt, name string) int { return cmp.Compare(p.Name, name) }); ok {
		return prompts[i], true
	}
	if i := slices.IndexFunc(prompts, func(p *Prompt) bool { return norm.NFC.String(p.Name) == norm.NFC.String(name) }); i >= 0 {
		return prompts[i], true
	}
	return nil, false
}

// Problems returns the problems of the files, sorted by file and line.
func (s *Set) Problems() jsondoc.Problems { return cmp.Or(s, noPrompts).problems }

// Equal reports whether the lists of both sets are the same. Types, enumerations and defaults are
// compared, because a description in a list may contain them; texts are not, because no list
// contains them.
func (s *Set) Equal(t *Set) bool {
	return slices.EqualFunc(s.Prompts(), t.Prompts(), func(p, q *Prompt) bool {
		return p == q || p.Name == q.Name && p.Title == q.Title && p.Description == q.Description &&
			reflect.DeepEqual(p.Arguments, q.Arguments)
	})
}

// Scan reads the prompts in the folder dir of a project, which may not exist. visit, if not nil, is called before a
// folder is read, with each folder whose changes affect the set: below the project folder and with links resolved. The
// error is the error of ctx; [Set.Problems] reports problems with single files.
func Scan(ctx context.Context, fsys fs.FS, dir string, visit func(dir string)) (*Set, error) {
	s := &scanner{ctx: ctx, fsys: fsys, dir: dir, visit: visit}
	if visit == nil {
		s.visit = func(string) {}
	}
	s.visit(path.Dir(dir))
	s.root(dir)
	slices.SortStableFunc(s.files, before)
	set := new(Set)
	for i, f := range s.files {
		if ctx.Err() != nil {
			break
		}
		if i > 0 && s.files[i-1].name == f.name {
			s.files[i].loc = s.files[i-1].loc
			s.problem(f.loc, "is not served: %s has the same name", s.files[i].loc)
			continue
		}
		if p := s.read(f); p != nil {
			set.prompts = append(set.prompts, p)
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
	dir      string
	files    []candidate
	folders  int
	problems jsondoc.Problems
}

// A candidate is a file that may become a prompt.
type candidate struct {
	name string
	loc  string // below the project folder, links not resolved
	real string // with links followed
}

// before orders files by name, and files of one name by precedence: .md before .mdx, lower case before
// upper case.
func before(a, b candidate) int {
	ext := func(f candidate) string { return strings.ToLower(path.Ext(f.loc)) }
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(ext(a), ext(b)), cmp.Compare(b.loc, a.loc))
}

func (s *scanner) problem(loc, format string, args ...any) {
	s.problems = append(s.problems, jsondoc.Problem{File: loc, Reason: fmt.Sprintf(format, args...)})
}

// root finds the folder itself, which may be a link.
func (s *scanner) root(dir string) {
	real := dir
	info, err := fs.Lstat(s.fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if real, err = walk.Follow(s.fsys, dir); err == nil {
			s.visit(path.Dir(real))
			info, err = fs.Stat(s.fsys, real)
		}
	}
	if err == nil && !info.IsDir() {
		err = errors.New("is not a folder")
	}
	if err != nil {
		s.problem(dir, "%s: no prompts are served", loader.Reason(err))
		return
	}
	err = walk.Folder(s.ctx, s.fsys, real, walk.Visitor{
		Watch: s.visit, Enter: s.enter, File: s.file,
		Problem: func(loc string, err error) {
			s.problem(path.Join(dir, loc), "is not served: %s", loader.Reason(err))
		},
	})
	if err != nil && s.ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
		s.problem(dir, "%s", loader.Reason(err))
	}
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

// read returns the prompt in a file, or nil if the file cannot be read or has an error.
func (s *scanner) read(f candidate) *Prompt {
	data, err := readFile(s.fsys, f.real)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		s.problem(f.loc, "%s", loader.Reason(err))
		return nil
	}
	prompt, problems := parse(f.loc, f.name, data)
	s.problems = append(s.problems, problems...)
	return prompt
}

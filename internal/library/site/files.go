package site

import (
	"context"
	"io/fs"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// maxFiles bounds the files and folders that a walk of the project lists.
const maxFiles = 200_000

// Files returns the paths of all files of the project below its folder, documents or not, in byte order: what a document may
// include, show or lead to. Hidden names, and what git ignores, are not among them. Callers must not change the slice.
func (s *Set) Files() []string {
	s = s.known()
	s.allOnce.Do(func() {
		if s.fsys != nil {
			s.all = s.walkFiles(context.Background())
		}
	})
	return s.all
}

func (s *Set) walkFiles(ctx context.Context) (files []string) {
	entries := 0
	count := func() error {
		if entries++; entries > maxFiles {
			return fs.SkipAll
		}
		return nil
	}
	_ = walk.Folder(ctx, s.fsys, ".", walk.Visitor{
		Enter: func(e walk.Entry) error {
			if e.Loc != "" && s.docs.Ignored(e.Loc, true) {
				return fs.SkipDir
			}
			return count()
		},
		File: func(e walk.Entry) error {
			if e.Type.IsRegular() && !s.docs.Ignored(e.Loc, false) {
				files = append(files, e.Loc)
			}
			return count()
		},
	})
	slices.Sort(files)
	return files
}

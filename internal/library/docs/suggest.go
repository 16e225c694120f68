package docs

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

const (
	maxSuggestions  = 10
	maxKeywords     = 16      // of a request; more would make a lookup of 20,000 paths slow
	maxKeywordBytes = 4 << 10 // of all keywords that are used
)

// keywords splits the client's keywords at white space and drops those beyond the limits.
func keywords(items []string) []string {
	var words []string
	left := maxKeywordBytes
	for _, item := range items {
		for word := range strings.FieldsSeq(excerpt.Cut(item, left)) {
			word = strings.ToLower(word)
			if len(word) <= maxWord && !slices.Contains(words, word) {
				words = append(words, word)
			}
			if len(words) == maxKeywords {
				return words
			}
		}
		if left -= len(item); left <= 0 {
			break
		}
	}
	return words
}

// pathWords returns the words of the last part of a path, in lower case: split at "-", "_" and
// capitals, of three letters or more.
func pathWords(p string) []string {
	name, _ := cutExtension(path.Base(clean(strings.ToValidUTF8(excerpt.Cut(p, maxPath), " "))))
	var words []string
	add := func(w string) {
		if w = strings.ToLower(w); len([]rune(w)) >= 3 && len(w) <= maxWord && len(words) < maxKeywords && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	start := 0
	for i, r := range name {
		switch {
		case unicode.IsUpper(r):
			add(name[start:i])
			start = i
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			add(name[start:i])
			start = i + len(string(r))
		}
	}
	add(name[start:])
	return words
}

// A suggestion is a document's path with its score.
type suggestion struct {
	path  string
	score float64
}

// byPath returns the documents whose paths contain most of the words, best first. The words are in
// lower case. A word counts more in the file's name, and more again if it is the whole name or a
// part between separators.
func (l *Library) byPath(words []string, limit int) []suggestion {
	words = words[:min(len(words), maxKeywords)]
	var found []suggestion
	for _, d := range l.docs {
		score := 0.0
		for _, w := range words {
			start := strings.LastIndex(d.lower, w)
			if start < 0 {
				continue
			}
			score += 2
			name := strings.LastIndexByte(d.lower, '/') + 1
			if start >= name {
				score++
			}
			if end := start + len(w); (start == 0 || isSeparator(d.lower[start-1])) && (end == len(d.lower) || isSeparator(d.lower[end])) {
				score++
			}
		}
		if score > 0 {
			found = append(found, suggestion{d.path, score})
		}
	}
	slices.SortFunc(found, func(a, b suggestion) int {
		return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.path, b.path))
	})
	return found[:min(limit, len(found))]
}

// maxNear is how many documents [Library.Near] compares.
const maxNear = 20_000

// Near returns at most limit documents for a path that does not exist: those whose names are close to its name, then those
// whose paths contain words of it.
func (l *Library) Near(asked string, limit int) []string {
	l = l.known()
	byName := make(map[string][]string)
	for _, d := range l.docs[:min(len(l.docs), maxNear)] {
		name, _ := cutExtension(d.path)
		name = baseName(name)
		byName[name] = append(byName[name], d.path)
	}
	var paths []string
	asked = strings.TrimSuffix(strings.TrimSuffix(asked, "/"), path.Ext(asked))
	for _, name := range nearest.Of(path.Base(asked), slices.Collect(maps.Keys(byName)), limit) {
		paths = append(paths, byName[name]...)
	}
	for _, s := range l.byPath(pathWords(asked), limit) {
		if !slices.Contains(paths, s.path) {
			paths = append(paths, s.path)
		}
	}
	return paths[:min(limit, len(paths))]
}

func isSeparator(c byte) bool { return strings.IndexByte("/-_. ", c) >= 0 }

// suggest returns up to ten paths for a requested path and the keywords of the request: first
// documents whose paths contain the words, then documents whose text does. For a folder that
// exists, it omits the paths in the listing and, without keywords, all paths below the folder,
// because the name of the folder itself would match them.
func (l *Library) suggest(ctx context.Context, asked string, keywords []string, p target) ([]string, error) {
	words := pathWords(asked)
	if p.folder != nil && len(keywords) > 0 {
		words = nil
	}
	for _, w := range keywords {
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	var paths []string
	add := func(found string) {
		if p.folder != nil {
			dir, _ := path.Split(found)
			if dir = strings.TrimSuffix(dir, "/"); dir == p.path || len(keywords) == 0 && (p.path == "" || walk.Holds(p.path, dir)) {
				return
			}
		}
		if len(paths) < maxSuggestions && !slices.Contains(paths, found) {
			paths = append(paths, found)
		}
	}
	for _, s := range l.byPath(words, len(l.docs)) {
		if len(paths) == maxSuggestions {
			return paths, nil
		}
		add(s.path)
	}
	if len(l.docs) == 0 {
		return nil, nil
	}
	x, err := l.await(ctx, false, indexWait)
	if x == nil {
		return paths, err
	}
	for _, f := range x.rank(ctx, x.parse(strings.Join(words, " "), maxTerms), 2*maxSuggestions, 1, nil, nil) {
		if d := x.docs[x.passages[f[0].passage].doc]; d.uri == "" {
			add(d.path)
		}
	}
	return paths, nil
}

package docs

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

const maxSuggestions = 10

// maxNear is how many documents [Library.Near] compares.
const maxNear = 20_000

// Near returns at most limit documents for a path that does not exist: those whose names are close to its name.
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
	return paths[:min(limit, len(paths))]
}

// baseOf returns the last part of a path that a client asked for, without an extension.
func baseOf(asked string) string {
	name, _ := cutExtension(path.Base(clean(excerpt.Cut(asked, maxPath))))
	return name
}

// near names documents and folders for filters that select nothing.
func (l *Library) near(ctx context.Context, asked []string) (sentences string, err error) {
	var words []string
	for _, a := range asked {
		if strings.HasPrefix(a, "language:") || strings.HasPrefix(a, "version:") {
			continue
		}
		words = append(words, baseOf(a))
	}
	paths, err := l.suggest(ctx, strings.Join(words, " "))
	if len(paths) > 0 {
		sentences = " Similar: " + strings.Join(paths[:min(len(paths), maxNamed)], ", ") + "."
	}
	_, folders := l.Top()
	return sentences + folders, err
}

// suggest returns up to ten documents that have some words. They are plain text, without filters and phrases.
func (l *Library) suggest(ctx context.Context, words string) (paths []string, err error) {
	if words = strings.TrimSpace(excerpt.Cut(words, maxQuery)); words == "" || len(l.docs) == 0 {
		return nil, nil
	}
	x, err := l.await(ctx, false, shortWait)
	if x == nil {
		return nil, err
	}
	terms, _ := x.parse(words, maxTerms)
	for _, f := range x.rank(ctx, ranking{terms: terms, share: l.share}, 2*maxSuggestions, 1) {
		if d := x.docs[x.passages[f[0].passage].Document]; d.uri == "" && len(paths) < maxSuggestions {
			paths = append(paths, readable(d.path))
		}
	}
	return paths, nil
}

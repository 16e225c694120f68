package quality

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// deep is the number of pages of an answer that count.
const deep = 10

// An Engine answers each query of a collection by paths of pages, best first.
type Engine func(c *Collection) ([][]string, error)

// Ours is the search of this project.
func Ours(c *Collection) ([][]string, error) {
	fsys, err := rootfs.Open(filepath.Dir(c.Dir))
	if err != nil {
		return nil, err
	}
	defer fsys.Close()
	l, err := docs.Detect(context.Background(), fsys, docs.Reading{Sites: site.Options{Chosen: filepath.Base(c.Dir)}})
	if err != nil {
		return nil, err
	}
	return find(l, c.Queries, deep)
}

// find answers queries by the paths of hits, best first.
func find(l *docs.Library, queries []Query, most int) (answers [][]string, err error) {
	ctx := context.Background()
	if err := l.Index(ctx); err != nil {
		return nil, err
	}
	for _, q := range queries {
		found, err := l.Find(ctx, docs.Query{Words: q.Text, Alternatives: q.Alternatives}, most)
		if err != nil {
			return nil, err
		}
		var pages []string
		for _, h := range found.Hits {
			pages = append(pages, h.Path)
		}
		answers = append(answers, pages)
	}
	return answers, nil
}

// Bleve is bleve with its analysis of English, where titles count three times and paths twice.
func Bleve(c *Collection) ([][]string, error) {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = en.AnalyzerName
	index, err := bleve.NewMemOnly(mapping)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	batch := index.NewBatch()
	for _, p := range c.Pages {
		name := strings.NewReplacer("/", " ", "-", " ", "_", " ").Replace(strings.TrimSuffix(p.Path, filepath.Ext(p.Path)))
		if err := batch.Index(p.Path, map[string]string{"title": p.Title, "path": name, "text": p.Text}); err != nil {
			return nil, err
		}
	}
	if err := index.Batch(batch); err != nil {
		return nil, err
	}
	var answers [][]string
	for _, q := range c.Queries {
		title, name, text := bleve.NewMatchQuery(q.Text), bleve.NewMatchQuery(q.Text), bleve.NewMatchQuery(q.Text)
		title.SetField("title")
		title.SetBoost(3)
		name.SetField("path")
		name.SetBoost(2)
		text.SetField("text")
		found, err := index.Search(bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(title, name, text), deep, 0, false))
		if err != nil {
			return nil, err
		}
		var pages []string
		for _, h := range found.Hits {
			pages = append(pages, h.ID)
		}
		answers = append(answers, pages)
	}
	return answers, nil
}

// Merged answers each query with its alternatives, which an engine knows nothing of: the lists of all wordings, and of all
// their words together, are merged by the inverse of their ranks, as this search does it.
func Merged(e Engine) Engine {
	return func(c *Collection) ([][]string, error) {
		single := *c
		single.Queries = nil
		for _, q := range c.Queries {
			wordings := append([]string{q.Text}, q.Alternatives...)
			for _, w := range append(wordings, strings.Join(wordings, " ")) {
				single.Queries = append(single.Queries, Query{Text: w})
			}
		}
		lists, err := e(&single)
		if err != nil {
			return nil, err
		}
		var answers [][]string
		for _, q := range c.Queries {
			scores := make(map[string]float64)
			for i, list := range lists[:len(q.Alternatives)+2] {
				for rank, page := range list {
					weight := 1.0
					if i == 0 {
						weight = 2
					}
					scores[page] += weight / float64(3+rank)
				}
			}
			lists = lists[len(q.Alternatives)+2:]
			answers = append(answers, slices.SortedFunc(maps.Keys(scores), func(a, b string) int {
				return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
			}))
		}
		return answers, nil
	}
}

// MiniSearch is the library of that name: titles count three times and paths twice, words are found
// by their beginning and with up to a tenth of their letters changed.
func MiniSearch(c *Collection) ([][]string, error) {
	input, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	node := exec.Command("node", "minisearch.mjs")
	node.Stdin, node.Stderr = strings.NewReader(string(input)), os.Stderr
	output, err := node.Output()
	if err != nil {
		return nil, fmt.Errorf("node minisearch.mjs, which needs npm ci: %w", err)
	}
	var answers [][]string
	return answers, json.Unmarshal(output, &answers)
}

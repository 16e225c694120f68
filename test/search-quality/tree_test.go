package quality

import (
	"cmp"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// mostQueries bounds the queries of a tree. More are drawn with a fixed seed.
const mostQueries = 400

// askTree finds queries in the Markdown of an unpacked repository, about its default language and version, and the paths of the
// documents in these. The project itself says where a link leads. A link makes no query if its target is not certain, or has another
// language or version.
func askTree(fsys fs.FS, set *site.Set) (queries []Query, listed map[string]bool, err error) {
	listed = make(map[string]bool)
	answers := make(map[string][]string)
	for _, p := range set.Pages(false) {
		listed[p.Path] = true
		if !isMarkdown(p.File) {
			continue
		}
		data, err := fs.ReadFile(fsys, p.File)
		if err != nil {
			return nil, nil, err
		}
		parse(&Page{Text: string(data)}, func(words, target string) {
			to := set.Resolve(p, target)
			if !says(words) || to.Certainty != site.Found || to.Page == nil || to.Page == p || to.Page.Hidden != "" || to.Page.Tree.Other {
				return
			}
			if words = strings.ToLower(words); !slices.Contains(answers[words], to.Page.Path) {
				answers[words] = append(answers[words], to.Page.Path)
			}
		})
	}
	for text, pages := range answers {
		if len(pages) == 1 {
			queries = append(queries, Query{Text: text, Answer: pages[0]})
		}
	}
	slices.SortFunc(queries, func(a, b Query) int { return cmp.Compare(a.Text, b.Text) })
	if len(queries) > mostQueries {
		rand.New(rand.NewPCG(29, 29)).Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
		queries = queries[:mostQueries]
	}
	return queries, listed, nil
}

// The search is good in repositories with many languages and versions, which have no configuration, and finds only the default
// ones. The variable TREES has the folders of unpacked repositories, separated as in PATH. If the variable SHOW is the name of a
// folder, the test logs the queries whose page is not first.
func TestTrees(t *testing.T) {
	folders := filepath.SplitList(os.Getenv("TREES"))
	if len(folders) == 0 {
		t.Skip("TREES names no unpacked repositories")
	}
	var total figure
	asked := 0
	for _, dir := range folders {
		fsys, err := rootfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer fsys.Close()
		l, err := docs.Detect(t.Context(), fsys, docs.Reading{})
		if err != nil {
			t.Fatal(err)
		}
		queries, listed, err := askTree(fsys, l.Sites())
		if err != nil {
			t.Fatal(err)
		}
		answers, err := find(l, queries, 3*deep)
		if err != nil {
			t.Fatal(err)
		}
		for i, pages := range answers {
			answers[i] = slices.Compact(pages) // passages count as their page
			for _, page := range pages {
				if !listed[page] {
					t.Errorf("%s, found for %q, is of another language or version", page, queries[i].Text)
				}
			}
		}
		f := measure(queries, answers)
		total.add(f)
		asked += len(queries)
		t.Logf("%-20s %4d documents, %3d queries | %s", filepath.Base(dir), len(listed), len(queries), f.row(len(queries)))
		if f.mrr/float64(len(queries)) < 0.62 {
			t.Errorf("%s: the MRR is below 0.62", filepath.Base(dir))
		}
		if os.Getenv("SHOW") == filepath.Base(dir) {
			show(t, &Collection{Queries: queries}, answers)
		}
	}
	t.Logf("all: %d queries | %s", asked, total.row(asked))
	if total.mrr/float64(asked) < 0.80 {
		t.Error("the MRR is below 0.80")
	}
}

package quality

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// A figure is how well an engine answers queries.
type figure struct {
	first, ten float64 // how many queries have their page first, and among the first ten
	mrr        float64 // the sum of one over the place of the page
}

func measure(queries []Query, answers [][]string) (f figure) {
	for i, q := range queries {
		place := slices.IndexFunc(answers[i][:min(len(answers[i]), deep)], func(page string) bool { return page == q.Answer || slices.Contains(q.Also, page) })
		if place < 0 {
			continue
		}
		if place == 0 {
			f.first++
		}
		f.ten++
		f.mrr += 1 / float64(place+1)
	}
	return f
}

func (f *figure) add(g figure) {
	f.first += g.first
	f.ten += g.ten
	f.mrr += g.mrr
}

func (f figure) row(queries int) string {
	n := float64(queries)
	return fmt.Sprintf("%.3f, %.3f, %.3f", f.first/n, f.ten/n, f.mrr/n)
}

// The search is better than other engines on projects that it was not tuned on. If the variable
// TUNED is set, the projects that it was tuned on are measured too. If the variable SHOW is the
// name of a project, the test logs the queries of the project whose page is not first.
func TestQuality(t *testing.T) {
	sources, err := Sources()
	if err != nil {
		t.Fatal(err)
	}
	engines := []struct {
		name   string
		engine Engine
	}{{"this search", Ours}, {"MiniSearch", MiniSearch}, {"bleve", Bleve}}
	total, asked := make([]figure, len(engines)), 0
	for _, s := range sources {
		if s.Tuned && os.Getenv("TUNED") == "" {
			continue
		}
		dir, err := s.Fetch(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		c, err := Read(s, dir)
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%-13s %3d pages, %3d queries", s.Name, len(c.Pages), len(c.Queries))
		for i, e := range engines {
			answers, err := e.engine(c)
			if err != nil {
				t.Fatal(err)
			}
			f := measure(c.Queries, answers)
			line += " | " + e.name + " " + f.row(len(c.Queries))
			if !s.Tuned {
				total[i].add(f)
			}
			if i == 0 && os.Getenv("SHOW") == s.Name {
				show(t, c, answers)
			}
		}
		if !s.Tuned {
			asked += len(c.Queries)
		}
		t.Log(line)
	}
	line := fmt.Sprintf("all but the tuned: %d queries", asked)
	for i, e := range engines {
		line += " | " + e.name + " " + total[i].row(asked)
	}
	t.Log(line)
	if asked < 600 {
		t.Errorf("there are only %d queries", asked)
	}
	for i, e := range engines[1:] {
		if ours, other := total[0], total[i+1]; ours.first <= other.first || ours.ten <= other.ten || ours.mrr <= other.mrr {
			t.Errorf("%s is better in a figure", e.name)
		}
	}
	// R@10 of BM25 alone is 0.94 and R@1 0.63.
	if n := float64(asked); total[0].first/n < 0.83 || total[0].ten/n < 0.97 || total[0].mrr/n < 0.885 {
		t.Error("the ranking became worse")
	}
}

func show(t *testing.T, c *Collection, answers [][]string) {
	for i, q := range c.Queries {
		if place := slices.Index(answers[i], q.Answer); place != 0 {
			t.Logf("%q is answered by %s, not %s (%d)", q.Text, strings.Join(answers[i][:min(3, len(answers[i]))], ", "), q.Answer, place)
		}
	}
}

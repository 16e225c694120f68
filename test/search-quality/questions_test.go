package quality

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
)

// A Question is what a user asks in everyday words, in questions/NAME.json of a project. Its author has read the pages. The
// wordings come from a model that knows the project: 140 of the 150 first ones have all words of the title of the page.
type Question struct {
	Question string
	Path     []string // the pages that answer it, each alone
	Wordings []string // three, the most likely one first
}

// Questions returns the questions about a project, or none.
func Questions(name string) (questions []Question, err error) {
	data, err := os.ReadFile(filepath.Join("questions", name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return questions, json.Unmarshal(data, &questions)
}

// refusal returns what is wrong with a question about pages with these titles, by path, or "". A question must not have a word of
// the title of its page, which would make it easy: two words are the same if they have the same stem. Stop words and the
// words in names do not count.
func (q Question) refusal(titles map[string]string, names []string) string {
	if len(q.Path) == 0 || len(q.Wordings) != 3 || slices.Contains(q.Wordings, q.Question) || slices.Contains(q.Wordings, "") {
		return "it needs a path and three other wordings"
	}
	mapping := bleve.NewIndexMapping()
	words := func(text string) (words []string) {
		tokens, _ := mapping.AnalyzeText(en.AnalyzerName, []byte(text)) // the analyzer exists
		for _, t := range tokens {
			if len(t.Term) > 2 {
				words = append(words, strings.TrimRight(string(t.Term), "iy")) // deploying is stemmed to deploi
			}
		}
		return words
	}
	for _, path := range q.Path {
		title, ok := titles[path]
		if !ok {
			return path + " is not a page"
		}
		for _, w := range words(title) {
			if slices.Contains(words(q.Question), w) && !slices.Contains(words(strings.Join(names, " ")), w) {
				return fmt.Sprintf("it shares %q with the title of %s: %q", w, path, title)
			}
		}
	}
	return ""
}

// ways are the ways to ask a question, each with the least shares of questions that must have their page first and among the
// first ten.
var ways = []struct {
	name       string
	ask        func(q Question) Query
	first, ten float64
}{
	{"the question", func(q Question) Query { return Query{Text: q.Question} }, 0.27, 0.69},
	{"the question with alternatives", func(q Question) Query { return Query{Text: q.Question, Alternatives: q.Wordings} }, 0.79, 0.99},
	{"one wording", func(q Question) Query { return Query{Text: q.Wordings[0]} }, 0.84, 0.99},
	{"one wording with alternatives", func(q Question) Query { return Query{Text: q.Wordings[0], Alternatives: q.Wordings[1:]} }, 0.86, 0.99},
}

// Questions in everyday words find their page, above all with other wordings, and alone more often than with other engines. If the
// variable SHOW is the name of a project, the test logs the questions whose page is not first.
func TestQuestions(t *testing.T) {
	sources, err := Sources()
	if err != nil {
		t.Fatal(err)
	}
	engines := []struct {
		name   string
		engine Engine
	}{{"this search", Ours}, {"MiniSearch", Merged(MiniSearch)}, {"bleve", Merged(Bleve)}}
	totals, asked := make([][3]figure, len(ways)), 0
	for _, s := range sources {
		questions, err := Questions(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		if questions == nil {
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
		titles := make(map[string]string)
		for _, p := range c.Pages {
			titles[p.Path] = p.Title
		}
		for i, q := range questions {
			if reason := q.refusal(titles, strings.Split(s.Name, "-")); reason != "" {
				t.Errorf("questions/%s.json, question %d, %q: %s", s.Name, i+1, q.Question, reason)
			}
		}
		if t.Failed() {
			continue
		}
		c.Queries = nil
		for _, way := range ways {
			for _, q := range questions {
				query := way.ask(q)
				query.Answer, query.Also = q.Path[0], q.Path[1:]
				c.Queries = append(c.Queries, query)
			}
		}
		n := len(questions)
		asked += n
		lines := make([]string, len(ways))
		for j, e := range engines {
			answers, err := e.engine(c)
			if err != nil {
				t.Fatal(err)
			}
			for i := range ways {
				f := measure(c.Queries[i*n:(i+1)*n], answers[i*n:(i+1)*n])
				totals[i][j].add(f)
				lines[i] += " | " + e.name + " " + f.row(n)
			}
			if j == 0 && os.Getenv("SHOW") == s.Name {
				show(t, c, answers)
			}
		}
		for i, way := range ways {
			t.Logf("%-8s %d questions, %-30s%s", s.Name, n, way.name, lines[i])
		}
	}
	if t.Failed() {
		return
	}
	for i, way := range ways {
		line := fmt.Sprintf("all      %d questions, %-30s", asked, way.name)
		for j, e := range engines {
			line += " | " + e.name + " " + totals[i][j].row(asked)
		}
		t.Log(line)
		n, ours := float64(asked), totals[i][0]
		if ours.first/n < way.first || ours.ten/n < way.ten {
			t.Errorf("%s: the ranking became worse", way.name)
		}
		for j, other := range totals[i][1:] {
			if i == 0 && (ours.first <= other.first || ours.ten <= other.ten || ours.mrr <= other.mrr) || ours.ten < other.ten {
				t.Errorf("%s: %s is better in a figure", way.name, engines[j+1].name)
			}
		}
	}
}

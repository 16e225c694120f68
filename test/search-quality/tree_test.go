package quality

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// mostQueries bounds the queries of a tree. More are drawn with a fixed seed.
const mostQueries = 400

// A tree is an unpacked repository, which the program serves without configuration. It has all its
// languages and versions; the queries and answers are about the default language and version.
type tree struct {
	program, dir string
	listed       map[string]bool // paths of the documents of the default language and version
	queries      []Query
}

// ask finds the queries of the tree in its Markdown. The project itself says where a link leads. A
// link makes no query if its target is not certain, or has another language or version.
func (r *tree) ask() error {
	fsys, err := rootfs.Open(r.dir)
	if err != nil {
		return err
	}
	defer fsys.Close()
	ctx := context.Background()
	set, err := site.Find(ctx, fsys, site.Options{Quick: true}, nil, nil)
	if err != nil {
		return err
	}
	r.listed = make(map[string]bool)
	answers := make(map[string][]string)
	for _, p := range set.Pages(false) {
		r.listed[p.Path] = true
		if !isMarkdown(p.File) {
			continue
		}
		data, err := fs.ReadFile(fsys, p.File)
		if err != nil {
			return err
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
			r.queries = append(r.queries, Query{Text: text, Answer: pages[0]})
		}
	}
	slices.SortFunc(r.queries, func(a, b Query) int { return cmp.Compare(a.Text, b.Text) })
	if len(r.queries) > mostQueries {
		rand.New(rand.NewPCG(29, 29)).Shuffle(len(r.queries), func(i, j int) { r.queries[i], r.queries[j] = r.queries[j], r.queries[i] })
		r.queries = r.queries[:mostQueries]
	}
	return nil
}

// hit matches the first line of a passage in an answer.
var hit = regexp.MustCompile(`(?m)^\d+\. (.+?), line \d+(?:: .*)?$`)

// answers asks the program as a client of its standard input and output. A passage counts as its
// page. foreign are the passages of pages that are not of the default language and version.
func (r *tree) answers() (answers [][]string, foreign []string, err error) {
	server := exec.Command(r.program, "serve")
	server.Dir = r.dir
	in, err := server.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := server.Start(); err != nil {
		return nil, nil, err
	}
	defer func() {
		in.Close()
		if ended := server.Wait(); err == nil {
			err = ended
		}
	}()
	lines := bufio.NewReader(out)
	number := 0
	call := func(method string, params any) (text string, err error) {
		number++
		message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": number, "method": method, "params": params})
		if err != nil {
			return "", err
		}
		if _, err := in.Write(append(message, '\n')); err != nil {
			return "", err
		}
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return "", err
			}
			var answer struct {
				ID     int
				Error  json.RawMessage
				Result struct {
					Tools   []struct{ Name string }
					Content []struct{ Text string }
				}
			}
			if err := json.Unmarshal(line, &answer); err != nil {
				return "", err
			}
			if answer.ID != number { // a notification
				continue
			}
			if answer.Error != nil {
				return "", fmt.Errorf("%s: %s", method, answer.Error)
			}
			for _, t := range answer.Result.Tools {
				text += t.Name + "\n"
			}
			for _, c := range answer.Result.Content {
				text += c.Text
			}
			return text, nil
		}
	}
	if _, err := call("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "search-quality", "version": "1"}}); err != nil {
		return nil, nil, err
	}
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return nil, nil, err
	}
	tools, err := call("tools/list", struct{}{})
	if err != nil {
		return nil, nil, err
	}
	tool, _, _ := strings.Cut(tools, "\n") // the first one is for documents
	for _, q := range r.queries {
		text := "still being read"
		for strings.Contains(text, "still being read") && number < 10_000 {
			if number > 1 {
				time.Sleep(10 * time.Millisecond)
			}
			if text, err = call("tools/call", map[string]any{"name": tool, "arguments": map[string]any{"query": q.Text, "limit": 3 * deep}}); err != nil {
				return nil, nil, err
			}
		}
		var pages []string
		for _, m := range hit.FindAllStringSubmatch(text, -1) {
			if !r.listed[m[1]] {
				foreign = append(foreign, m[1])
			}
			if !slices.Contains(pages, m[1]) {
				pages = append(pages, m[1])
			}
		}
		answers = append(answers, pages)
	}
	return answers, foreign, nil
}

// The search is good in repositories with many languages and versions, and finds only the default
// ones. The variable TREES has the folders of unpacked repositories, separated as in PATH, and
// PROGRAM the program. If the variable SHOW is the name of a folder, the test logs the queries whose
// page is not first.
func TestTrees(t *testing.T) {
	folders := filepath.SplitList(os.Getenv("TREES"))
	if len(folders) == 0 {
		t.Skip("TREES names no unpacked repositories")
	}
	var total figure
	asked := 0
	for _, dir := range folders {
		r := &tree{program: os.Getenv("PROGRAM"), dir: dir}
		if err := r.ask(); err != nil {
			t.Fatal(err)
		}
		answers, foreign, err := r.answers()
		if err != nil {
			t.Fatal(err)
		}
		f := measure(r.queries, answers)
		total.add(f)
		asked += len(r.queries)
		t.Logf("%-20s %4d documents, %3d queries | %s", filepath.Base(dir), len(r.listed), len(r.queries), f.row(len(r.queries)))
		if len(foreign) > 0 {
			t.Errorf("%d results are of another language or version, such as %s", len(foreign), foreign[0])
		}
		if f.mrr/float64(len(r.queries)) < 0.62 {
			t.Errorf("%s: the MRR is below 0.62", filepath.Base(dir))
		}
		if os.Getenv("SHOW") == filepath.Base(dir) {
			show(t, &Collection{Queries: r.queries}, answers)
		}
	}
	t.Logf("all: %d queries | %s", asked, total.row(asked))
	if total.mrr/float64(asked) < 0.80 {
		t.Error("the MRR is below 0.80")
	}
}

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func run(t *testing.T, in io.Reader, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr syncBuffer
	code = Run(t.Context(), args, Streams{In: in, Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// A said is what a command line has ended with. Its methods report what is not so.
type said struct {
	t         *testing.T
	args      []string
	code      int
	out, errs string
}

// try runs a command line without input:
//
//	try(t, "list", dir).ends(1).complains("no such file")
func try(t *testing.T, args ...string) said {
	t.Helper()
	code, out, errs := run(t, strings.NewReader(""), args...)
	return said{t, args, code, out, errs}
}

func (s said) must(ok bool, what string, wanted any) said {
	s.t.Helper()
	if !ok {
		s.t.Errorf("%q: %s %q; code %d, output %q, errors %q", s.args, what, wanted, s.code, s.out, s.errs)
	}
	return s
}

func (s said) ends(code int) said {
	s.t.Helper()
	return s.must(s.code == code, "does not end with", fmt.Sprint(code))
}

func (s said) printsOnly(out string) said {
	s.t.Helper()
	return s.must(s.out == out, "does not print only", out)
}

func (s said) complainsOnly(errs string) said {
	s.t.Helper()
	return s.must(s.errs == errs, "does not complain only", errs)
}

func (s said) prints(parts ...string) said {
	s.t.Helper()
	return s.must(containsAll(s.out, parts), "does not print", parts)
}

func (s said) complains(parts ...string) said {
	s.t.Helper()
	return s.must(containsAll(s.errs, parts), "does not complain", parts)
}

// hides reports parts that are in the output or in the errors.
func (s said) hides(parts ...string) said {
	s.t.Helper()
	return s.must(!slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s.out+s.errs, part) }), "does not hide", parts)
}

func containsAll(text string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
}

// A syncBuffer is a buffer that several goroutines may write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// words splits a command line at blanks, except in single quotes.
func words(line string) (args []string) {
	for _, word := range regexp.MustCompile(`(?:'[^']*'|[^' ])+`).FindAllString(line, -1) {
		args = append(args, strings.ReplaceAll(word, "'", ""))
	}
	return args
}

// A row is a command line and what it ends with. NAME=VALUE before the command are environment variables.
type row struct {
	line      string
	code      int
	out, errs string // for [like]
}

// rows runs the command lines of a table.
func rows(t *testing.T, table ...row) {
	t.Helper()
	for _, r := range table {
		t.Run(r.line, func(t *testing.T) {
			if s := line(t, r.line); s.code != r.code || !like(s.out, r.out) || !like(s.errs, r.errs) {
				t.Errorf("code %d, want %d; output (-want +got):\n%s\nerrors:\n%s", s.code, r.code, cmp.Diff(r.out, s.out), cmp.Diff(r.errs, s.errs))
			}
		})
	}
}

var variable = regexp.MustCompile(`^[A-Z_]+=`)

// line is [try] for the line of a row.
func line(t *testing.T, text string) said {
	t.Helper()
	args := words(text)
	for ; len(args) > 0 && variable.MatchString(args[0]); args = args[1:] {
		name, value, _ := strings.Cut(args[0], "=")
		t.Setenv(name, value)
	}
	return try(t, args...)
}

// like reports whether a text is as a pattern, in which … stands for any text.
func like(text, pattern string) bool {
	parts := strings.Split(pattern, "…")
	rest, ok := strings.CutPrefix(text, parts[0])
	if len(parts) == 1 {
		return ok && rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if ok = ok && at >= 0; ok {
			rest = rest[at+len(part):]
		}
	}
	return ok && strings.HasSuffix(rest, parts[last])
}

// runUntil calls run with an input of some lines, which ends when standard error contains every
// text in want.
func runUntil(t *testing.T, in string, want []string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr syncBuffer
	all := func() bool { return containsAll(stderr.String(), want) }
	code = Run(t.Context(), args, Streams{In: &held{strings.NewReader(in), all}, Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// held is input that ends only when until returns true. If until never returns true, the timeout of
// go test reports it.
type held struct {
	io.Reader
	until func() bool
}

func (h *held) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if err == io.EOF {
		for !h.until() {
			time.Sleep(time.Millisecond)
		}
	}
	return n, err
}

const goodConfig = `mcp-docs-server.json={"name": "Acme", "package": "@acme/docs", "version": "1.2.3"}`

const handshakeLines = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func TestServe(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A", "documents/")
	for _, args := range [][]string{{"serve", dir}, {"-c", filepath.Join(dir, "mcp-docs-server.json"), "-d", "documents"}, {"serve", dir, "--docs", filepath.Join(dir, "documents")}} {
		code, out, errs := runUntil(t, handshakeLines+`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://h/a.md"}}`, []string{"serving 1 resource from "}, args...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if code != 0 || len(lines) != 2 || !json.Valid([]byte(lines[0])) || !strings.Contains(lines[0], `"serverInfo":{"name":"Acme","title":"Acme Documentation Server","version":"1.2.3"}`) ||
			!json.Valid([]byte(lines[1])) || !strings.Contains(lines[1], `"text":"# A"`) {
			t.Errorf("%q: code %d, answers %q, errors %q", args, code, lines, errs)
		}
	}
}

// A link among documents that are resources too is reported once.
func TestNoticesAreReportedOnce(t *testing.T) {
	dir := given.Folder(t, `mcp-docs-server.json={"name": "Acme", "package": "a", "version": "1", "docsResources": true}`, "docs/a.md=# A")
	given.In(t, dir).Link("../..", "docs/out")
	_, _, errs := runUntil(t, handshakeLines, []string{"(read in "}, "serve", dir)
	if n := strings.Count(errs, "out: is not served"); n != 1 {
		t.Errorf("reported %d times: %s", n, errs)
	}
}

// A project that lacks something is still served, and the server reports what is missing.
func TestServeSaysWhatIsMissing(t *testing.T) {
	for _, test := range []struct {
		tree []string
		want string
	}{
		{nil, " has nothing to serve yet: "},
		{[]string{goodConfig, "resources/"}, "resources contains no files that are served"},
		{[]string{goodConfig, "resources/my_scheme/h/a=1"}, "my_scheme: is not served: a folder here is a URI scheme"},
		{[]string{`mcp-docs-server.json={"name": "A", "package": "a", "version": "1", "exlude": []}`}, `mcp-docs-server.json:1:47: warning: unknown field "exlude"; did you mean "exclude"?`},
		{[]string{goodConfig, `resources/templates.json=[{"uriTemplate": "x://{a}{b}", "name": "n"}]`}, `templates.json:1:2: warning: entry 1 ("n"): "x://{a}{b}" is published for clients but matches no file`},
	} {
		code, out, _ := runUntil(t, handshakeLines+`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`, []string{test.want}, "serve", given.Folder(t, test.tree...))
		if code != 0 || !strings.Contains(out, `"resources":[]`) {
			t.Errorf("%q: code %d, output %q", test.tree, code, out)
		}
	}
}

func TestInstructions(t *testing.T) {
	long := make([]string, 300)
	for i := range long {
		long[i] = fmt.Sprintf("docs/a-rather-long-name-of-a-document-%d.md=", i)
	}
	for _, test := range []struct {
		tree []string
		want string
	}{
		{[]string{goodConfig}, "The documentation and files of \"Acme\". Consult the tool searchAcme first for anything about it: it searches and reads them.\n"},
		{[]string{goodConfig, "docs/index.md=", "docs/guides/a.md=", "docs/.x=", "resources/config/h/a=", "resources/API/h/b=", "resources/_/h/c=", "resources/templates.json=[]"},
			"The documentation and files of \"Acme\". Consult the tool searchAcme first for anything about it: it searches and reads them.\nFolders of the documentation: \"guides/\".\n" +
				"Resources: api://, config://. The tools list_resources and read_resource read them for clients that support only tools.\n"},
		{[]string{`mcp-docs-server.json={"name": "Acme", "package": "a", "version": "1", "instructions": "Ask first."}`, "docs/a.md="}, "Ask first."},
		{append(long, goodConfig), ""},
	} {
		var answer struct{ Result struct{ Instructions string } }
		for range 20 { // the server does not wait long for the documents
			_, out, _ := run(t, strings.NewReader(handshakeLines), "serve", given.Folder(t, test.tree...))
			must.Do(t, json.Unmarshal([]byte(out), &answer))
			if answer.Result.Instructions == test.want || test.want == "" {
				break
			}
		}
		got := answer.Result.Instructions
		if test.want != "" && got != test.want || len(got) > 2<<10 || got == "" {
			t.Errorf("instructions are %q, want %q", got, test.want)
		}
	}
}

// In a project without resources, list says what the project has instead. Standard output contains
// only resources.
func TestListWithoutResources(t *testing.T) {
	const nothing = "…has nothing to serve yet: no resources in resources/<scheme>/, no Markdown, no prompts in prompts/ and no skills in skills/\n…"
	t.Chdir(given.Folder(t, "none/", "elsewhere/subs/a.srt=x", "loose/resources/a.txt=x", "two/docs/a.md=# A", "two/docs/b.md=# B", "both/docs/a.md=# A", "both/prompts/p.md=Do.", "prompt/prompts/p.md=Do.", "some/resources/x/h/a=1", "some/docs/a.md=# A"))
	rows(t,
		row{"list none", 0, "", nothing}, row{"list docs --project none", 0, "", nothing}, row{"search foo --project none", 0, "…", nothing},
		row{"list elsewhere", 0, "", "…those in resources/acme/subs/ are acme://subs/...\n"},
		row{"list loose", 0, "", "…resources contains no files that are served…"},
		row{"list two", 0, "", "…the project has no resources; clients get 2 documents\n"},
		row{"list both", 0, "", "…clients get 1 document and 1 prompt\n"},
		row{"list prompt", 0, "", "…clients get 1 prompt\n"},
		row{"list some", 0, "x://h/a\n", ""})
}

// A signal ends long work. The interruption is not reported as a mistake of the project.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"check"}, {"list"}, {"explain", "x://h/a.md"}} {
		var out, errs syncBuffer
		dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A")
		code := Run(ctx, append(args, dir), Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
		if code != 130 || out.String() != "" || errs.String() != "mcp-docs-server: interrupted\n" {
			t.Errorf("%q: code %d, output %q, errors %q", args, code, out.String(), errs.String())
		}
	}
}

// A signal ends the server at once, although the client keeps its side open.
func TestSignal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, client := io.Pipe()
	defer client.Close()
	var out, errs syncBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"serve", given.Folder(t, goodConfig)}, Streams{In: in, Out: &out, Err: &errs})
	}()
	must.Get(io.WriteString(client, handshakeLines))(t)
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("code %d, errors %q", code, errs.String())
	}
}

// What the README says about searches of this repository is so.
func TestReadme(t *testing.T) {
	repository := filepath.Join("..", "..")
	readme := must.Get(os.ReadFile(filepath.Join(repository, "README.md")))(t)
	_, first, _ := strings.Cut(string(readme), "Its first line is `")
	first, _, _ = strings.Cut(first, "`")
	t.Chdir(repository)
	if code, out, errs := run(t, nil, "search", "remove a token"); code != 0 || first == "" || !strings.HasPrefix(filepath.ToSlash(out), first+"\n") {
		t.Errorf("search: %d, %q, %q, want %q first", code, out, errs, first)
	}
	if code, out, errs := run(t, nil, "call", "searchMcpDocsServer", "query=revoke a token"); code != 0 || !strings.HasPrefix(out, "In no document: \"revoke\".\n1. docs/serve/http.md, ") {
		t.Errorf("call: %d, %q, %q", code, out, errs)
	}
}

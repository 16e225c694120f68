package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
	code, out, errs := run(t, nil, args...)
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

// helpLine is the line that ends a message about a mistake in the command line.
var helpLine = regexp.MustCompile(`(?m)^mcp-docs-server: run "mcp-docs-server(?: help" for the commands and| [a-z ]+--help" for its arguments and) options\.\n`)

// codeOf returns the exit code of a failure that prints errs: only after a mistake in the command
// line, the program names its help.
func codeOf(errs string) int {
	if helpLine.MatchString(errs) {
		return 2
	}
	return 1
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
	for _, args := range [][]string{
		{"serve", dir}, {"-c", filepath.Join(dir, "mcp-docs-server.json")}, {"serve", "--config", filepath.Join(dir, "mcp-docs-server.json"), "-d", "documents"},
		{"serve", dir, "--docs", filepath.Join(dir, "documents")},
	} {
		code, out, errs := runUntil(t, handshakeLines+`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://h/a.md"}}`, []string{"serving 1 resource from "}, args...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if code != 0 || len(lines) != 2 {
			t.Fatalf("%q: code %d, output %q, errors %q", args, code, out, errs)
		}
		for _, line := range lines {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q: standard output has %q", args, line)
			}
		}
		if !strings.Contains(lines[0], `"serverInfo":{"name":"Acme","title":"Acme Documentation Server","version":"1.2.3"}`) || !strings.Contains(lines[1], `"text":"# A"`) {
			t.Errorf("%q: answers %q", args, lines)
		}
		if !strings.Contains(errs, "serving 1 resource from ") {
			t.Errorf("%q: errors %q", args, errs)
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
		want []string
	}{
		{nil, []string{" has nothing to serve yet: no resources in resources/<scheme>/, no Markdown, no prompts in prompts/ and no skills in skills/\n"}},
		{[]string{goodConfig, "resources/"}, []string{"resources contains no files that are served"}},
		{[]string{goodConfig, "resources/my_scheme/h/a=1"}, []string{"my_scheme: is not served: a folder here is a URI scheme"}},
		{[]string{`mcp-docs-server.json={"name": "A", "package": "a", "version": "1", "exlude": []}`}, []string{`mcp-docs-server.json:1:47: warning: unknown field "exlude"; did you mean "exclude"?`}},
		{[]string{goodConfig, `resources/templates.json=[{"uriTemplate": "x://{a}{b}", "name": "n"}]`}, []string{`templates.json:1:2: warning: entry 1 ("n"): "x://{a}{b}" is published for clients but matches no file`}},
	} {
		code, out, errs := runUntil(t, handshakeLines+`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`, test.want, "serve", given.Folder(t, test.tree...))
		if code != 0 || !strings.Contains(out, `"resources":[]`) {
			t.Errorf("%q: code %d, output %q", test.tree, code, out)
		}
		for _, want := range test.want {
			if !strings.Contains(errs, want) {
				t.Errorf("%q: errors %q lack %q", test.tree, errs, want)
			}
		}
	}
}

// goWords are words of the Go library that mean nothing to users.
var goWords = regexp.MustCompile(`dial tcp|lookup |strconv|no such file or directory|invalid character|cannot unmarshal|context deadline|%!|invalid argument|exec: |: EOF`)

func TestFailures(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A", "docs/")
	config := filepath.Join(dir, "mcp-docs-server.json")
	bad := given.Folder(t, `mcp-docs-server.json={"name": 1, "limits": []}`, `resources/templates.json=[{"uriTemplate": "x://{a b}"},
	 {"name": "n"}, {"uriTemplate": "x://{a", "name": "n"}, 3]`)
	both := []string{
		"mcp-docs-server.json:1:10: name is a number", "mcp-docs-server.json:1:23: limits is an array",
		"templates.json:1:2: entry 1: name is missing", "templates.json:1:25: entry 1: ", "templates.json:2:3: entry 2 (\"n\"): uriTemplate is missing", "entry 3 (\"n\"): ", "templates.json:2:58: entry 4",
	}
	syntax := given.Folder(t, `mcp-docs-server.json={"name": 'Acme'}`)
	for _, test := range []struct {
		args []string
		want []string // lines, or their ends
	}{
		{[]string{"serve", filepath.Join(dir, "nope")}, []string{"nope: no such file or folder"}},
		{[]string{"serve", "-c", filepath.Join(dir, "nope.json")}, []string{"nope.json: no such file or folder"}},
		{[]string{"serve", dir, "-c", config}, []string{"not both", "\"mcp-docs-server serve --help\""}},
		{[]string{"serve", dir, "-d", "nope"}, []string{"--docs nope: no such file or folder"}},
		{[]string{"serve", "--port", "3000"}, []string{"unknown flag: --port; write --http=HOST:PORT", "\"mcp-docs-server serve --help\""}},
		{[]string{"check", "--deps", "go"}, []string{`"go" is not a folder; write --deps=go`, "\"mcp-docs-server check --help\""}},
		{[]string{"serve", dir, "--http", ":80"}, []string{"write --http=127.0.0.1:80 for this computer, or --http=0.0.0.0:80 for all networks", "--help"}},
		{[]string{"serve", dir, "--http", "99999"}, []string{"--http=127.0.0.1:99999: the port must be a number from 0 to 65535", "--help"}},
		{[]string{"serve", dir, "--http", "x"}, []string{"--http=x is neither a folder nor an address and a port", "--help"}},
		{[]string{"serve", dir, "--poll", "x"}, []string{`--poll is "x", must be a time such as 90s or 5m`, "--help"}},
		{[]string{"serve", dir, "--no-watch=maybe"}, []string{`--no-watch is "maybe", must be true or false`, "--help"}},
		{[]string{"serve", dir, "--http", "0", "--session-key-file", "nope"}, []string{"nope: no such file or folder"}},
		{[]string{"serve", dir, "--audit=" + dir}, []string{": is a folder, must be a file"}},
		{[]string{"serve", dir, "--capture", "--browser", "--browser-path", "nope"}, []string{"--browser-path: nope: no such program", "--help"}},
		{[]string{"capture", "--update", "--into", dir + "/nope"}, []string{"nope: has no captured pages"}},
		{[]string{"capture", "http://localhost:1/", "--into", config}, []string{"is not a folder"}},
		{[]string{"capture", "http://localhost:1/", "--timeout", "x"}, []string{`--timeout is "x", must be a time such as 90s or 5m`, "--help"}},
		{[]string{"store", "versions", "--store", "postgres://u@127.0.0.1:1/d"}, []string{"store versions takes the name", "--help"}},
		{[]string{"store", "versions", "x", "--store", "postgres://u@127.0.0.1:1/d"}, []string{"the store cannot be reached: 127.0.0.1:1: "}},
		{[]string{"serve", "--http", "-p", "8080"}, []string{"unknown flag: -p; write --http=HOST:PORT", "serve --help"}},
		{[]string{"list", "-x"}, []string{"unknown flag: -x", "list --help"}},
		{[]string{"serve", dir, "--http="}, []string{"--http= is neither a folder nor an address and a port", "--help"}},
		{[]string{"serve", "--htp"}, []string{"unknown flag: --htp; did you mean --http?", "\"mcp-docs-server serve --help\""}},
		{[]string{"serch"}, []string{`unknown command "serch"; did you mean "search"?`, "\"mcp-docs-server help\""}},
		{[]string{dir}, []string{`did you mean "serve `, "\"mcp-docs-server help\""}},
		{[]string{"read", "x://h/b.md", dir}, []string{"there is no resource x://h/b.md; did you mean x://h/a.md?"}},
		{[]string{"read", "x://h", dir}, []string{"x://h is a folder"}},
		{[]string{"serve", syntax}, []string{"mcp-docs-server.json:1:10: is not valid JSON: unexpected \"'\" where a value must begin; text must stand in double quotes"}},
		{[]string{"list", bad}, both},
		{[]string{"serve", bad}, both},
	} {
		code, out, errs := run(t, strings.NewReader(""), test.args...)
		if code != codeOf(errs) || out != "" {
			t.Errorf("%q: code %d, output %q", test.args, code, out)
		}
		lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
		if len(lines) != len(test.want) {
			t.Errorf("%q: errors\n%s", test.args, errs)
			continue
		}
		if m := goWords.FindString(errs); m != "" {
			t.Errorf("%q: the message has %q: %s", test.args, m, errs)
		}
		for i, want := range test.want {
			if !strings.Contains(lines[i], want) {
				t.Errorf("%q: line %q lacks %q", test.args, lines[i], want)
			}
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

func TestListAndRead(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a b.md=\x00\xff", "resources/x/n=1")
	code, out, _ := run(t, nil, "list", dir)
	if diff := cmp.Diff("x://n\nx://h/a%20b.md\n", out); code != 0 || diff != "" {
		t.Errorf("list: code %d, %s", code, diff)
	}
	if _, out, _ = run(t, nil, "list", "--long", dir); !strings.Contains(out, "x://h/a%20b.md  text/markdown\n") {
		t.Errorf("list --long: %q", out)
	}
	described := given.Folder(t, `mcp-docs-server.json={"name": "Acme", "package": "a", "version": "1", "describe": true}`, "resources/x/h/a.md=# The \"A\"",
		`resources/templates.json=[{"uriTemplate": "x://{h}/{n}", "name": "All", "description": "`+strings.Repeat("long ", 50)+`"}]`)
	if _, out, _ = run(t, nil, "list", "--long", described); !strings.Contains(out, `  x://h/a.md  text/markdown  template="x://{h}/{n}"  title="The \"A\""  description="long long`) || len(out) > 300 {
		t.Errorf("list --long: %q", out)
	}
	if code, out, _ = run(t, nil, "read", "x://h/a b.md", dir); code != 0 || out != "\x00\xff" {
		t.Errorf("read: code %d, %q", code, out)
	}
}

// In a project without resources, list says what the project has instead. Standard output contains
// only resources.
func TestListWithoutResources(t *testing.T) {
	for _, test := range []struct {
		files []string
		want  string
	}{
		{nil, " has nothing to serve yet: no resources in resources/<scheme>/, no Markdown, no prompts in prompts/ and no skills in skills/\n"},
		{[]string{"subs/a.srt=x"}, "those in resources/acme/subs/ are acme://subs/..."},
		{[]string{"resources/a.txt=x"}, "resources contains no files that are served"},
		{[]string{"docs/a.md=# A", "docs/b.md=# B"}, "the project has no resources; clients get 2 documents\n"},
		{[]string{"docs/a.md=# A", "prompts/p.md=Do."}, "clients get 1 document and 1 prompt\n"},
		{[]string{"prompts/p.md=Do."}, "the project has no resources; clients get 1 prompt\n"},
	} {
		code, out, errs := run(t, nil, "list", given.Folder(t, append(test.files, goodConfig)...))
		if code != 0 || out != "" || !strings.Contains(errs, test.want) {
			t.Errorf("%q: code %d, output %q, errors %q", test.files, code, out, errs)
		}
	}
	for _, args := range [][]string{{"list", "docs"}, {"search", "foo"}} {
		try(t, append(args, "--project", given.Folder(t))...).ends(0).complains(" has nothing to serve yet: ")
	}
	try(t, "list", given.Folder(t, goodConfig, "resources/x/h/a=1", "docs/a.md=# A")).complainsOnly("")
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

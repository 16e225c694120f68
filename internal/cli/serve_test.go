package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

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

// A signal ends the server at once, although the client keeps its side open.
func TestSignal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, client := io.Pipe()
	defer client.Close()
	var out, errs must.Output
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

// A gate is an output that calls reached at the first write with a mark.
type gate struct {
	must.Output
	mark    string
	reached func()
	once    sync.Once
}

func (g *gate) Write(p []byte) (int, error) {
	if strings.Contains(string(p), g.mark) {
		g.once.Do(g.reached)
	}
	return g.Output.Write(p)
}

// doubtful starts a server whose compiler of templates waits, as it reports a warning, until open is closed. It returns when it waits.
func doubtful(ctx context.Context, t *testing.T, streams Streams) (open chan struct{}, ended chan int) {
	t.Helper()
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=text",
		`resources/templates.json=[{"uriTemplate": "x://h/{a}{b}", "name": "t"}, {"uriTemplate": "x://h/{a}.md", "name": "u", "description": "d"}]`)
	open, ended = make(chan struct{}), make(chan int, 1)
	waits := make(chan struct{})
	streams.Err = &gate{mark: "touch", reached: func() { close(waits); <-open }}
	go func() { ended <- Run(ctx, []string{"serve", dir}, streams) }()
	<-waits
	return open, ended
}

// The session answers while templates are still being compiled. Requests that need the templates
// wait.
func TestSessionBeforeTemplates(t *testing.T) {
	in, ours := io.Pipe()
	theirs, out := io.Pipe()
	open, ended := doubtful(t.Context(), t, Streams{In: in, Out: out})
	lines := bufio.NewScanner(theirs)
	answer := func() (id int, line string) {
		t.Helper()
		if !lines.Scan() {
			t.Fatal("no answer", lines.Err())
		}
		var a struct{ ID int }
		must.Do(t, json.Unmarshal(lines.Bytes(), &a))
		return a.ID, lines.Text()
	}
	go io.WriteString(ours, handshakeLines+`{"jsonrpc":"2.0","id":2,"method":"resources/list"}
{"jsonrpc":"2.0","id":3,"method":"resources/templates/list"}
{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"x://h/a.md"}}
{"jsonrpc":"2.0","id":9,"method":"ping"}
`)
	for _, want := range []int{1, 9} { // they wait for nothing
		if id, line := answer(); id != want || strings.Contains(line, "error") {
			t.Errorf("%d is answered with %s", want, line)
		}
	}
	close(open)
	for range 3 {
		if id, line := answer(); id == 2 && !strings.Contains(line, `"description":"d"`) || strings.Contains(line, `"error"`) {
			t.Errorf("answered with %s", line)
		}
	}
	ours.Close()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Ending the program during the start does not wait for the templates.
func TestEndWhileCompiling(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, ours := io.Pipe()
	defer ours.Close()
	open, ended := doubtful(ctx, t, Streams{In: in, Out: io.Discard})
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
	close(open)
}

// Each call has a line: in a file that only its owner reads and to which a second start appends, or on standard error. A URI forges none.
func TestAudit(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A")
	file := filepath.Join(t.TempDir(), "audit.log")
	serve := func(args ...string) string {
		code, _, errs := run(t, strings.NewReader(handshakeLines+
			`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://h/a.md"}}`+"\n"+
			`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"x://h/b\ntime=now caller=admin"}}`+"\n"+
			`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_resource","arguments":{"uri":"x://h/a.md"}}}`+"\n"), args...)
		if code != 0 {
			t.Errorf("%q: code %d, errors %q", args, code, errs)
		}
		return errs
	}
	check := func(text, prefix string, times int) {
		t.Helper()
		if n := strings.Count(text, " took="); n != 3*times {
			t.Errorf("there are %d lines:\n%s", n, text)
		}
		for _, line := range []string{ // from the attributes on; answers come in any order
			`caller="" method=resources/read name="" uri=x://h/a\.md bytes=[1-9][0-9]* took=[^ ]+ outcome=ok`,
			`caller="" method=resources/read name="" uri="x://h/b\\ntime=now caller=admin" bytes=0 took=[^ ]+ outcome="[^\n]+"`,
			`caller="" method=tools/call name=read_resource uri=x://h/a\.md bytes=[1-9][0-9]* took=[^ ]+ outcome=ok`,
		} {
			whole := regexp.MustCompile(`(?m)^` + prefix + `time=20[0-9T:.+Z-]+ ` + line + `$`)
			if n := len(whole.FindAllString(text, -1)); n != times {
				t.Errorf("%d lines are %s, want %d:\n%s", n, line, times, text)
			}
		}
	}
	for times := 1; times <= 2; times++ {
		if errs := serve("serve", dir, "--audit="+file); strings.Contains(errs, "caller") {
			t.Error(errs)
		}
		check(textOf(t, file), "", times)
	}
	if info := must.Get(os.Stat(file))(t); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}
	check(serve("--project", dir, "--audit"), "mcp-docs-server: audit: ", 1)
}

// A client that has read an answer and ends the server at once finds the line of the answer.
func TestAuditOfTheLastCall(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A")
	for i := range 10 {
		ctx, end := context.WithCancel(t.Context())
		file := filepath.Join(t.TempDir(), "audit.log")
		in, client := io.Pipe()
		go io.WriteString(client, handshakeLines+`{"jsonrpc":"2.0","id":"last","method":"resources/read","params":{"uri":"x://h/a.md"}}`+"\n")
		if code := Run(ctx, []string{"serve", dir, "--audit=" + file}, Streams{In: in, Out: &gate{mark: `"id":"last"`, reached: end}, Err: io.Discard}); code != 0 || !strings.Contains(textOf(t, file), "method=resources/read") {
			t.Fatalf("start %d: code %d; the audit is %q", i, code, textOf(t, file))
		}
	}
}

// --print-config names the source of each option, and prints no secret.
func TestWhereOptionsComeFrom(t *testing.T) {
	withoutVariables(t)
	for _, c := range given.Cases(t, "print-config.txt") {
		t.Run(c.Name, func(t *testing.T) {
			s := line(t, c.Name+" --print-config").ends(0).hides("0123456789abcdef")
			option, want, _ := strings.Cut(c.Text, ": ")
			if _, value, ok := strings.Cut("\n"+s.out, "\n"+option+" "); !ok || !strings.HasPrefix(strings.TrimLeft(value, " "), want+"\n") {
				t.Errorf("%s is not %s in\n%s", option, want, s.out)
			}
		})
	}
}

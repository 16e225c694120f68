package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webtools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func run(t *testing.T, in io.Reader, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr must.Output
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

// transcript returns the rows of a file in testdata. Below a command line is its output, below "-- errors --" are its errors, and "-- exit CODE --" is
// there if it fails. The files of a case "files" are those of the current folder. values are names and what replaces them.
func transcript(t *testing.T, file string, values ...string) (table []row) {
	t.Helper()
	replace := strings.NewReplacer(values...).Replace
	lines := func(text string) string {
		if text = replace(strings.TrimSuffix(text, "\n")); text == "" || strings.HasSuffix(text, "…") {
			return text
		}
		return text + "\n"
	}
	for _, c := range given.Cases(t, file) {
		if c.Name == "files" {
			t.Chdir(t.TempDir())
			must.Do(t, os.CopyFS(".", given.Texts(c.Files)))
			continue
		}
		r := row{line: replace(c.Name), out: lines(c.Text), errs: lines(c.Files["errors"])}
		for name := range c.Files {
			_, _ = fmt.Sscanf(name, "exit %d", &r.code)
		}
		table = append(table, r)
	}
	return table
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
	var stdout, stderr must.Output
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

// withoutVariables unsets the variables that the environment of the test may contain.
func withoutVariables(t *testing.T) {
	t.Helper()
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "MCP_DOCS_") || name == "PORT" {
			t.Setenv(name, value) // makes the end of the test restore it
			os.Unsetenv(name)
		}
	}
}

// homeFolder returns an empty folder that clients and this program treat as the home folder of the user.
func homeFolder(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("APPDATA", filepath.Join(home, "AppData"))
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("CODEX_HOME", "")
	return home
}

func textOf(t *testing.T, file string) string {
	t.Helper()
	data := must.Get(os.ReadFile(file))(t)
	return string(data)
}

// filesBelow returns the files of a folder with their texts.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	must.Do(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			data, err := os.ReadFile(filepath.Join(dir, name))
			found[name] = string(data)
			return err
		}
		return err
	}))
	return found
}

// TestMain puts a fake npm first in PATH, so that no test asks a registry. The test program acts as
// npm, node, npx or mcp-docs-server if it is started under that name.
func TestMain(m *testing.M) {
	switch strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") {
	case "npm":
		os.Exit(fakeNpm(os.Args[1:]))
	case "node":
		fmt.Println(os.Getenv(nodeVersion))
		os.Exit(0)
	case "npx":
		os.Exit(fakeNpx(os.Args[1:]))
	case "mcp-docs-server":
		os.Exit(Run(context.Background(), os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	os.Exit(withNpm(m))
}

func withNpm(m *testing.M) int {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "npm-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, variable := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "AppData"} { // where capture remembers permissions, and serve the key of sessions
		if err := os.Setenv(variable, filepath.Join(dir, "config")); err != nil {
			panic(err)
		}
	}
	name := "npm"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
		panic(err)
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return m.Run()
}

func fakeNpm(args []string) int {
	if args[0] != "publish" || os.Getenv(npmFails) != "" {
		fmt.Fprintln(os.Stderr, "npm error code E403")
		return 1
	}
	fmt.Println("+ published")
	return 0
}

// Environment variables of the programs that replace the programs of Node.js.
const (
	nodeVersion = "TEST_NODE_VERSION"
	npxFails    = "TEST_NPX_FAILS"
	npmFails    = "TEST_NPM_FAILS"
)

// fakeNpx prints the arguments of wrangler.
func fakeNpx(args []string) int {
	if os.Getenv(npxFails) != "" {
		fmt.Fprintln(os.Stderr, "it cannot be fetched")
		return 3
	}
	_, err := os.Stat("wrangler.jsonc")
	fmt.Println(strings.Join(args, " "), os.Getenv("CLOUDFLARE_ACCOUNT_ID"), err)
	return 0
}

// withNode puts programs that replace node and npx first in PATH.
func withNode(t *testing.T, version string, names ...string) {
	t.Helper()
	self := must.Get(os.Executable())(t)
	dir := t.TempDir()
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		must.Do(t, os.Symlink(self, filepath.Join(dir, name)))
	}
	t.Setenv("PATH", dir)
	t.Setenv(nodeVersion, version)
}

// A signal ends long work. The interruption is not reported as a mistake of the project.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"check"}, {"list"}, {"explain", "x://h/a.md"}} {
		var out, errs must.Output
		dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A")
		code := Run(ctx, append(args, dir), Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
		if code != 130 || out.String() != "" || errs.String() != "mcp-docs-server: interrupted\n" {
			t.Errorf("%q: code %d, output %q, errors %q", args, code, out.String(), errs.String())
		}
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

// Every command has a manual page, which names its options.
func TestMan(t *testing.T) {
	for args, want := range map[string]string{"": `\-\-config FILE`, " serve": "served at /<package>/mcp each", " check": ".SH GLOBAL OPTIONS\n.nf\n", " completion bash": ".nf\n\tsource <(mcp\\-docs\\-server completion bash)"} {
		rows(t, row{"man" + args, 0, ".TH \"MCP-DOCS-SERVER…" + want + "…", ""})
	}
	must.Equal(t, "\\&.dot\n\\&'quote\n\\eback\\-slash\\[u2026]", roff(".dot\n'quote\n\\back-slash…"), "roff")
}

func TestCompletion(t *testing.T) {
	t.Setenv(webtools.SearXNGVar, "http://localhost:1")
	t.Chdir(given.Folder(t, callable...))
	for _, c := range given.Cases(t, "completion.txt") {
		line(t, "__complete "+c.Name).ends(0).printsOnly(c.Text + "\n")
	}
}

// Help shows the many flags of serve in groups, and no line is wider than the terminal.
func TestUsage(t *testing.T) {
	root := newRoot(&command.App{})
	serve, _, err := root.Find([]string{"serve"})
	must.Do(t, err)
	var plain, shown []string
	serve.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch title := command.FlagTitle(f); {
		case title == "":
			plain = append(plain, f.Name)
		case !slices.Contains(command.FlagTitles, title):
			t.Errorf("--%s is in the group %q", f.Name, title)
		}
	})
	if len(plain) > 10 {
		t.Errorf("flags without a group: %q", plain)
	}
	addCompletion(root)
	var all func(c *cobra.Command) []*cobra.Command
	all = func(c *cobra.Command) []*cobra.Command {
		commands := []*cobra.Command{c}
		for _, sub := range c.Commands() {
			commands = append(commands, all(sub)...)
		}
		return commands
	}
	for _, width := range []int{60, 80, maxHelp} {
		for _, c := range all(root) {
			var b strings.Builder
			usage(&b, c, width)
			for line := range strings.SplitSeq(c.Long+"\n"+c.Short+"\n"+b.String(), "\n") {
				flag := strings.HasPrefix(line, "   ") && strings.Count(line, "  ") > 1
				if n := utf8.RuneCountInString(line); n > maxHelp || n > width && flag {
					t.Errorf("%s: %d columns: %q", c.Name(), n, line)
				}
				if strings.Contains(line, `[="`) {
					t.Errorf("%s: %q", c.Name(), line)
				}
			}
			if c == serve {
				shown = append(shown, b.String())
			}
		}
	}
	for _, title := range command.FlagTitles {
		if title != command.CrawlFlags.Title && !strings.Contains(shown[0], "\n\n"+title+":\n") {
			t.Errorf("%s is missing in\n%s", title, shown[0])
		}
	}
}

// Commands use the project of --project, unless their arguments name another one.
func TestProjectOption(t *testing.T) {
	t.Chdir(given.Folder(t, "one/"+goodConfig, "one/resources/x/h/a.md=# A\n", `two/mcp-docs-server.json={"name": "Other"}`, "two/resources/y/h/b.md=# B\n"))
	version := "mcp-docs-server " + command.Version() + "\n"
	rows(t,
		row{"--project one list", 0, "x://h/a.md\n", ""},
		row{"--project one list two", 0, "y://h/b.md\n", ""},
		row{"--project one list --config two/mcp-docs-server.json", 0, "y://h/b.md\n", ""},
		row{"--project one list --project two", 0, "y://h/b.md\n", ""},
		row{"--project one read x://h/a.md", 0, "# A\n", ""},
		row{"--project one read y://h/b.md two", 0, "# B\n", ""},
		row{"--project one", 0, "", "…"}, row{"--project one --help", 0, "…--project DIR…", ""},
		row{"--version", 0, version, ""}, row{"version", 0, version, ""},
		row{"version --licenses", 0, "MIT License\n…\n==== github.com/spf13/cobra v1…\n==== the Go standard library: LICENSE\n…", ""},
		row{"help", 0, "…", ""}, row{"completion zsh", 0, "…", ""}, row{"completion fish", 0, "…", ""}, row{"completion powershell", 0, "…", ""})
}

package examples

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

var update = flag.Bool("update", false, "write what the commands of the manual print into its pages")

var (
	console = regexp.MustCompile("(?s)```console\n(\\$ mcp-docs-server ([^\n]*)\n)(.*?)```\n")
	times   = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	took    = regexp.MustCompile(`in [0-9.]+(s|ms|µs)`)
	printed = regexp.MustCompile(`mcp-docs-server (\(devel\)|v?\d[^\s"]*)`)
)

// TestConsole runs the commands of the manual that show what they print, from the root of the
// repository.
func TestConsole(t *testing.T) {
	t.Chdir("..")
	ran := 0
	pages := must.Get(filepath.Glob("docs/reference/commands/*.md"))(t)
	for _, page := range pages {
		data := must.Get(os.ReadFile(page))(t)
		text := console.ReplaceAllStringFunc(string(data), func(block string) string {
			m := console.FindStringSubmatch(block)
			var out bytes.Buffer
			cli.Run(t.Context(), slices.Collect(strings.FieldsSeq(m[2])), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
			got := times.ReplaceAllString(out.String(), "2026-11-21T07:48:13Z")
			got = took.ReplaceAllString(got, "in 12ms")
			got = printed.ReplaceAllString(got, "mcp-docs-server 1.2.3")
			if diff := cmp.Diff(m[3], got); diff != "" && !*update {
				t.Errorf("%s: mcp-docs-server %s prints (-want +got):\n%s", page, m[2], diff)
			}
			ran++
			return "```console\n" + m[1] + got + "```\n"
		})
		if *update {
			must.Write(t, page, text)
		}
	}
	if ran == 0 {
		t.Error("no page has a command")
	}
}

// TestEachCommandHasAPage compares the pages of the commands with the program: each command has a
// page, which names all its options and has an example that a test runs.
func TestEachCommandHasAPage(t *testing.T) {
	manual := func(args ...string) string { // without the escapes of man
		var out, errs bytes.Buffer
		if code := cli.Run(t.Context(), append([]string{"man"}, args...), cli.Streams{Out: &out, Err: &errs}); code != 0 {
			t.Fatalf("code %d: %s", code, &errs)
		}
		return strings.ReplaceAll(out.String(), `\-`, "-")
	}
	_, commands, _ := strings.Cut(manual(), ".SH COMMANDS\n")
	names := regexp.MustCompile(`(?m)^\.B (\S+)$`).FindAllStringSubmatch(commands, -1)
	option := regexp.MustCompile(`(?m)^ +(?:-\w, )?--([\w-]+)`)
	list := must.Get(os.ReadFile("../docs/reference/commands/index.md"))(t)
	tested := regexp.MustCompile("(?m)^```(console|\\w+ (run|config|init)=.*)$")
	for _, m := range names {
		name := m[1]
		if name == "help" {
			continue // it prints what --help does
		}
		page, err := os.ReadFile("../docs/reference/commands/" + name + ".md")
		if err != nil {
			t.Errorf("%s has no page: %v", name, err)
			continue
		}
		if !strings.Contains(string(list), "("+name+".md)") {
			t.Errorf("docs/reference/commands/index.md has no link to the page of %s", name)
		}
		if !tested.Match(page) {
			t.Errorf("the page of %s has no example that a test runs", name)
		}
		own, _, _ := strings.Cut(manual(name), ".SH GLOBAL OPTIONS")
		for _, o := range option.FindAllStringSubmatch(own, -1) {
			if o[1] != "help" && !strings.Contains(string(page), "--"+o[1]) {
				t.Errorf("the page of %s does not name --%s", name, o[1])
			}
		}
	}
	if len(names) < 10 {
		t.Errorf("the program has %d commands", len(names))
	}
}

// TestCommandLines checks that the program accepts the command lines in the documentation: that
// their commands and options exist under these names.
func TestCommandLines(t *testing.T) {
	shell := regexp.MustCompile("(?s)\n *```(?:sh|bash|yaml|dockerfile|ini)[^\n]*\n(.*?)\n *```")
	line := regexp.MustCompile(`(?m)(?:^|[ "])mcp-docs-server ((?:[^\n|>#&;]|\\\n)*)`)
	code := regexp.MustCompile("`mcp-docs-server ([^`\n|\\\\]+)")
	readme := must.Get(filepath.Glob("../README.md"))(t)
	lines := 0
	for _, page := range append(pagesOf(t), readme...) {
		data := must.Get(os.ReadFile(page))(t)
		var found [][]string
		for _, block := range shell.FindAllStringSubmatch(string(data), -1) {
			found = append(found, line.FindAllStringSubmatch(block[1], -1)...)
		}
		found = append(found, code.FindAllStringSubmatch(string(data), -1)...)
		for _, m := range found {
			var args []string
			for _, w := range word.FindAllString(strings.ReplaceAll(m[1], "\\\n", " "), -1) {
				args = append(args, strings.Trim(w, `'"`))
			}
			if len(args) == 0 {
				continue
			}
			lines++
			var out, errs bytes.Buffer
			// Options are read before help is printed.
			if code := cli.Run(t.Context(), append(args, "--help"), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 0 {
				t.Errorf("%s: mcp-docs-server %s: code %d, %s", page, strings.Join(args, " "), code, &errs)
			} else if !strings.HasPrefix(args[0], "-") && !strings.Contains(out.String(), "mcp-docs-server "+args[0]) {
				t.Errorf("%s: mcp-docs-server %s is about another command:\n%.200s", page, strings.Join(args, " "), &out)
			}
		}
	}
	if lines < 30 {
		t.Errorf("only %d command lines were checked", lines)
	}
	t.Logf("%d command lines", lines)
}

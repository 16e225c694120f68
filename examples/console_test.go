package examples

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli"
)

var update = flag.Bool("update", false, "write what the commands of the manual print into its pages")

var (
	console = regexp.MustCompile("(?s)```console\n(\\$ mcp-docs-server ([^\n]*)\n)(.*?)```\n")
	times   = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	took    = regexp.MustCompile(`in [0-9.]+(s|ms|µs)`)
	built   = regexp.MustCompile(`"version": "[^"]*",\n  "go": "[^"]*",\n  "system": "[^"]*"`)
	printed = regexp.MustCompile(`(?m)^mcp-docs-server \S+$`)
)

// TestConsole runs the commands of the manual that show what they print, from the root of the
// repository.
func TestConsole(t *testing.T) {
	t.Chdir("..")
	ran := 0
	pages, err := filepath.Glob("docs/reference/commands/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := console.ReplaceAllStringFunc(string(data), func(block string) string {
			m := console.FindStringSubmatch(block)
			var out bytes.Buffer
			cli.Run(t.Context(), slices.Collect(strings.FieldsSeq(m[2])), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
			got := times.ReplaceAllString(out.String(), "2026-11-21T07:48:13Z")
			got = took.ReplaceAllString(got, "in 12ms")
			got = built.ReplaceAllString(got, `"version": "1.2.3",`+"\n"+`  "go": "go1.26.0",`+"\n"+`  "system": "linux/amd64"`)
			got = printed.ReplaceAllString(got, "mcp-docs-server 1.2.3")
			if diff := cmp.Diff(m[3], got); diff != "" && !*update {
				t.Errorf("%s: mcp-docs-server %s prints (-want +got):\n%s", page, m[2], diff)
			}
			ran++
			return "```console\n" + m[1] + got + "```\n"
		})
		if *update {
			if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if ran == 0 {
		t.Error("no page has a command")
	}
}

// TestEachCommandHasAPage compares the pages of the commands with the program: each command has a
// page, which names all its options and has an example that a test runs.
func TestEachCommandHasAPage(t *testing.T) {
	type command struct {
		Name    string
		Options []struct{ Name string }
	}
	var program struct{ Commands []command }
	var out, errs bytes.Buffer
	if code := cli.Run(t.Context(), []string{"man", "--json"}, cli.Streams{Out: &out, Err: &errs}); code != 0 {
		t.Fatalf("code %d: %s", code, &errs)
	}
	if err := json.Unmarshal(out.Bytes(), &program); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile("../docs/reference/commands/index.md")
	if err != nil {
		t.Fatal(err)
	}
	tested := regexp.MustCompile("(?m)^```(console|\\w+ (run|config|init)=.*)$")
	for _, c := range program.Commands {
		name := strings.TrimPrefix(c.Name, "mcp-docs-server ")
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
		for _, o := range c.Options {
			if o.Name != "help" && !strings.Contains(string(page), "--"+o.Name) {
				t.Errorf("the page of %s does not name --%s", name, o.Name)
			}
		}
	}
	if len(program.Commands) < 10 {
		t.Errorf("the program has %d commands", len(program.Commands))
	}
}

// TestCommandLines checks that the program accepts the command lines in the documentation: that
// their commands and options exist under these names.
func TestCommandLines(t *testing.T) {
	shell := regexp.MustCompile("(?s)\n *```(?:sh|bash|yaml|dockerfile|ini)[^\n]*\n(.*?)\n *```")
	line := regexp.MustCompile(`(?m)(?:^|[ "])mcp-docs-server ((?:[^\n|>#&;]|\\\n)*)`)
	code := regexp.MustCompile("`mcp-docs-server ([^`\n|\\\\]+)")
	readme, err := filepath.Glob("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, page := range append(pagesOf(t), readme...) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
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

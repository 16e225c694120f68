package examples

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// example matches a block of a page. The first line of the block says what it shows about the
// project acme: a file, an item of the list of resources, the answer of a tool or prompt to
// arguments, what config prints for a client and options, or what any other command prints. An
// argument of a command may be in single quotes.
var (
	example = regexp.MustCompile("(?ms)^```\\w+ (file|item|tool|prompt|config|run)=(\\S+)(?: (.*?))?\n(.*?)\n```$")
	word    = regexp.MustCompile(`'[^']*'|\S+`)
)

// TestAnswers runs the examples of the pages.
func TestAnswers(t *testing.T) {
	pages := pagesOf(t)
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "CODEX_HOME"} {
		t.Setenv(name, t.TempDir()) // no file of the user is read or written
	}
	// Tools that are off by default are tested too.
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, os.DirFS("acme")))
	file := filepath.Join(dir, "mcp-docs-server.json")
	settings, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.Replace(string(settings), "{", `{"tools": {"resources": true, "connector": true},`, 1)), 0o600)
	}
	must.Do(t, err)
	type request struct{ page, kind, name, want string }
	requests := []request{{kind: "initialize"}}
	var in strings.Builder
	send := func(method, params string) {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", len(requests)-1, method, params)
	}
	send("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	fmt.Fprintln(&in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, page := range pages {
		text := must.Get(os.ReadFile(page))(t)
		for _, m := range example.FindAllStringSubmatch(string(text), -1) {
			kind, name, arguments, want := m[1], m[2], m[3], m[4]
			if kind == "file" {
				data, err := os.ReadFile(filepath.Join("acme", name))
				if diff := cmp.Diff(want+"\n", string(data)); err != nil || diff != "" {
					t.Errorf("%s: %s (-page +file): %v\n%s", page, name, err, diff)
				}
				continue
			}
			if kind == "config" {
				if runtime.GOOS == "windows" {
					continue // its clients start npx in another way
				}
				var out, errs strings.Builder
				args := append([]string{"config", name, dir}, strings.Fields(arguments)...)
				code := cli.Run(t.Context(), args, cli.Streams{Out: &out, Err: &errs})
				if diff := cmp.Diff(want, strings.TrimSpace(out.String())); code != 0 || diff != "" {
					t.Errorf("%s: config %s %s (-page +output): code %d, %s\n%s", page, name, arguments, code, errs.String(), diff)
				}
				continue
			}
			if kind == "run" {
				args := []string{"--project", dir, name}
				for _, w := range word.FindAllString(arguments, -1) {
					args = append(args, strings.Trim(w, "'"))
				}
				var out, errs strings.Builder
				code := cli.Run(t.Context(), args, cli.Streams{Out: &out, Err: &errs})
				if diff := cmp.Diff(want, strings.ReplaceAll(strings.TrimSpace(out.String()), dir+string(filepath.Separator), "")); code != 0 || diff != "" {
					t.Errorf("%s: %s %s (-page +output): code %d, %s\n%s", page, name, arguments, code, errs.String(), diff)
				}
				continue
			}
			requests = append(requests, request{page, kind, name, want})
			switch kind {
			case "item":
				send("resources/list", "{}")
			case "tool":
				send("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
			case "prompt":
				send("prompts/get", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
			}
		}
	}
	if len(requests) < 8 {
		t.Fatalf("the pages have %d examples", len(requests))
	}
	var out, errs strings.Builder
	if code := cli.Run(t.Context(), []string{"serve", "--no-watch", dir}, cli.Streams{In: strings.NewReader(in.String()), Out: &out, Err: &errs}); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	answered := 0
	for dec := json.NewDecoder(strings.NewReader(out.String())); ; {
		var answer struct {
			ID     *int
			Result struct {
				Resources []map[string]any
				Content   []struct{ Text string }
			}
			Error struct{ Message string }
		}
		if err := dec.Decode(&answer); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if answer.ID == nil {
			continue // a notification
		}
		answered++
		r := requests[*answer.ID]
		got := answer.Error.Message
		switch r.kind {
		case "initialize":
			continue
		case "item":
			for _, item := range answer.Result.Resources {
				if item["uri"] == r.name {
					var want map[string]any
					must.Do(t, json.Unmarshal([]byte(r.want), &want))
					delete(item["annotations"].(map[string]any), "lastModified")
					if diff := cmp.Diff(want, item); diff != "" {
						t.Errorf("%s: %s (-page +answer):\n%s", r.page, r.name, diff)
					}
					got = r.want
				}
			}
		case "tool":
			for _, item := range answer.Result.Content {
				got += item.Text
			}
		}
		if diff := cmp.Diff(strings.TrimSpace(r.want), strings.TrimSpace(got)); diff != "" {
			t.Errorf("%s: %s (-page +answer):\n%s", r.page, r.name, diff)
		}
	}
	if answered != len(requests) {
		t.Errorf("%d of %d examples are answered", answered, len(requests))
	}
}

// TestInitPage runs the example of the page on init.
func TestInitPage(t *testing.T) {
	text := must.Get(os.ReadFile("../docs/reference/commands/init.md"))(t)
	m := regexp.MustCompile("(?s)```text init=my-project\n(.*?)```").FindSubmatch(text)
	if m == nil {
		t.Fatal("the page has no example")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "CODEX_HOME", "PATH"} {
		t.Setenv(name, dir) // init looks for clients there
	}
	var out, errs strings.Builder
	code := cli.Run(t.Context(), []string{"init", "my-project"}, cli.Streams{Out: &out, Err: &errs})
	// init reports that go test will delete the program.
	got := regexp.MustCompile(`(?s)\nKeep this program first.*?(\nNext:)`).ReplaceAllString(out.String(), "$1")
	if diff := cmp.Diff(string(m[1]), filepath.ToSlash(got)); code != 0 || diff != "" {
		t.Errorf("code %d, %s (-page +output):\n%s", code, errs.String(), diff)
	}
}

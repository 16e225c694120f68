package examples

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestLogLines compares the page about log lines with the calls in the program that log at warning and above.
func TestLogLines(t *testing.T) {
	page := must.Get(os.ReadFile("../docs/serve/log-lines.md"))(t)
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| (.*?) \|`).FindAllStringSubmatch(string(page), -1) {
		documented[m[1]] = m[1] == "line" || m[1] == "request" // the level of a line about a request depends on its status
	}
	for _, root := range []string{"../internal", "../loader", "../matcher", "../templates", "../cmd"} {
		must.Do(t, filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/dev/") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				text, logs := logged(n)
				if _, ok := documented[text]; logs && !ok {
					t.Errorf("%s: docs/serve/log-lines.md has no line %q", name, text)
				}
				if logs {
					documented[text] = true
				}
				return true
			})
			return nil
		}))
	}
	for text, found := range documented {
		if !found && !strings.HasPrefix(text, "--") {
			t.Errorf("no code logs %q", text)
		}
	}
}

// logged returns the text of a call that logs at warning or above, with "…" for values.
func logged(n ast.Node) (text string, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return "", false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	arg := call.Args[0]
	switch method.Sel.Name {
	case "unavailable": // logs its second argument
		arg = call.Args[1]
	case "Warn", "Error":
		receiver := ""
		switch x := method.X.(type) {
		case *ast.Ident:
			receiver = x.Name
		case *ast.SelectorExpr:
			receiver = x.Sel.Name
		}
		if receiver = strings.ToLower(receiver); receiver != "log" && receiver != "logger" {
			return "", false
		}
	default:
		return "", false
	}
	text = textOf(arg)
	return text, text != "…"
}

var verb = regexp.MustCompile(`%[a-z]`)

// textOf returns the text of an expression.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return textOf(e.X) + textOf(e.Y)
	case *ast.CallExpr:
		if method, ok := e.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Sprintf" {
			return verb.ReplaceAllString(textOf(e.Args[0]), "…")
		}
	}
	return "…"
}

// TestNightPages has the bound of the pages that somebody reads at night.
func TestNightPages(t *testing.T) {
	words := 0
	for _, name := range []string{"restart", "log-lines", "database"} {
		page := must.Get(os.ReadFile("../docs/serve/" + name + ".md"))(t)
		words += len(strings.Fields(string(page)))
	}
	if words > 2500 {
		t.Errorf("the pages have %d words", words)
	}
}

// TestPrometheus checks that the metrics in the rules are documented, and the rules with promtool if it is installed.
func TestPrometheus(t *testing.T) {
	rules, err := os.ReadFile("../packaging/prometheus-rules.yaml")
	must.Do(t, err)
	page := must.Get(os.ReadFile("../docs/serve/operations.md"))(t)
	names := regexp.MustCompile(`mcp_docs_(\w+)`).FindAllStringSubmatch(string(rules), -1)
	for _, m := range names {
		if !strings.Contains(string(page), "`"+m[1]+"`") {
			t.Errorf("docs/serve/operations.md has no metric %s", m[1])
		}
	}
	if n := strings.Count(string(rules), "- alert: "); n != 4 || len(names) < n {
		t.Errorf("%d alerts, %d names", n, len(names))
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	// The key is at a path of the operator's computer.
	config := must.Get(os.ReadFile("../packaging/prometheus.yaml"))(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"prometheus.yaml":       strings.Replace(string(config), "/etc/prometheus/mcp-docs-metrics-key", filepath.Join(dir, "key"), 1),
		"prometheus-rules.yaml": string(rules), "key": "key",
	} {
		must.Write(t, filepath.Join(dir, name), text)
	}
	for _, args := range [][]string{{"check", "rules", "prometheus-rules.yaml"}, {"check", "config", "prometheus.yaml"}} {
		if out, err := command(dir, promtool, args...); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}

func command(dir, program string, args ...string) (string, error) {
	c := exec.Command(program, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w", slices.Insert(args, 0, program), err)
	}
	return string(out), err
}

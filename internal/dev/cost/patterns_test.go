package cost

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// readers are the packages that read documents, configuration and pages of others.
var readers = []string{"library/site", "library/docs", "library/docsfs", "text/directive", "text/excerpt", "text/frontmatter", "text/markup", "text/prose", "text/settings"}

// No pattern of a package that reads documents looks for the end of a gap in all that follows while another part of it matches:
// each match would cost the rest of the text. Such a pattern is anchored, its gap is bounded ({0,200}), or it is in reviewed.
func TestNoPatternHasAnUnboundedGap(t *testing.T) {
	found := 0
	for _, dir := range readers {
		for pattern, place := range patternsIn(t, filepath.Join("..", "..", filepath.FromSlash(dir))) {
			found++
			re, err := syntax.Parse(pattern, syntax.Perl)
			if err != nil {
				continue // a part of a pattern
			}
			if gap := unboundedGap(re, false, anchored(re)); gap != "" && !slices.Contains(reviewed, pattern) {
				t.Errorf("%s: the gap %s of %q has no bound", place, gap, pattern)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d patterns are found: this test is out of date", found)
	}
}

// reviewed are patterns with a gap that read a text of a few hundred bytes, with the reason.
var reviewed = []string{}

// patternsIn returns the string constants of a package that are arguments of functions that compile patterns, with their places.
func patternsIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has no package: %v", dir, err)
	}
	fset, constants := token.NewFileSet(), make(map[string]ast.Expr)
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data := must.Get(os.ReadFile(name))(t)
		f := must.Get(parser.ParseFile(fset, name, data, 0))(t)
		files = append(files, f)
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i, value := range spec.Values {
					constants[spec.Names[i].Name] = value
				}
			}
			return true
		})
	}
	var text func(e ast.Expr, depth int) (string, bool)
	text = func(e ast.Expr, depth int) (string, bool) {
		switch e := e.(type) {
		case *ast.BasicLit:
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		case *ast.BinaryExpr:
			a, ok := text(e.X, depth)
			b, also := text(e.Y, depth)
			return a + b, ok && also
		case *ast.ParenExpr:
			return text(e.X, depth)
		case *ast.Ident:
			if value := constants[e.Name]; value != nil && depth < 5 {
				return text(value, depth+1)
			}
		}
		return "", false
	}
	patterns := make(map[string]string)
	add := func(e ast.Expr) {
		if s, ok := text(e, 0); ok {
			patterns[s] = fset.Position(e.Pos()).String()
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := ""
				switch fun := n.Fun.(type) {
				case *ast.Ident:
					name = fun.Name
				case *ast.SelectorExpr:
					name = fun.Sel.Name
				}
				if slices.Contains([]string{"compile", "New", "MustCompile", "Compile", "Compiled"}, name) && len(n.Args) > 0 {
					add(n.Args[0])
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "pattern" {
					add(n.Value)
				}
			}
			return true
		})
	}
	return patterns
}

// anchored reports whether a pattern begins at the beginning of a text or of a line that it does not leave, in all of its
// alternatives.
func anchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText:
		return true
	case syntax.OpBeginLine:
		return true
	case syntax.OpConcat:
		return anchored(re.Sub[0]) && (re.Sub[0].Op != syntax.OpBeginLine || !slices.ContainsFunc(re.Sub, leavesLine))
	case syntax.OpCapture:
		return anchored(re.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !anchored(sub) })
	}
	return false
}

// leavesLine reports whether a wide gap of a pattern may have a line end in it.
func leavesLine(re *syntax.Regexp) bool {
	if wideGap(re) {
		for re.Op == syntax.OpCapture {
			re = re.Sub[0]
		}
		return re.Sub[0].Op == syntax.OpAnyChar || re.Sub[0].Op == syntax.OpCharClass && re.Sub[0].Rune[0] <= '\n' && '\n' <= re.Sub[0].Rune[1]
	}
	return slices.ContainsFunc(re.Sub, leavesLine)
}

// unboundedGap returns a gap of a pattern that is not anchored: any number of nearly any characters, after which something must
// follow, in a pattern that has other ways to match. alternative says that it is in an alternative.
func unboundedGap(re *syntax.Regexp, alternative, fixed bool) string {
	if fixed {
		return ""
	}
	switch re.Op {
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if gap := unboundedGap(sub, true, anchored(sub)); gap != "" {
				return gap
			}
		}
	case syntax.OpConcat:
		for i, sub := range re.Sub {
			if alternative && i+1 < len(re.Sub) && wideGap(sub) {
				return sub.String()
			}
			if gap := unboundedGap(sub, alternative, false); gap != "" {
				return gap
			}
		}
	case syntax.OpCapture, syntax.OpQuest, syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		return unboundedGap(re.Sub[0], alternative, false)
	}
	return ""
}

// wideGap reports whether a part of a pattern is any number of nearly any characters.
func wideGap(re *syntax.Regexp) bool {
	if re.Op == syntax.OpCapture {
		return wideGap(re.Sub[0])
	}
	if re.Op != syntax.OpStar && re.Op != syntax.OpPlus && (re.Op != syntax.OpRepeat || re.Max >= 0) {
		return false
	}
	switch sub := re.Sub[0]; sub.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpCharClass:
		runes := 0
		for i := 0; i < len(sub.Rune); i += 2 {
			runes += int(sub.Rune[i+1]-sub.Rune[i]) + 1
		}
		return runes > 1<<16
	}
	return false
}

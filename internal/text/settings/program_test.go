package settings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/race"
)

// without returns a value as JSON would have it: without the order of keys, and nil for what is not known.
func without(v any) any {
	switch x := v.(type) {
	case Values:
		return without(map[string]any(x))
	case map[string]any:
		m := make(map[string]any)
		for k, e := range x {
			if k != orderKey {
				m[k] = without(e)
			}
		}
		return m
	case []any:
		list := make([]any, len(x))
		for i, e := range x {
			list[i] = without(e)
		}
		return list
	case Call:
		return map[string]any{x.Name + "()": without(x.Arguments)}
	case Unknown, unset:
		return "?"
	}
	return v
}

type object = map[string]any

func TestProgram(t *testing.T) {
	files := map[string]any{
		"./v.json": Values{"version": "1.2"},
		"./nav":    NewProgram("nav.ts", "export const nav: Nav[] = [{ text: 'A', link: '/a' }]\nexport default function () { return ['d'] }", nil),
	}
	load := func(name string) any { return files[name] }
	for _, tt := range []struct {
		name, src string
		want      object
	}{
		{"a literal", `export default { a: 'x', "b": ["y", 2, true, null], 'c-d': { e: "f" } }`, object{"a": "x", "b": []any{"y", "2", true, nil}, "c-d": object{"e": "f"}}},
		{"CommonJS", `const a = {b: 'c'}; module.exports = a`, object{"b": "c"}},
		{"a call", `export default defineConfig<Theme>({ title: "T" } satisfies Config)`, object{"title": "T"}},
		{"calls", `export default withPwa(defineConfig({ title: 'T' }))`, object{"title": "T"}},
		{"a function", `export default async function createConfig() { const url = 'https://a'; return { url } }`, object{"url": "https://a"}},
		{"an arrow", `export default defineConfig(() => ({ a: 'b' }))`, object{"a": "b"}},
		{"constants and templates", "const base = '/x/' as const\nexport default { base, url: `https://a${base}b`, sum: base + 'c' }", object{"base": "/x/", "url": "https://a/x/b", "sum": "?"}},
		{"a value at its own depth", `export default { docs: { versions: { 3: { path: '3' } } } }`, object{"docs": object{"versions": object{"3": object{"path": "3"}}}}},
		{"comments and patterns", "export default { // a: 'no'\n/* b: 'no' */ c: 'd//e', f: /[\"'/]{/g, g: 'h' }", object{"c": "d//e", "f": "?", "g": "h"}},
		{"spreads", `const a = { x: '1', y: '2' }; export default { ...a, y: '3', z: ['0', ...['1']] }`, object{"x": "1", "y": "3", "z": []any{"0", "1"}}},
		{"a spread that is not known", `export default { a: 'x', b: { c: 'y', ...d }, ...unknown, e: 'z', ...(process.env.F && { e: 'f' }), g: 'h' }`, object{"a": "?", "b": "?", "e": "?", "g": "h"}},
		{"imports", `import { nav as n } from './nav'; import pkg from './v.json'; import make from './nav'; export default { nav: n, v: pkg.version, made: make() }`,
			object{"nav": []any{object{"text": "A", "link": "/a"}}, "v": "1.2", "made": []any{"d"}}},
		{"a require", `const { a } = require('x'); const v = require('./v.json'); module.exports = { v: v.version, a }`, object{"v": "1.2", "a": "?"}},
		{"the environment", `export default { a: process.env.A || 'x', b: process.env['B'], c: import.meta.env.C ?? 'y', d: isProd ? 'p' : 'q', e: isProd || 'y', f: 'known' || x, g: h || 'i' }; const isProd = process.env.E !== 'x' && process.env.F`,
			object{"a": "x", "b": "?", "c": "y", "d": "?", "e": "y", "f": "known", "g": "?"}},
		{"a variable", `let base = '/'; if (x) { base = '/y/' } export default { base }`, object{"base": "?"}},
		{"a variable that grows", `let a = '/'; a += 'x'; let b = ''; b ||= 'y'; export default { a, b }`, object{"a": "?", "b": "?"}},
		{"a member that changes", `const a = { b: 'c', d: 'e' }; if (x) a.b = 'y'; a.f = 'g'; export default a`, object{"b": "?", "d": "e", "f": "?"}},
		{"exports that change", `module.exports = { a: 'b', c: 'd' }; module.exports.a = 'x'`, object{"a": "?", "c": "d"}},
		{"any member changes", `const a = { b: 'c' }; for (const k of l) a[k] = 'y'; export default { a }`, object{"a": "?"}},
		{"parameters", `const base = '/x/'; function f(base) { return { base } }; const g = ({ base }) => base; const h = base => base; export default { a: f('/y/'), b: f(), c: h() }`,
			object{"a": object{"f()": []any{"/y/"}}, "b": object{"base": "?"}, "c": object{"h()": []any{}}}},
		{"conditions in a function", "export default { a: f, b: g, c: h, d: i }\nfunction f(x) { if (x) { return 'a' } return 'b' }\nfunction g(x) { if (x)\n return 'a' }\n" +
			"function h(x) { try { return 'a' } catch { z() } }\nfunction i() { const k = l.map((x) => 'a'); return 'b' }",
			object{"a": "?", "b": "?", "c": "?", "d": "b"}},
		{"numbers", `export default { a: 1 + 2, c: 0x10, d: 1.5, e: 'v' + 2 }`, object{"a": "?", "c": "?", "d": "1.5", "e": "?"}},
		{"escapes of characters", `export default { a: '\u00e9\x41', b: '\u{1}' }`, object{"a": "éA", "b": `\u{1}`}},
		{"functions", `export default { sidebar: { '/g/': guide() }, m() { return { a: 1 } }, f: (x) => x, g: x => { return [1] }, last: 'l' }` + "\nfunction guide(): Item[] { return [{ text: 'G' }] }",
			object{"sidebar": object{"/g/": []any{object{"text": "G"}}}, "m": "?", "f": "?", "g": []any{"1"}, "last": "l"}},
		{"calls in a list", `export default { integrations: [starlight({ title: 'S' }), x.y({})], a: [1,2].map(f), b: new Date() }`,
			object{"integrations": []any{object{"starlight()": []any{object{"title": "S"}}}, "?"}, "a": "?", "b": "?"}},
		{"itself", `const a = { b: a, c: d }; const d = [a]; export default a`, object{"b": "?", "c": []any{"?"}}},
		{"escapes", `export default { a: 'it\'s', b: "x\\y" }`, object{"a": "it's", "b": `x\y`}},
		{"not closed", `export default { a: ['b'`, nil},
		{"types", `const c: Config<{a: string}> = { a: <string>'b', d: (e as any).f, g: h!, i: { j: 'k' } as const }; export default c`,
			object{"a": "?", "d": "?", "g": "?", "i": object{"j": "k"}}},
	} {
		got := NewProgram("config.ts", tt.src, load).Exported()
		want := any(tt.want)
		if tt.want == nil {
			want = map[string]any{}
		}
		if d := cmp.Diff(want, without(got)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
	if got := NewProgram("config.ts", "export default {z: {b: 1, a: 2}, y: 3}", nil).Exported(); !cmp.Equal(got.Keys(), []string{"z", "y"}) || !cmp.Equal(got.Sub("z").Keys(), []string{"b", "a"}) {
		t.Errorf("the order of keys: %v", got.Keys())
	}
}

func TestPythonProgram(t *testing.T) {
	got := NewProgram("conf.py", `# extensions = ['no']
project = "P"
extensions: list[str] = ['a', # b
  r'c\d', 'e' 'f']
extensions += ["g"]
suffixes = ['a',
  r'c\d', 'e' 'f']
release = f"{version}.1"
master_doc = 'index' if True else 'x'
html_context = {"k": ("t",), 'n': None, **more}
names = [x for x in y]
root = ('a'
        'b')
text = """
one"""
path = os.path.join('a', 'b')
def setup(app):
    project = "no"
    app.connect(release='x')
before = 'b'
if on_rtd:
    theme = 'x'
after = ['c']
for x in y:
    pass
theme = 'd'
context = {'a': 'b', 'c': 'd'}
context['a'] = x
`, nil).Names()
	want := object{"project": "P", "extensions": []any{"a", `c\d`, "ef", "g"}, "release": "?", "master_doc": "?", "html_context": object{"k": "?", "n": "?"}, "suffixes": []any{"a", `c\d`, "ef"},
		"names": "?", "root": "ab", "text": "\none", "path": "?",
		"before": "b", "after": []any{"c"}, "theme": "?", "context": "?"}
	if d := cmp.Diff(any(want), without(got)); d != "" {
		t.Error(d)
	}
}

// Reading a program takes time that grows with its length.
func TestCostOfPrograms(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it ten times slower")
	}
	var names, changes strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&names, "const a%d = 'x';", i)
		fmt.Fprintf(&changes, "a.b%d = 1;", i)
	}
	all := NewProgram("all.ts", names.String()+"export default [a1, a2]", nil)
	for name, src := range map[string]string{
		"members":    strings.Repeat("\na.", 100_000),
		"slashes":    strings.Repeat("[/", 500_000),
		"imports":    strings.Repeat("import a ", 100_000),
		"functions":  "export default [" + strings.Repeat("a[function],", 70_000) + "]",
		"changes":    "const a = {};" + changes.String() + "export default a",
		"all names":  "import a from './all'\nexport default [" + strings.Repeat("a,", 100_000) + "]",
		"conditions": "export default f()\nfunction f() {" + strings.Repeat("if (x) {", 50_000) + strings.Repeat("}", 50_000) + "}",
	} {
		loads := 0
		load := func(string) any { loads++; return all }
		for _, file := range []string{"a.ts", "a.py"} {
			began := time.Now()
			p := NewProgram(file, src, load)
			p.Exported()
			p.Names()
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s: %s took %s", file, name, took)
			}
		}
		if loads > 1 {
			t.Errorf("%s: a module was loaded %d times", name, loads)
		}
	}
}

// FuzzProgram reads any text as a program: it ends, and no value is longer than the steps allow.
func FuzzProgram(f *testing.F) {
	f.Add("export default {a: `b${c}`, ...d, e: [f(), (g) => h, i ? j : k]}", true)
	f.Add("a = ['b', f'c', (d,), {e: 'f'}]\na += 1", false)
	f.Fuzz(func(t *testing.T, text string, js bool) {
		name := "a.py"
		if js {
			name = "a.ts"
		}
		p := NewProgram(name, text, func(string) any { return Values{"a": strings.Repeat("b", 10)} })
		p.Exported()
		p.Names()
	})
}

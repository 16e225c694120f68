package dtsapi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// packages is a node_modules folder: the names of its packages have at most two parts.
type packages map[string]string

func (p packages) Read(dir, name string) ([]byte, error) {
	if text, ok := p[path.Join(dir, name)]; ok {
		return []byte(text[:min(len(text), MaxFile)]), nil
	}
	return nil, fs.ErrNotExist
}

func (p packages) List(dir, name string) (names []string) {
	files := make(fstest.MapFS)
	for file := range p {
		files[file] = new(fstest.MapFile)
	}
	_ = fs.WalkDir(files, path.Join(dir, name), func(file string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, strings.TrimPrefix(file, dir+"/"))
		}
		return err
	})
	return names
}

func (p packages) Package(_, name string) (string, bool) {
	_, ok := p[name+"/package.json"]
	return name, ok
}

// pagesOf returns the pages of the package "a", by name.
func pagesOf(t testing.TB, files packages) (names []string, texts map[string]string) {
	t.Helper()
	pages := must.Get(Render(t.Context(), files, "a", "a"))(t)
	texts = make(map[string]string)
	for _, p := range pages {
		names = append(names, p.Name)
		texts[p.Name] = p.Text
	}
	return names, texts
}

// The forms in which packages export, each with what the page has and does not have.
func TestExports(t *testing.T) {
	for _, test := range []struct {
		name, source string
		want, not    []string
	}{
		{"lists", "import { B as C } from './b';\nimport * as ns from './b'\ndeclare class Own {}\ntype Hidden = 1\nexport { C, type Own as Renamed, ns }\nexport type { D } from \"./b.js\";",
			[]string{"## C\n\n```ts\ninterface B {", "## Renamed\n\n```ts\nclass Own {}", "## D\n", "## ns.E\n"}, []string{"Hidden", "## ns.B\n"}},
		{"star", "export * from './b';\nexport * as z from './b'\nexport const own: 1", []string{"## own\n", "## B\n", "## z\n"}, []string{"z.B", "default"}},
		{"cycle", "export * from './index';\nexport * from './c'\nexport { X } from './c'", []string{"## C1\n"}, []string{"## X"}},
		{"equals", "declare function f(a: f.Options): void;\ndeclare namespace f {\n  interface Options { /** How long. */ wait?: number }\n  export { g as h }\n}\ndeclare const g: 1\nexport = f",
			[]string{"## f\n\n```ts\nfunction f(a: f.Options): void\n", "Also exported as `default`", "## h\n"}, []string{"Options.wait"}},
		{"namespace", "declare namespace f {\n  interface Options { /** How long. */ wait?: number }\n  namespace deep { const x: 1 }\n}\nexport = f", []string{"## Options\n", "### Options.wait\n", "## deep.x\n"}, nil},
		{"require", "import b = require('./b'); export import D = b.D; export default b.B", []string{"## D\n", "## B\n"}, nil},
		{"ambient", "declare module 'a' { export function mount(): void }\ndeclare module 'a/store' { export const s: 1 }\ndeclare module 'other' { interface Added { x: 1 } }", []string{"## mount\n"}, []string{"## s\n"}},
		{"augmentation", "export {}\ndeclare module 'other' { interface Instance { jwt: 1 } }\ndeclare global { const it: 2 }", []string{"## Instance\n", "Added to `other`.", "## it\n"}, nil},
		{"other package", "export * from 'dep'\nexport { default as d } from 'typed'", []string{"## depA\n", "## d\n\n```ts\nfunction typed(): 1"}, nil},
		{"bases", "import { Base } from 'dep'\ninterface Own { /** Text. */ a: 1 }\nexport interface I<T = {}> extends Own, Base<T> {}\nexport type T<A = 1> = Alias<A>\ntype Alias<A> = { b: A }",
			[]string{"interface I<T = {}> extends Own, Base<T> {}", "## Own\n", "### Own.a\n", "## Base\n", "## Alias\n", "Not exported by this name: `I` is based on it."}, nil},
		{"merged", "/** One. */\nexport function f(a: 1): 1;\n/** Two. */\nexport function f(a: 2): 2;\nexport interface A { x: 1 }\nexport interface A { y: 2 }\nexport const A: A",
			[]string{"function f(a: 1): 1\nfunction f(a: 2): 2\n```\n\nOne.\n\nTwo.\n", "interface A {\n  x: 1\n}\ninterface A {\n  y: 2\n}\nconst A: A\n"}, nil},
		{"private", "export class K {\n  private a;\n  #b;\n  /** @internal */ c: 1\n  /** Text. */\n  static async get(): Promise<void>\n  readonly d = 1\n  protected abstract e?: string\n}\n/** @internal */\nexport const hidden: 1",
			[]string{"### K.get\n\n```ts\nstatic async get(): Promise<void>\n", "  readonly d = 1\n  protected abstract e?: string\n"}, []string{"private", "#b", "c: 1", "hidden"}},
		{"quoted names", "export interface R {\n  /** Pairs. */ 'accessor-pairs': 1\n  /** Gets. */ get(): 1\n  /** Calls. */ <T>(x: T): 1\n  /** Any. */ [key: string]: 1\n}",
			[]string{"### R.accessor-pairs\n", "### R.get\n", "### R.()\n", "  [key: string]: 1 // Any.\n  // documented members: see below\n"}, nil},
		{"without semicolons", "export type A =\n  | 'x'\n  | { a: `${string}-${`;`}` }\nexport type B<T> = T extends\n  string\n  ? 1\n  : 2\nexport declare const c: number\nexport declare function d (): void\nexport enum E { A = 1 << 2,\n  B }",
			[]string{"type A =\n  | 'x'\n  | { a: `${string}-${`;`}` }\n", "  ? 1\n  : 2\n", "const c: number\n", "function d (): void\n", "  A = 1 << 2,\n    B\n"}, nil},
		{"aliases", "declare const h: 1\nexport { h as default, h as helmet, h as \"module.exports\" }", []string{"## helmet\n", "Also exported as `default`."}, []string{"module"}},
		{"its own namespace", "declare namespace p { export { p, x }; const x: 1 }\ndeclare function p(): 1\nexport = p", []string{"## p\n", "## x\n"}, []string{"p.p"}},
		{"a whole package", "import dep = require('dep')\nexport import all = dep", []string{"## all\n\nA namespace.\n"}, []string{"depA"}},
		{"modules without braces", "declare module 'x'\nexport const a: 1; declare module 'y';\nexport class B\n  extends Object\n{ c: 1 }", []string{"## a\n", "  extends Object\n{\n  c: 1\n}"}, nil},
		{"nested templates", "export type A = `${`a${`}`}`}` | '}'; export const b: 1", []string{"## A\n", "## b\n"}, nil},
		{"names with escapes", "export const \\u0061b: 1; export { x as '\\n## evil' } from './b'; export const ok: 1", []string{"## ok"}, []string{"evil", "u0061"}},
		{"parts of a namespace", "declare namespace n { interface A {} }\ndeclare namespace n { interface B {}; export { C as D }; type C = 1 }\nexport = n", []string{"## A\n", "## D\n"}, []string{"## B\n", "## C\n"}},
		{"parts of a class", "export interface K { /** One. */ a(): 1 }\nexport interface K { /** Two. */ a(x: 1): 1;\n  b: {\n    c: 1\n  } }",
			[]string{"### K.a\n\n```ts\na(): 1\na(x: 1): 1\n```\n\nOne.\n\nTwo.\n", "  b: {\n    c: 1\n  }\n"}, nil},
		{"a file of an older package", "export { S } from 'old/sub'", []string{"## S\n"}, nil},
		{"fences", "export type T = '```\\n## evil'\n/** ````\n * ## evil\n */\nexport const c: 1", []string{"````ts\ntype T", "````\n## evil\n\n````\n"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, texts := pagesOf(t, packages{
				"a/package.json": `{"name":"a","types":"index","dependencies":{"dep":"1"}}`, "a/index.d.ts": test.source,
				"a/b.d.ts":         "export interface B {}\nexport type D = 1\nexport const E: 1\nexport default E",
				"a/c/index.d.ts":   "export * from '..'\nexport const C1: 1\nexport { X } from '../index'",
				"dep/package.json": `{"name":"dep","exports":{"types":"./t.d.mts","default":"./t.mjs"}}`, "dep/t.d.mts": "export const depA: 1; export interface Base<T> { x: T }",
				"old/package.json": `{"name":"old"}`, "old/sub.d.ts": "export const S: 1",
				"typed/package.json": `{"name":"typed","main":"x.js"}`, "@types/typed/package.json": `{"name":"@types/typed"}`, "@types/typed/index.d.ts": "declare function typed(): 1; export default typed",
			})
			text := texts["index"]
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("the page has no %q", want)
				}
			}
			for _, not := range test.not {
				if strings.Contains(text, not) {
					t.Errorf("the page has %q", not)
				}
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

func TestEntryPoints(t *testing.T) {
	names, texts := pagesOf(t, packages{
		"a/package.json": `{"name":"a","exports":{".":{"require":{"types":"./r.d.cts"},"import":"./m.js"},"./sub":[{"types":"./s.d.ts"}],"./all":"./all.js",
			"./f/*":"./lib/*.js","./f/secret":null,"./out":"../b/index.d.ts","./package.json":"./package.json"}}`,
		"a/m.d.ts": "export const main: 1, more: 2", "a/r.d.cts": "export const wrong: 1", "a/s.d.ts": "export const sub: 1", "a/all.d.ts": "export * from './m'",
		"a/lib/x.d.ts": "export const x: 1", "a/lib/deep/y.d.ts": "export const y: 1", "a/lib/secret.d.ts": "export const secret: 1", "b/index.d.ts": "export const out: 1",
	})
	if want := []string{"index", "sub", "f/x", "f/deep/y"}; !slices.Equal(names, want) {
		t.Errorf("pages are %v, want %v", names, want)
	}
	if text := texts["f/x"]; !strings.Contains(text, `from "a/f/x"`) || !strings.Contains(text, "## x\n") {
		t.Error(text)
	}
}

// Declarations in files that others refer to belong to the module that they add to.
func TestReferences(t *testing.T) {
	_, texts := pagesOf(t, packages{
		"a/package.json": `{"name":"a"}`, "a/index.d.ts": "/// <reference path=\"./array.d.ts\" />\nexport = _;\ndeclare const _: _.Static;\ndeclare namespace _ { interface Static {} }\n",
		"a/array.d.ts": "import _ = require('./index');\ndeclare module './index' {\n  interface Static {\n    /** Splits. */\n    chunk(): void\n  }\n}",
	})
	if text := texts["index"]; strings.Count(text, "### Static.chunk\n") != 1 {
		t.Error(text)
	}
}

func TestComments(t *testing.T) {
	for comment, want := range map[string]string{
		"/** One line. */": "One line.",
		"/**\n * Text {@link Foo | foo} {@link Bar} {@link https://x.y site}.\n * # Title\n * Title\n * ---\n */":                                                           "Text foo `Foo`  `Bar` site `https://x.y`.\n**Title**\nTitle",
		"/** @param {string} name - The name.\n * @param [n=1] Count\n * @returns {number} A number\n * @default 5000\n * @deprecated Use b.\n * @template T\n * @see b */": "- @param {string} name - The name.\n- @param [n=1] Count\n- @returns {number} A number\n- @default 5000\n- @deprecated Use b.\n- @template T\n- @see b",
		"/**\n * @example\n * f(1)\n *   .g()\n * @Decorator()\n * @since 1\n */":                                                                                           "Example:\n\n```ts\nf(1)\n  .g()\n@Decorator()\n```\n- @since 1",
		"/** @example <caption>Cap</caption>\n * Text\n * ```js\n * a\n */":                                                                                                 "- @example <caption>Cap</caption>\nText\n```js\na\n\n```",
	} {
		if got := markdown(comment); got != want {
			t.Errorf("%s\nis\n%s\nwant\n%s", comment, got, want)
		}
	}
}

// What is too large is left out, and the page says so.
func TestBounds(t *testing.T) {
	must.SkipUnderRace(t)
	var many, deep, modules, dotted strings.Builder
	for i := range 100_000 {
		many.WriteString("export const a" + strings.Repeat("b", i%50) + string(rune('a'+i%26)) + ": 1\n")
	}
	dotted.WriteString("export namespace N { export const z: 1; export import p0 = N;\n")
	for i := range 31 { // each name is found through the one before it, many times
		fmt.Fprintf(&dotted, "export import p%d = N%s;\n", i+1, strings.Repeat(fmt.Sprintf(".p%d", i), 60))
	}
	dotted.WriteString("}\nexport import last = N.p31\nexport interface I extends N.p31.p31 { x: 1 }")
	for range 50_000 {
		deep.WriteString("export namespace a {")
	}
	files := packages{"a/package.json": `{"name":"a"}`}
	for i := range 5000 {
		files[fmt.Sprintf("a/m%d.d.ts", i)] = fmt.Sprintf("export * from './m%d'\nexport * from './index'\nexport const x%d: 1", (i+1)%5000, i)
		fmt.Fprintf(&modules, "export * from './m%d'\n", i)
	}
	for name, source := range map[string]string{
		"exports": many.String(), "nesting": deep.String(), "modules": modules.String(), "names": dotted.String(), "brackets": "export type A = " + strings.Repeat("[{(<", 100_000),
		"large":      "export const first: 1\n" + strings.Repeat("export const x: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'\n", 1<<20),
		"statements": "export const a: 1;" + strings.Repeat("b;", 2<<20),
		"union":      "export type U = " + strings.Repeat("| 'aaaaaaaaa'\n", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			files["a/index.d.ts"] = source
			began := time.Now()
			_, texts := pagesOf(t, files)
			size := 0
			for _, text := range texts {
				size += len(text)
			}
			if size == 0 || size > maxText+2_000_000 {
				t.Errorf("%d bytes in %v", size, time.Since(began))
			}
		})
	}
	// Lists of conditions in lists took 80 seconds.
	files["a/package.json"] = `{"exports":` + strings.Repeat("[", 9000) + strings.Repeat(`"",`, 400_000) + `""` + strings.Repeat("]", 9000) + "}"
	began := time.Now()
	if pagesOf(t, files); time.Since(began) > 20*time.Second {
		t.Errorf("lists of conditions took %v", time.Since(began))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Render(ctx, files, "a", "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Every heading of a page names a symbol, whatever the files contain.
func FuzzRender(f *testing.F) {
	f.Add("/** a */ export class A<T = {}> { b(): `${T}`; }\nexport * from './index'; declare module 'x' { export = a }")
	f.Add("export default function <T>(a: 1): 2\nexport { a as b } from 'a'; import c = require('a')")
	f.Fuzz(func(t *testing.T, source string) {
		_, texts := pagesOf(t, packages{"a/package.json": `{"name":"a"}`, "a/index.d.ts": source})
		for _, text := range texts {
			var fence string
			for line := range strings.Lines(text) {
				if name, ok := strings.CutPrefix(line, "## "); ok && fence == "" && !valid().MatchString(strings.ReplaceAll(strings.TrimSpace(name), ".", "")) {
					t.Errorf("heading %q", line)
				}
				if strings.HasPrefix(line, "```") {
					fence = map[bool]string{true: "", false: "`"}[fence != ""]
				}
			}
		}
	})
}

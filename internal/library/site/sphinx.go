package site

import (
	"cmp"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

var sphinx = &Generator{
	Name: "Sphinx", Markers: []string{"conf.py"}, Extensions: []string{".rst", ".md", ".txt", ".ipynb"}, Slug: Docutils,
	Skip:     []string{"_build/**", "_templates/**", "_static/**", "**/requirements*.txt"},
	Includes: []include{literalInclude, rstInclude, mystInclude},
	Open: func(r *reader, marker string) []*Site {
		py, dir := pythonScript(r.text(marker)), path.Dir(marker)
		if !compile(`(?m)^const (?:extensions|html_theme|master_doc|root_doc|project)\b`).MatchString(string(py)) {
			return nil
		}
		s := &Site{BaseURL: py.str("html_baseurl"), HTML: true, Skip: py.block("exclude_patterns").strings()}
		for i, p := range s.Skip {
			s.Skip[i] = strings.TrimSuffix(p, "/")
			s.Skip = append(s.Skip, s.Skip[i]+"/**")
		}
		extensions := string(py.block("extensions"))
		suffixes := string(py.block("source_suffix")) + py.str("source_suffix")
		if suffixes == "" {
			suffixes = ".rst"
			if strings.Contains(extensions, "myst") {
				suffixes += " .md"
			}
		}
		if strings.Contains(extensions, "myst_nb") || strings.Contains(extensions, "nbsphinx") {
			suffixes += " .ipynb .md"
		}
		for _, ext := range []string{".md", ".txt", ".ipynb", ".rst"} {
			if !strings.Contains(suffixes, ext) {
				s.Skip = append(s.Skip, "**/*"+ext)
			}
		}
		s.Values = map[string]string{"root": cmp.Or(py.str("root_doc"), py.str("master_doc"), "index")}
		s.Trees = []*Tree{{Root: dir, Language: strings.ToLower(py.str("language"))}}
		return []*Site{s}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		seen := make(map[string]bool)
		return sphinxOrder(r, s, t, join(t.Root, s.Values["root"]), "", seen)
	},
	Publishes: func(s *Site, p *Page) string { return "" },
}

// pythonScript returns the assignments of a program in Python as [script] reads them.
func pythonScript(text string) script {
	text = compile(`(?m)^\s*#.*$`).ReplaceAllString(text, "")
	return script(compile(`(?m)^([a-z_]+)(?:\s*:[^=\n]+)?\s*=\s*`).ReplaceAllString(text, "const $1 = "))
}

// sphinxOrder follows toctree directives from a document, depth first.
func sphinxOrder(r *reader, s *Site, t *Tree, name, title string, seen map[string]bool) (entries []Entry) {
	if seen[name] || len(seen) > 20_000 {
		return nil
	}
	seen[name] = true
	for _, ext := range []string{"", ".rst", ".md", ".txt", ".ipynb"} {
		file := name + ext
		if ext == "" && path.Ext(name) == "" || !r.has(file) || r.isDir(file) {
			continue
		}
		entries = []Entry{{File: file, Title: title}}
		for _, e := range rstTree(r.text(file), t.Root, file, func(pattern string) []string { return globbed(r, t.Root, pattern) }) {
			entries = append(entries, sphinxOrder(r, s, t, e.File, e.Title, seen)...)
		}
		return entries
	}
	return nil
}

// globbed returns the documents of the folder of a pattern that match it, without extension.
func globbed(r *reader, root, pattern string) (names []string) {
	dir := path.Dir(pattern)
	for _, name := range r.list(dir) {
		file := join(dir, stem(name))
		if ok, _ := doublestar.Match(pattern, file); ok && within(root, file) {
			names = append(names, file)
		}
	}
	return names
}

var jupyterBook = &Generator{
	Name: "Jupyter Book", Markers: []string{"myst.yml", "_toc.yml"}, Extensions: []string{".md", ".ipynb", ".rst"}, Slug: GitHub,
	Skip: []string{"_build/**"}, Includes: []include{mystInclude, literalInclude},
	Open: func(r *reader, marker string) []*Site {
		v, dir := parse(marker, r.text(marker)), path.Dir(marker)
		if path.Base(marker) == "_toc.yml" && !r.has(join(dir, "_config.yml")) || path.Base(marker) == "myst.yml" && v.get("project") == nil && v.get("site") == nil {
			return nil
		}
		return []*Site{{Bare: true, Only: path.Base(marker) == "_toc.yml" || v.get("project", "toc") != nil, Trees: []*Tree{{Root: dir}}}}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		var names []string
		walkStrings(map[string]any(parse(s.Config, r.text(s.Config))), 0, func(key string) bool { return key == "root" || key == "file" }, func(_, text string) {
			names = append(names, text)
		})
		return filesOf(r, t.Root, s.Extensions, names)
	},
}

var antora = &Generator{
	Name: "Antora", Markers: []string{"antora.yml"}, Extensions: []string{".adoc", ".asciidoc"}, Slug: Antora,
	Includes: []include{asciidocInclude},
	Open: func(r *reader, marker string) []*Site {
		v, dir := parse(marker, r.text(marker)), path.Dir(marker)
		if v.str("name") == "" {
			return nil
		}
		s := &Site{HTML: true, Keep: []string{"*/pages/**"}, Skip: []string{"**/_*"}, Values: make(map[string]string)}
		for name, value := range v.sub("asciidoc", "attributes") {
			s.Values[name] = strings.TrimSuffix(scalar(value), "@")
		}
		for _, name := range []string{"antora-playbook.yml", "local-antora-playbook.yml", "playbook.yml", "antora-playbook.yaml"} {
			if url := parse(name, r.text(name)).str("site", "url"); strings.Contains(url, "://") {
				s.BaseURL = url
			}
		}
		prefix := v.str("name") + "/"
		if prefix == "ROOT/" {
			prefix = ""
		}
		if version := v.str("version"); version != "" && version != "~" {
			prefix += version + "/"
		}
		s.Trees = []*Tree{{Root: join(dir, "modules"), Prefix: prefix}}
		return []*Site{s}
	},
	Route: func(s *Site, p *Page) string {
		module, rest, _ := strings.Cut(p.below(), "/pages/")
		if module == "ROOT" {
			module = ""
		}
		return "/" + join(module, stem(rest)) + ".html"
	},
	Order: func(r *reader, s *Site, t *Tree) (entries []Entry) {
		for _, nav := range parse(s.Config, r.text(s.Config)).list("nav") {
			file := join(s.Dir, nav)
			module, _, _ := strings.Cut(relative(t.Root, file), "/")
			for _, m := range compile(`xref:([^\[\s]+)\[([^\]]*)\]`).FindAllStringSubmatch(r.text(file), 5000) {
				target, _, _ := strings.Cut(m[1], "#")
				in := module
				if i := strings.LastIndexByte(target, ':'); i >= 0 {
					parts := strings.Split(target[:i], ":")
					in, target = parts[len(parts)-1], target[i+1:]
				}
				entries = append(entries, Entry{File: join(t.Root, cmp.Or(in, "ROOT"), "pages", target), Title: m[2]})
			}
		}
		return entries
	},
}

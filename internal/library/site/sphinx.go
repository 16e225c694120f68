package site

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

var sphinx = &Generator{
	Name: "Sphinx", Lacks: "docstrings; labels of other projects",
	Unread: map[string]string{"?extensions": "files are served as documents that are not published", "?exclude_patterns": "files are served as documents that are not published", "extensions autoapi.extension": "the pages that it makes are missing",
		"extensions sphinx_gallery.gen_gallery": "the pages that it makes are missing"},
	Markers: []string{"conf.py"}, Extensions: []string{".rst", ".md", ".txt", ".ipynb"}, Index: []string{"index"}, Labels: true,
	Keys: Keys{Title: "project", URL: "html_baseurl", Language: "language"}, Ending: ".html",
	Skip:  []string{"_build/**", "_templates/**", "_static/**", "**/requirements*.txt"},
	Built: []string{"{genindex,modindex,py-modindex,search}{,.html}", "_{static,modules,images,sources,downloads}/**"},
	Open: func(r *reader, s *Site) bool {
		py := r.program(s.Config).Names()
		if !slices.ContainsFunc([]string{"extensions", "html_theme", "master_doc", "root_doc", "project"}, func(key string) bool { return py[key] != nil }) {
			return false
		}
		s.read(r, py)
		for _, p := range py.List("exclude_patterns") {
			p = strings.TrimSuffix(p, "/")
			s.Skip = append(s.Skip, p, p+"/**")
		}
		extensions := strings.Join(py.List("extensions"), " ")
		suffixes := strings.Join(append(py.List("source_suffix"), py.Sub("source_suffix").Keys()...), " ")
		if suffixes == "" {
			suffixes = ".rst"
			if strings.Contains(extensions, "myst") {
				suffixes += " .md"
			}
		}
		if strings.Contains(extensions, "myst_nb") || strings.Contains(extensions, "nbsphinx") || py.Unknown("extensions") {
			suffixes += " .ipynb .md"
		}
		for _, ext := range []string{".md", ".txt", ".ipynb", ".rst"} {
			if !strings.Contains(suffixes, ext) {
				s.Skip = append(s.Skip, "**/*"+ext)
			}
		}
		if strings.Contains(extensions, "autosectionlabel") {
			s.Values = map[string]string{"sections": "yes"}
		}
		return true
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		n.addToctree("", Entry{File: join(t.Root, cmp.Or(first(s.settings, "root_doc|master_doc"), "index"))}, 0)
	},
}

// addToctree adds a document that an entry of a toctree in the file from names without its extension, and those that its
// toctree directives lead to, depth first. A document with further entries is the page of their group.
func (n *navigation) addToctree(from string, entry Entry, depth int) {
	name := entry.File
	if depth > 1000 || !n.first(name) {
		return
	}
	for _, ext := range append([]string{""}, n.site.Extensions...) {
		file := name + ext
		if !n.has(file) {
			continue
		}
		at, groups := len(n.entries), entry.Groups
		if from != "" {
			groups = inGroup(groups, titleOf+file)
		}
		n.add(cmp.Or(from, file), Entry{file, entry.Title, entry.Groups})
		for _, e := range n.toctree(file) {
			e.Groups = inGroup(groups, strings.Join(e.Groups, "")) // the caption
			n.addToctree(file, e, depth+1)
		}
		if len(n.entries) > at+1 && n.entries[at].File == file {
			n.entries[at].Groups = groups
		}
		return
	}
	if from != "" && !n.site.settings.Has("extensions", "autosummary") {
		n.missing(from, name, "")
	}
}

// toctree returns the documents that the toctree directives of a file name, in order, below the project folder and without
// extension. Their group is the caption.
func (n *navigation) toctree(file string) (entries []Entry) {
	var in, fence, globs bool // of the directive
	var indent int
	var groups []string
	for line := range strings.Lines(n.text(file)) {
		line = strings.TrimRight(line, " \t\r\n")
		trimmed := strings.TrimLeft(line, " \t")
		if m := compile("^(\\s*)(?:\\.\\.\\s+toctree::|(```+|:::+)\\{toctree\\})$").FindStringSubmatch(line); m != nil {
			in, fence, globs, indent, groups = true, m[2] != "", false, len(m[1]), nil
			continue
		}
		switch {
		case !in || trimmed == "":
		case fence && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, ":::")), !fence && len(line)-len(trimmed) <= indent:
			in = false
		case trimmed[0] == ':' || fence && strings.Contains(trimmed, ": ") || trimmed == "---":
			globs = globs || strings.HasPrefix(trimmed, ":glob:") || trimmed == "glob: true"
			if caption, ok := strings.CutPrefix(strings.TrimPrefix(trimmed, ":"), "caption:"); ok {
				groups = inGroup(nil, strings.TrimSpace(caption))
			}
		case !strings.Contains(trimmed, "://"):
			m := compile(`^(?:(.*\S)\s*<)?([^<>]+)>?$`).FindStringSubmatch(trimmed)
			if m == nil || m[2] == "self" {
				continue
			}
			e, dir := Entry{Title: m[1], Groups: groups}, path.Dir(file)
			if strings.HasPrefix(m[2], "/") {
				dir = n.tree.Root
			}
			names := []string{join(dir, m[2])}
			if globs && strings.ContainsAny(m[2], "*?[") {
				names = n.globbed(file, names[0])
			}
			for _, e.File = range names {
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// globbed returns the documents of the folder of a pattern that match it, without extension, for a file that names the
// pattern. The second time, it returns none: they are in the navigation.
func (n *navigation) globbed(from, pattern string) (names []string) {
	if n.compared > 5*maxPages || !n.first(pattern) {
		return nil
	}
	dir := path.Dir(pattern)
	all := n.list(dir)
	if n.compared += len(all); n.compared > 5*maxPages {
		n.notice(from, pattern, "the navigation has too many patterns: this one and those after it are left out")
		return nil
	}
	for _, name := range all {
		file := join(dir, stem(name))
		if n.site.documents(name) && within(n.tree.Root, file) && matchesAny([]string{pattern}, file) {
			names = append(names, file)
		}
	}
	return names
}

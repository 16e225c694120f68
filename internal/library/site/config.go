package site

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// A kind is a configuration file of a documentation site, as far as it is data: it gives a name, the folder of the documents,
// a language, a version and an order. Files that are programs are read for one literal at most.
type kind struct {
	files []string // their names
	// title, language and folder are keys in the file: with spaces between the keys of mappings in mappings, and with "|" between
	// several, of which the first that has a value counts.
	title, language, folder string
	usual                   string // the folder of the documents, if the file does not say; "": it says nothing about it
	whole                   bool   // the folder of the file has the documents, also if it is the project's
	literal                 string // a name in a program, of which the value is the title
	// more reads what else the file says. It reports whether the file is one of this kind. nil: it is.
	more func(r *reader, s *Site, v values) bool
}

var siteKinds = []*kind{
	{files: []string{"mkdocs.yml", "mkdocs.yaml", "zensical.toml"}, title: "site_name|project site_name", language: "theme language|project theme language",
		folder: "docs_dir|project docs_dir", usual: "docs", more: readMkDocs},
	{files: []string{"book.toml"}, title: "book title", language: "book language", folder: "book src", usual: "src"},
	{files: []string{".gitbook.yaml"}, folder: "root"},
	{files: []string{"docs.json", "mint.json"}, title: "name", whole: true, more: readMintlify},
	{files: []string{"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "zola.toml", "config.toml", "config.yaml", "config.yml", "config.json"}, title: "title",
		language: "defaultContentLanguage|default_language", folder: "contentDir", usual: "content", more: readHugo},
	{files: []string{"_config.yml", "_config.yaml", "_config.toml"}, title: "title", language: "lang|language", folder: "source|source_dir"},
	{files: []string{"antora.yml"}, title: "title", usual: "modules", more: readAntora},
	{files: []string{"_quarto.yml", "_quarto.yaml"}, title: "website title|book title|project title", whole: true},
	{files: []string{"myst.yml"}, title: "project title|site title", whole: true},
	{files: []string{"docfx.json"}, title: "build globalMetadata _appTitle"},
	{files: []string{"docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"}, literal: "title", more: readDocusaurus},
	{files: []string{".vitepress", ".vuepress"}, literal: "title", whole: true},
	{files: []string{"conf.py"}, literal: "project", more: func(r *reader, s *Site, v values) bool {
		return compile(`(?m)^(?:extensions|html_theme|master_doc|root_doc|project) *=`).MatchString(r.text(s.Config))
	}},
	{files: []string{"astro.config.mjs", "astro.config.ts", "astro.config.js", "astro.config.mts", "astro.config.cjs", "source.config.ts", "source.config.js", "source.config.mjs",
		"eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs", ".eleventy.js"}},
}

// kindOf returns the kind of configuration that a file of this name is, or nil.
func kindOf(name string) *kind {
	i := slices.IndexFunc(siteKinds, func(k *kind) bool { return slices.Contains(k.files, name) })
	if i < 0 {
		return nil
	}
	return siteKinds[i]
}

const (
	maxSites = 300
	maxBases = 300 // names of languages, versions or folders that a configuration gives
)

// A Site is what a configuration file says about the documents of a folder. The documents that have none are of a site
// without a configuration.
type Site struct {
	Facts
	Config    string            // the file; "": none
	Root      string            // the folder of the documents; "": the configuration does not say
	Latest    string            // folder of the default version; "": the newest release
	Exclude   []string          // globs of files below the folder of the documents that are not published
	Languages []string          // codes that the configuration names
	Listed    []string          // the versions that are published; nil: nothing says
	Versions  map[string]string // names of versions, by the names of the folders that have their documents
	kind      *kind
	settings  values // of the configuration, until the documents are known
	counted   int    // main documents
}

// Facts are what a [DescriptionFile] has of a site.
type Facts struct {
	Title string `json:"title,omitempty"` // "": the configuration does not say
	Dir   string `json:"dir"`             // folder of the configuration
	// Values are the attributes of AsciiDoc.
	Values map[string]string `json:"attributes,omitempty"`
	Trees  []*Tree           `json:"trees"` // the first is a default one
}

// attributes returns the attributes that a text of the site may use, by name.
func (s *Site) attributes() map[string]string { return maps.Collect(maps.All(s.Values)) }

// configure reads the configuration files, those nearer to the project folder first.
func (s *Set) configure(r *reader, files []string) {
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	read := make(map[string]bool) // folders with a kind of configuration
	for _, file := range files {
		k, dir := kindOf(path.Base(file)), path.Dir(file)
		if key := dir + "\x00" + k.files[0]; len(s.Sites) >= maxSites || read[key] {
			continue
		} else {
			read[key] = true
		}
		if site := k.open(r, file); site != nil {
			s.Sites = append(s.Sites, site)
		}
	}
	s.Sites = append(s.Sites, &Site{Facts: Facts{Dir: "."}, Root: "."})
	for _, site := range s.Sites {
		t := &Tree{Root: cmp.Or(site.Root, site.Dir), Language: strings.ToLower(site.language()), site: site}
		site.Trees = []*Tree{t}
	}
}

// language returns the language that the configuration names, or "".
func (s *Site) language() string {
	if s.kind == nil {
		return ""
	}
	return first(s.settings, s.kind.language)
}

// open returns the site of a configuration file, or nil if it is not of this kind.
func (k *kind) open(r *reader, file string) *Site {
	s := &Site{Config: file, kind: k, Facts: Facts{Dir: path.Dir(file)}}
	switch path.Ext(file) {
	case ".yml", ".yaml", ".toml", ".json":
		s.settings = r.config(file)
	default:
		s.Title = r.literal(file, k.literal)
	}
	if k.more != nil && !k.more(r, s, s.settings) {
		return nil
	}
	s.Title = cmp.Or(first(s.settings, k.title), s.Title)
	switch folder := cmp.Or(first(s.settings, k.folder), k.usual); {
	case s.Root != "" || folder == "" && !k.whole: // it is known, or not said
	case fs.ValidPath(join(s.Dir, folder)) && r.isDir(join(s.Dir, folder)):
		s.Root = join(s.Dir, folder)
	}
	return s
}

// literal returns the first text that has a name in a program, or "". A folder stands for its file "config".
func (r *reader) literal(file, name string) string {
	if name == "" {
		return ""
	}
	if r.isDir(file) {
		for _, in := range r.list(file) {
			if stem(in) == "config" {
				return r.literal(join(file, in), name)
			}
		}
		return ""
	}
	for line := range strings.Lines(r.text(file)) {
		if len(line) > 500 || !strings.Contains(line, name) {
			continue
		}
		if m := compile(`^\s{0,20}(?:export default (?:defineConfig\()?)?\{?\s{0,20}` + name + `\s{0,20}[:=]\s{0,20}(?:'([^'\\]{1,200})'|"([^"\\]{1,200})"|` + "`([^`$\\\\]{1,200})`)").FindStringSubmatch(line); m != nil {
			return strings.Join(m[1:], "")
		}
	}
	return ""
}

// readMkDocs reads a configuration with the ones that it inherits from.
func readMkDocs(r *reader, s *Site, v values) bool {
	all := maps.Clone(v)
	for file, parent, n := s.Config, v, 0; parent.Str("INHERIT") != "" && n < 5; n++ {
		file = join(path.Dir(file), parent.Str("INHERIT"))
		parent = r.config(file)
		for key, value := range parent {
			if _, known := all[key]; !known {
				all[key] = value
			}
		}
	}
	s.settings = all
	for _, l := range all.Option("plugins", "i18n").Subs("languages") {
		if s.Languages = append(s.Languages, l.Str("locale")); l.Is("default") {
			s.settings["theme"] = map[string]any{"language": l.Str("locale")}
		}
	}
	for _, p := range bounded(append(all.List("exclude_docs"), all.Option("plugins", "exclude").List("glob")...)) { // as in .gitignore
		if p = strings.TrimSuffix(p, "/"); p == "" || p[0] == '#' || p[0] == '!' {
			continue
		}
		if !strings.Contains(p, "/") {
			p = "**/" + p
		}
		s.Exclude = append(s.Exclude, strings.TrimPrefix(p, "/"), strings.TrimPrefix(p, "/")+"/**")
	}
	return true
}

func bounded(list []string) []string { return list[:min(len(list), maxBases)] }

// readHugo reads a configuration of Hugo or Zola.
func readHugo(r *reader, s *Site, v values) bool {
	if path.Base(s.Dir) == "_default" && path.Base(path.Dir(s.Dir)) == "config" { // with a file for each other key
		s.Dir = path.Dir(path.Dir(s.Dir))
		for _, name := range r.list(path.Dir(s.Config)) {
			if part := r.config(join(path.Dir(s.Config), name)); stem(name) == "params" {
				v = maps.Clone(v)
				v["params"] = map[string]any(part)
			}
		}
		s.settings = v
	} else if name := path.Base(s.Config); strings.HasPrefix(name, "config.") && first(v, "baseURL|baseurl|BaseURL|base_url") == "" {
		return false
	}
	main := first(v, "defaultContentLanguage|default_language")
	if own := v.Str("languages", main, "contentDir"); own != "" && len(v.Sub("languages")) == 1 {
		s.Root = join(s.Dir, own)
	}
	s.Languages = sortedKeys(v.Sub("languages"))
	s.Latest = first(v, "params latest_stable_version|params latest|params version")
	return r.isDir(join(s.Dir, cmp.Or(v.Str("contentDir"), "content")))
}

// readAntora reads the attributes of a component.
func readAntora(r *reader, s *Site, v values) bool {
	s.Values = make(map[string]string)
	for name, value := range v.Sub("asciidoc", "attributes") {
		if len(s.Values) < maxBases {
			s.Values[name] = strings.TrimSuffix(settings.Scalar(value), "@")
		}
	}
	return v.Str("name") != ""
}

// readDocusaurus reads the versions: the first is the default one, unless the configuration says that the current one is.
func readDocusaurus(r *reader, s *Site, _ values) bool {
	versions := r.parse(join(s.Dir, "versions.json")+".yml", "versions: "+r.text(join(s.Dir, "versions.json"))).List("versions")
	s.Listed = versions
	if s.Latest = append(versions, "")[0]; compile(`\blastVersion:\s{0,20}['"]current['"]`).MatchString(r.text(s.Config)) {
		s.Latest = ""
	}
	return true
}

// readMintlify reads the navigation with the files that its $ref name.
func readMintlify(r *reader, s *Site, v values) bool {
	if v.Get("navigation") == nil {
		return false
	}
	files := 50 // that are read: a file may name others many times, which may do the same
	var fill func(x any, dir string, depth int) any
	fill = func(x any, dir string, depth int) any {
		switch x := x.(type) {
		case map[string]any:
			if ref, ok := x["$ref"].(string); ok && files > 0 && depth < 10 {
				files--
				name := join(dir, ref)
				return fill(r.parse(name+".json", `{"ref": `+r.text(name)+`}`).Get("ref"), path.Dir(name), depth+1) // an object or a list
			}
			all := make(map[string]any, len(x))
			for k, v := range x {
				all[k] = fill(v, dir, depth)
			}
			return all
		case []any:
			all := make([]any, len(x))
			for i, e := range x {
				all[i] = fill(e, dir, depth)
			}
			return all
		}
		return x
	}
	v = maps.Clone(v)
	v["navigation"] = fill(v["navigation"], s.Dir, 0)
	s.settings = v
	languages := v.Subs("navigation", "languages")
	for _, l := range languages {
		if l.Is("default") {
			v["language"] = l.Str("language")
		}
	}
	if v["language"] == nil && len(languages) > 0 {
		v["language"] = languages[0].Str("language")
	}
	s.versions(v.Get("navigation"))
	return true
}

// versions finds the folders of the versions in a navigation: of the names in the paths of a version's pages, the one that
// most of them have and that no page of another version has.
func (s *Site) versions(navigation any) {
	type place struct{ folder, version string } // their names
	counts, versions := make(map[place]int), make(map[string]int)
	pages := make(map[string]int) // by the name of a version
	chosen := settings.Text{}
	for _, x := range settings.Texts(navigation, false) {
		if x.Version == "" || x.Key != "pages" && x.Key != "root" || pages[x.Version] == 0 && len(pages) >= maxBases {
			continue
		}
		if chosen.Version == "" || x.Default && !chosen.Default {
			chosen = x
		}
		pages[x.Version]++
		for name := range strings.SplitSeq(path.Dir(strings.Trim(x.Text, "/")), "/") {
			if counts[place{name, x.Version}]++; counts[place{name, x.Version}] == 1 {
				versions[name]++
			}
		}
	}
	for at, n := range counts {
		if versions[at.folder] == 1 && n*2 > pages[at.version] && len(pages) > 1 {
			if s.Versions == nil {
				s.Versions = make(map[string]string)
			}
			if s.Versions[at.folder] = at.version; at.version == chosen.Version {
				s.Latest = at.folder
			}
		}
	}
}

// resource returns the file of a resource id, such as component:module:partial$file.adoc, in a file. Both are below the root.
func resource(id, in string) string {
	module, _, _ := strings.Cut(in, "/")
	if i := strings.LastIndexByte(id, ':'); i >= 0 {
		names := strings.Split(id[:i], ":")
		module, id = cmp.Or(names[len(names)-1], "ROOT"), id[i+1:]
	}
	family, file, ok := strings.Cut(id, "$")
	if !ok {
		family, file = "page", id
	}
	return join(module, family+"s", file)
}

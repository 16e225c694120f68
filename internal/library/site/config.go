package site

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A kind is a configuration file of a documentation site, as far as it is data: it gives a name, the folder of the documents,
// a language and an order. Files that are programs are read for one literal at most.
type kind struct {
	files []string
	// title, language and folder are paths of values in the file, see [settings.Values.Get].
	title, language, folder string
	// at least one path must have a value, or the file is of another program
	needs string
	usual string // default folder of the documents; "": unknown
	// the folder of the file has the documents, even the project folder
	whole   bool
	literal string // a name in a program whose value is the title
}

const hugoTitle, hugoLanguage, hugoFolder = "title", "defaultContentLanguage|default_language", "contentDir"

var siteKinds = []*kind{
	{files: []string{"mkdocs.yml", "mkdocs.yaml", "zensical.toml"}, title: "site_name|project site_name", language: "theme language|project theme language",
		folder: "docs_dir|project docs_dir", usual: "docs"},
	{files: []string{"book.toml"}, title: "book title", language: "book language", folder: "book src", usual: "src"},
	{files: []string{".gitbook.yaml"}, folder: "root"},
	{files: []string{"docs.json", "mint.json"}, title: "name", needs: "navigation", whole: true},
	{files: []string{"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "zola.toml"}, title: hugoTitle, language: hugoLanguage, folder: hugoFolder, usual: "content"},
	{files: []string{"config.toml", "config.yaml", "config.yml", "config.json"}, title: hugoTitle, language: hugoLanguage, folder: hugoFolder, usual: "content",
		needs: "baseURL|baseurl|BaseURL|base_url"},
	{files: []string{"_config.yml", "_config.yaml", "_config.toml"}, title: "title", language: "lang|language", folder: "source|source_dir"},
	{files: []string{"antora.yml"}, title: "title", usual: "modules", needs: "name"},
	{files: []string{"_quarto.yml", "_quarto.yaml"}, title: "website title|book title|project title", whole: true},
	{files: []string{"myst.yml"}, title: "project title|site title", whole: true},
	{files: []string{"docfx.json"}, title: "build globalMetadata _appTitle"},
	{files: []string{"docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"}, literal: "title"},
	{files: []string{".vitepress", ".vuepress"}, literal: "title", whole: true},
	{files: []string{"conf.py"}, literal: "project"},
	{files: []string{"astro.config.mjs", "astro.config.ts", "astro.config.js", "astro.config.mts", "astro.config.cjs", "source.config.ts", "source.config.js", "source.config.mjs",
		"eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs", ".eleventy.js"}},
}

// kindOf returns the kind of configuration that a file of this name is, or nil.
func kindOf(name string) *kind {
	for _, k := range siteKinds {
		if slices.Contains(k.files, name) {
			return k
		}
	}
	return nil
}

const (
	maxSites = 300
	maxBases = 300 // in a configuration
)

// A Site is what a configuration file says about the documents of a folder. The documents that have none are of a site
// without a configuration. Its JSON is in a [DescriptionFile].
type Site struct {
	Title string `json:"title,omitempty"`
	Dir   string `json:"dir"`
	// Values are the attributes of AsciiDoc.
	Values map[string]string `json:"attributes,omitempty"`
	Trees  []*Tree           `json:"trees"` // the first is a default one

	Config   string `json:"-"`
	Root     string `json:"-"` // folder of the documents; "": unknown
	Dated    bool   `json:"-"` // it names versions, so folder names may be dates
	settings values
	counted  int
	part     bool // of tests or examples, for instance
}

// attributes returns the attributes that a text of the site may use, by name.
func (s *Site) attributes() map[string]string { return maps.Collect(maps.All(s.Values)) }

// configure reads the configuration files, those nearer to the project folder first.
func (s *Set) configure(r *reader, files []string) {
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	for _, file := range files {
		if len(s.Sites) < maxSites {
			kindOf(path.Base(file)).open(s, r, file)
		}
	}
	rest := &Site{Dir: ".", Root: "."}
	rest.Trees = []*Tree{{Root: ".", site: rest}}
	s.Sites = append(s.Sites, rest)
}

// open adds the site of a configuration file, if it is of this kind.
func (k *kind) open(set *Set, r *reader, file string) {
	s := &Site{Config: file, Dir: path.Dir(file), Values: make(map[string]string)}
	if path.Base(s.Dir) == "_default" && path.Base(path.Dir(s.Dir)) == "config" {
		// Hugo
		s.Dir = path.Dir(path.Dir(s.Dir))
	}
	switch path.Ext(file) {
	case ".yml", ".yaml", ".toml", ".json":
		s.settings = r.config(file)
		if s.Title = s.settings.Str(k.title); s.settings.Get(k.needs) == nil {
			return
		}
	default:
		s.Title = r.literal(file, k.literal)
		if path.Ext(file) == ".py" && s.Title == "" { // any program may have this name
			return
		}
	}
	folder := cmp.Or(s.settings.Str(k.folder), k.usual)
	if dir := join(s.Dir, folder); (folder != "" || k.whole) && fs.ValidPath(dir) {
		if info, err := fs.Stat(r.fsys, dir); err == nil && info.IsDir() {
			s.Root = dir
		}
	}
	s.Dated = s.settings != nil && compile(`\bversions\b`).MatchString(r.text(file))
	attributes, _ := s.settings.Get("asciidoc attributes").(map[string]any)
	for name, value := range attributes {
		if len(s.Values) < maxBases {
			s.Values[name] = strings.TrimSuffix(settings.Scalar(value), "@")
		}
	}
	s.Trees = []*Tree{{Root: cmp.Or(s.Root, s.Dir), Language: strings.ToLower(s.settings.Str(k.language)), site: s}}
	set.Sites = append(set.Sites, s)
}

// excluded returns the globs of files that MkDocs does not publish.
func (s *Site) excluded() (globs []string) {
	lists := s.settings.List("exclude_docs")
	plugins, _ := s.settings.Get("plugins").([]any)
	for _, plugin := range plugins {
		options, _ := plugin.(map[string]any)
		lists = append(lists, values(options).List("exclude glob")...)
	}
	for _, pattern := range lists[:min(len(lists), maxBases)] {
		if pattern = strings.Trim(pattern, "/"); pattern != "" && pattern[0] != '#' && pattern[0] != '!' {
			globs = append(globs, pattern)
		}
	}
	return globs
}

// literal returns the first text that has a name in a program, or "". A folder stands for its file "config".
func (r *reader) literal(file, name string) string {
	if name == "" {
		return ""
	}
	entries, _ := fs.ReadDir(r.fsys, file)
	if i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return stem(e.Name()) == "config" && !e.IsDir() }); i >= 0 {
		file = join(file, entries[i].Name())
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

// maxRead is the number of bytes of a configuration, an include or a head that is read.
const maxRead = 1 << 20

// A reader reads configuration files of a project.
type reader struct {
	fsys fs.FS
	docs *docsfs.FS

	texts    map[string]string
	left     int // of configuration that may be read
	warnings []loader.Warning
}

// maxConfigured bounds the bytes of the configuration of a project.
const maxConfigured = 64 << 20

func newReader(docs *docsfs.FS) *reader {
	return &reader{fsys: docs.Project(), docs: docs, texts: make(map[string]string), left: maxConfigured}
}

// warn reports something about a file of configuration to the user, once: about the line that has a name, or the last part of
// it that the file has.
func (r *reader) warn(file, name, reason string) {
	n := loader.Warning{Path: file, Reason: reason}
	for rest := name; rest != "" && n.Line == 0 && len(r.warnings) < maxNotices; _, rest, _ = strings.Cut(rest, "/") {
		if before, _, ok := strings.Cut(r.text(file), rest); ok {
			n.Line = 1 + strings.Count(before, "\n")
		}
	}
	r.report(n)
}

func (r *reader) report(n loader.Warning) {
	if len(r.warnings) < maxNotices && !slices.Contains(r.warnings, n) {
		r.warnings = append(r.warnings, n)
	}
}

// maxNotices bounds what is reported about the configuration of a project.
const maxNotices = 50

// text returns the text of a file of at most 1 MiB, or "". What git ignores and hidden names are not read, except for the folders of
// configuration, and secrets are replaced.
func (r *reader) text(file string) string {
	text, known := r.texts[file]
	if known || r.left < 0 {
		return text
	}
	hidden := func(part string) bool {
		return hiddenPath(part) && !slices.Contains([]string{".vitepress", ".vuepress", ".gitbook.yaml", ".eleventy.js"}, part)
	}
	if data, err := readAtMost(r.docs, file, maxRead); err == nil && !slices.ContainsFunc(strings.Split(file, "/"), hidden) {
		if r.left -= len(data); r.left < 0 {
			r.warn(file, "", fmt.Sprintf("is not read: the configuration of the project has more than %d MiB", maxConfigured>>20))
			return ""
		}
		text = string(data)
	}
	r.texts[file] = text
	return text
}

// config returns the settings in a configuration file. A file that cannot be read has none.
func (r *reader) config(file string) values { return r.parse(file, r.text(file)) }

// parse returns the settings in a text of a configuration file.
func (r *reader) parse(file, text string) values {
	v, err := settings.Parse(file, text)
	if e, ok := errors.AsType[*settings.SyntaxError](err); ok {
		r.report(loader.Warning{Path: file, Line: e.Line, Reason: "cannot be parsed: " + e.Reason + ": its settings are not read"})
	}
	return v
}

// readAtMost returns a text of at most so many bytes.
func readAtMost(fsys fs.FS, file string, most int64) ([]byte, error) {
	data, err := rootfs.ReadFile(fsys, file, most)
	return decoded(file, data), err
}

// decoded returns the bytes of a text in UTF-8, without a byte order mark.
func decoded(file string, data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if media.StartsUTF16(data) {
		if c := media.Classify(file, "", data); c.IsText {
			return []byte(c.Text)
		}
	}
	return data
}

type values = settings.Values

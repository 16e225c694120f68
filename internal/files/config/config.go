// Package config reads mcp-docs-server.json, the file that makes a folder a project.
//
// Decode validates the file: its result is valid and complete, with defaults for missing keys. It
// reports every problem, not only the first; an unknown key is a warning that names the most
// similar known key.
package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// File is the name of the file in a project folder.
const File = "mcp-docs-server.json"

// Defaults and bounds of the limits.
const (
	DefaultMaxReadBytes  = 64 << 20
	DefaultMaxFrameBytes = 10 << 20 // the official TypeScript client gives up beyond it
	DefaultPageSize      = 1000

	maxBytes    = 1 << 30
	maxPageSize = 10_000
	// patterns of all globs, with which each name of the project is compared
	maxExpanded = 1000
	maxIndexTTL = 24 * time.Hour

	maxCaptureTTL = 366 * 24 * time.Hour
)

// Config is a project's configuration. The tags describe its JSON Schema.
type Config struct {
	NameGiven     bool     `json:"-"`
	Name          string   `json:"name,omitempty" jsonschema:"Name of the project, shown to users. Default: the name of the folder, or of the site in it."`
	Package       string   `json:"package,omitempty" jsonschema:"Name of the npm package that the project is published as, such as @acme/docs. Only publish needs it."`
	VersionGiven  bool     `json:"-"`
	Version       string   `json:"version,omitempty" jsonschema:"Version of the project. Only publish needs it. Default: 0.0.0."`
	DocsGiven     bool     `json:"-"`
	Docs          string   `json:"docs,omitempty" jsonschema:"Folder with the Markdown documents, below the project folder; . is the project folder. Default: docs."`
	Sites         []Site   `json:"sites,omitzero" jsonschema:"The sites whose documents are served, instead of those that are found. An empty array: none."`
	DocsResources bool     `json:"docsResources,omitempty" jsonschema:"Whether the files of the docs folder are resources too, as docs://NAME/PATH. Default: false."`
	DocsExclude   []string `json:"docsExclude,omitempty" jsonschema:"Glob patterns of paths below the project folder, such as docs/internal/**. Documents that match one are not served, searched or published."`
	Deps          bool     `json:"deps,omitempty" jsonschema:"Whether documents of the packages that are installed in the project folder are served too. serve --http ignores it. Default: false."`
	Unmatched     string   `json:"unmatched,omitempty" jsonschema:"What happens to a resource that no template matches: serve (default) or hide."`
	Include       []string `json:"include,omitempty" jsonschema:"Glob patterns of paths below resources/. One with a hidden name, such as **/.well-known/**, adds files. If there are others, only files that match one of the others are served."`
	Exclude       []string `json:"exclude,omitempty" jsonschema:"Glob patterns of paths below resources/ that are not served, whatever include says."`
	Describe      bool     `json:"describe,omitempty" jsonschema:"Whether titles and descriptions come from the files and from NAME.meta.json next to them, unless a template says otherwise. Default: false."`
	Instructions  string   `json:"instructions,omitempty" jsonschema:"What clients say to the model about this server. Default: its name, folders and tools."`
	Index         Index    `json:"index,omitzero" jsonschema:"Whether there is a capability index, which says in few tokens what the server has. An object turns it on. Default: false."`
	Skills        Skills   `json:"skills,omitzero" jsonschema:"How the folders below skills/ that have a SKILL.md are offered."`
	Search        Search   `json:"search,omitzero" jsonschema:"What is searched besides the documents."`
	Capture       Capture  `json:"capture,omitzero" jsonschema:"Whether agents can capture pages of the web. An object turns it on. Default: false."`
	Tools         Tools    `json:"tools,omitzero" jsonschema:"Tools for clients that only know tools."`
	Limits        Limits   `json:"limits,omitzero" jsonschema:"Bounds on what one request may cost."`
}

// A Site is documents in one language and version that a documentation generator publishes.
type Site struct {
	Root      string `json:"root" jsonschema:"Folder with the documents, below the project folder; . is the project folder."`
	Generator string `json:"generator,omitempty" jsonschema:"Ignored, with a note: documents are read without rules of a generator."`
	Language  string `json:"language,omitempty" jsonschema:"Code of the language, such as pt-br. The first site has the default language."`
	Version   string `json:"version,omitempty" jsonschema:"Name of the version, such as 3.5. The first site has the default version."`

	Line, Column int `json:"-"` // of the object in the file
}

// Index selects the documents of the capability index that clients get.
type Index struct {
	On     bool     `json:"-"`
	Expose []string `json:"expose,omitempty" jsonschema:"Which documents there are: summary, full, stats, elements. Default: all."`
	TTL    string   `json:"ttl,omitempty" jsonschema:"Greatest age of the statistics, such as 30s or 5m. Default: 5m."`
}

// IndexNames are the names of the documents of the capability index.
var IndexNames = []string{"summary", "full", "stats", "elements"}

// MaxAge returns TTL as a duration.
func (i Index) MaxAge() time.Duration {
	d, err := time.ParseDuration(i.TTL)
	if err != nil {
		return DefaultIndexTTL
	}
	return d
}

// DefaultIndexTTL is the default maximum age of the statistics of the capability index.
const DefaultIndexTTL = 5 * time.Minute

// Skills configures how skills are offered.
type Skills struct {
	AsPrompts bool `json:"asPrompts,omitempty" jsonschema:"Whether each skill is a prompt too. Default: false."`
}

// Search configures what a search looks through in addition to the documents.
type Search struct {
	Resources bool `json:"resources,omitzero" jsonschema:"Whether resources that are text, and prompts, are searched too. Default: true."`
	Captures  bool `json:"captures,omitempty" jsonschema:"Whether captured pages that all callers may see are searched too. Default: false."`
}

// Capture configures how agents capture web pages. Which servers may be contacted is the operator's
// decision, so it is not set here: somebody else may have written this file.
type Capture struct {
	On    bool   `json:"-"`
	Store string `json:"store,omitempty" jsonschema:"Where captures are kept: memory, or files in the folder captures of the project. Default: memory."`
	TTL   string `json:"ttl,omitempty" jsonschema:"How long a capture is kept, such as 90m or 24h; 0s: until the store is full. Default: 24h."`
}

// CaptureStores are the values of [Capture.Store]; the last is an alias of "files".
var CaptureStores = []string{"memory", "files", "filesystem"}

// MaxAge returns TTL as a duration, and whether there is one.
func (c Capture) MaxAge() (time.Duration, bool) {
	d, err := time.ParseDuration(c.TTL)
	return d, err == nil
}

// Tools selects the tools that clients get.
type Tools struct {
	Resources bool `json:"resources,omitempty" jsonschema:"Whether list_resources and read_resource mirror the resources. Default: true."`
	Connector bool `json:"connector,omitempty" jsonschema:"Whether there are the tools search and fetch, for connectors of ChatGPT. Default: false."`
}

// MaxInstructions is how many characters of [Config.Instructions] clients get.
const MaxInstructions = 2000

// CheckInstructions returns an error if the instructions are longer than [MaxInstructions].
func (c *Config) CheckInstructions() error {
	if n := utf8.RuneCountInString(c.Instructions); n > MaxInstructions {
		return fmt.Errorf("\"instructions\" has %d characters, may have %d: shorten it, and move the rest to a document", n, MaxInstructions)
	}
	return nil
}

// Limits bounds the cost of one request.
type Limits struct {
	MaxReadBytes  int `json:"maxReadBytes,omitempty" jsonschema:"Most bytes that one read returns, also of a folder. Default: 67108864 (64 MiB)."`
	MaxFrameBytes int `json:"maxFrameBytes,omitempty" jsonschema:"Most bytes of an answer to a read over stdio. Common clients break beyond the default: 10485760 (10 MiB)."`
	PageSize      int `json:"pageSize,omitempty" jsonschema:"Number of items in a page of a list. Default: 1000."`
}

// Default returns the configuration of a folder without this file. Its name is the name of the
// folder.
func Default(folder string) Config {
	name := strings.TrimSpace(folder)
	if name == "" || name == "." || name == "/" {
		name = "docs"
	}
	return Config{
		Name: name, Version: "0.0.0", Docs: "docs", Unmatched: "serve",
		Search: Search{Resources: true},
		Tools:  Tools{Resources: true},
		Limits: Limits{DefaultMaxReadBytes, DefaultMaxFrameBytes, DefaultPageSize},
	}
}

// Decode reads the file, which is in a folder with this name. If the problems contain an error (see
// [jsondoc.Problems.Err]), the configuration must not be used.
func Decode(file, folder string, data []byte) (Config, jsondoc.Problems) {
	c := Default(folder)
	v, problems := jsondoc.Parse(file, data)
	if problems.Err() != nil {
		return c, problems
	}
	o, ok := jsondoc.NewObject(file, "", v, &problems)
	if !ok {
		return c, problems
	}
	name := c.Name
	if c.NameGiven = o.String("name", &c.Name); c.Name == "" {
		c.Name = name
	}
	o.String("package", &c.Package)
	c.VersionGiven = o.String("version", &c.Version)
	c.decodeSites(o)
	if o.String("docs", &c.Docs) {
		c.DocsGiven = true
		if badFolder(c.Docs) {
			o.Errorf(o.Field("docs"), "docs is %q, %s", c.Docs, folderRule)
		}
		// the predecessor of this program reads the path this way
		c.SetDocs(path.Clean(strings.ReplaceAll(c.Docs, `\`, "/")))
	}
	o.Bool("docsResources", &c.DocsResources)
	o.Bool("deps", &c.Deps)
	if o.String("unmatched", &c.Unmatched) && c.Unmatched != "serve" && c.Unmatched != "hide" {
		o.Errorf(o.Field("unmatched"), "unmatched is %q, must be \"serve\" or \"hide\"", c.Unmatched)
	}
	c.decodePatterns(o)
	o.Bool("describe", &c.Describe)
	o.String("instructions", &c.Instructions)
	c.Index.decode(o)
	o.Object("skills", func(o *jsondoc.Object) { o.Bool("asPrompts", &c.Skills.AsPrompts) })
	o.Object("search", func(o *jsondoc.Object) {
		o.Bool("resources", &c.Search.Resources)
		o.Bool("captures", &c.Search.Captures)
	})
	c.Capture.decode(o)
	o.Object("tools", func(o *jsondoc.Object) {
		o.Bool("resources", &c.Tools.Resources)
		o.Bool("connector", &c.Tools.Connector)
	})
	o.Object("limits", func(o *jsondoc.Object) {
		o.Int("maxReadBytes", &c.Limits.MaxReadBytes, 1, maxBytes)
		o.Int("maxFrameBytes", &c.Limits.MaxFrameBytes, 1024, maxBytes)
		o.Int("pageSize", &c.Limits.PageSize, 1, maxPageSize)
	})
	o.Done()
	problems.Sort()
	return c, problems
}

// decodePatterns reads the keys docsExclude, include and exclude.
func (c *Config) decodePatterns(o *jsondoc.Object) {
	expanded := 0 // patterns without braces, in all three lists
	for _, globs := range []struct {
		name string
		dst  *[]string
	}{{"docsExclude", &c.DocsExclude}, {"include", &c.Include}, {"exclude", &c.Exclude}} {
		o.Strings(globs.name, globs.dst)
		if v := o.Field(globs.name); v == nil || v.Kind != jsondoc.KindArray {
			continue // its problem has been reported, or it does not exist
		}
		o.Array(globs.name, func(path string, v *jsondoc.Value) {
			pattern, ok := v.Text()
			if !ok || expanded > maxExpanded {
				return
			}
			g, err := glob.Parse(pattern)
			if err != nil {
				o.Errorf(v, "%s is %s, which is %v", path, jsondoc.Quote(pattern), err)
			} else if expanded += g.Len(); expanded > maxExpanded {
				o.Errorf(v, "%s is one pattern too many: include, exclude and docsExclude may have %d, counting each alternative in braces", path, maxExpanded)
			}
		})
	}
}

// SetDocs sets the folder with the documents. If it is the project folder itself, the project serves the documents of
// the sites in it.
func (c *Config) SetDocs(dir string) {
	c.Docs, c.DocsGiven = dir, true
	if dir == "." {
		c.Docs, c.DocsGiven = "docs", false
		if len(c.Sites) == 0 {
			c.Sites = []Site{{Root: "."}}
		}
	}
}

// maxSites bounds the key sites: a site in 50 languages and 50 versions has fewer.
const maxSites = 2000

// decodeSites reads the key sites.
func (c *Config) decodeSites(o *jsondoc.Object) {
	there := o.Array("sites", func(where string, v *jsondoc.Value) {
		if len(c.Sites) == maxSites {
			return
		}
		site := Site{Line: v.Line, Column: v.Column}
		if !o.Nested(where, v, func(o *jsondoc.Object) {
			if o.RequiredString("root", &site.Root) {
				if badFolder(site.Root) {
					o.Errorf(o.Field("root"), "%s is %q, %s", o.Path("root"), site.Root, folderRule)
				}
			}
			o.String("generator", &site.Generator)
			o.String("language", &site.Language)
			o.String("version", &site.Version)
		}) {
			return
		}
		site.Root = path.Clean(strings.ReplaceAll(site.Root, `\`, "/"))
		c.Sites = append(c.Sites, site)
	})
	if there && c.Sites == nil {
		c.Sites = []Site{} // nothing is looked for
	}
}

// decode reads the key index.
func (i *Index) decode(o *jsondoc.Object) {
	o.Switch("index", &i.On, func(o *jsondoc.Object) {
		if o.Strings("expose", &i.Expose) && len(i.Expose) == 0 {
			o.Errorf(o.Field("expose"), "index.expose is empty; write \"index\": false to turn the index off")
		}
		o.Array("expose", func(path string, v *jsondoc.Value) {
			if name, ok := v.Text(); ok && !slices.Contains(IndexNames, name) {
				o.Errorf(v, "%s is %s, must be one of %s", path, jsondoc.Quote(name), strings.Join(IndexNames, ", "))
			}
		})
		if o.String("ttl", &i.TTL) && !isDuration(i.TTL, maxIndexTTL) {
			o.Errorf(o.Field("ttl"), "index.ttl is %s, must be a duration of at most 24h, such as 30s or 5m", jsondoc.Quote(i.TTL))
		}
	})
}

// decode reads the key capture.
func (c *Capture) decode(o *jsondoc.Object) {
	o.Switch("capture", &c.On, func(o *jsondoc.Object) {
		if o.String("store", &c.Store) && !slices.Contains(CaptureStores, c.Store) {
			o.Errorf(o.Field("store"), "capture.store is %s, must be memory or files", jsondoc.Quote(c.Store))
		}
		if o.String("ttl", &c.TTL) && !isDuration(c.TTL, maxCaptureTTL) {
			o.Errorf(o.Field("ttl"), "capture.ttl is %s, must be a duration of at most a year, such as 90m or 24h", jsondoc.Quote(c.TTL))
		}
	})
}

// isDuration reports whether text is a duration in h, m, s and ms no longer than most.
func isDuration(text string, most time.Duration) bool {
	d, err := time.ParseDuration(text)
	return err == nil && 0 <= d && d <= most && strings.Trim(text, "0123456789.hms") == "" && text != "0"
}

// folderRule is what [badFolder] asks for. Somebody else may have written the file, and .git has more than documents.
const folderRule = "must be the path of a folder below the project folder; only --docs can choose a hidden one"

// badFolder reports whether a path is neither the project folder nor a folder below it, or is hidden.
func badFolder(p string) bool {
	p = strings.ReplaceAll(p, `\`, "/")
	return p == "" || p[0] == '/' || len(p) > 1 && p[1] == ':' || strings.ContainsRune(p, 0) ||
		slices.ContainsFunc(strings.Split(p, "/"), func(part string) bool { return part != "." && walk.Hidden(part) })
}

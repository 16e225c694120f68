package npm

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// An Origin is the package.json of a project. The name, the version and the technical keys of a
// package do not come from it: they follow from the project.
type Origin struct {
	info bundle.Info // the fields that every kind of release needs

	bugs, license, author, repository json.RawMessage // as the author wrote them
	publishConfig                     map[string]any
}

// publishKeys are the keys of publishConfig that go into a package, because the author decides how
// to publish. Keys for the registry of a scope, "@acme:registry", are copied too.
var publishKeys = []string{"access", "registry", "tag", "provenance"}

// ReadOrigin reads a package.json. file is its name in the problems. A required value of the wrong
// type is an error.
func ReadOrigin(file string, data []byte) (Origin, jsondoc.Problems) {
	v, problems := jsondoc.Parse(file, data)
	if problems.Err() != nil {
		return Origin{}, problems
	}
	o, ok := jsondoc.NewObject(file, "", v, &problems)
	if !ok {
		return Origin{}, problems
	}
	var origin Origin
	info := &origin.info
	o.String("description", &info.Description)
	o.String("homepage", &info.Homepage)
	o.String("mcpName", &info.ServerName)
	o.Strings("keywords", &info.Keywords)
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &raw); err != nil {
		problems = append(problems, jsondoc.Problem{File: file, Reason: err.Error()})
		return Origin{}, problems
	}
	maps.DeleteFunc(raw, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	origin.bugs, origin.license, origin.author, origin.repository = raw["bugs"], raw["license"], raw["author"], raw["repository"]
	info.License = word(raw["license"], "type")
	info.Author = strings.TrimSpace(address().ReplaceAllString(word(raw["author"], "name"), ""))
	info.Repository = gitURL(word(raw["repository"], "url"))
	info.Description = strings.Join(strings.Fields(info.Description), " ")
	if field := o.Field("publishConfig"); field != nil {
		if err := json.Unmarshal(raw["publishConfig"], &origin.publishConfig); err != nil {
			o.Errorf(field, "publishConfig must be an object")
		}
		maps.DeleteFunc(origin.publishConfig, func(key string, _ any) bool {
			return !slices.Contains(publishKeys, key) && !strings.HasSuffix(key, ":registry")
		})
	}
	return origin, problems
}

// Tag returns the tag that publishConfig sets, or "".
func (o Origin) Tag() string {
	tag, _ := o.publishConfig["tag"].(string)
	return tag
}

// Info returns the description of a project. The title, the package and the version come from the
// configuration.
func (o Origin) Info(title, name, version string) bundle.Info {
	info := o.info
	info.Title, info.Package, info.Version = title, name, version
	return info
}

// address matches the text that may follow the name of a person (npm docs, "package.json", people
// fields).
var address = lazyregexp.New(`\s*(<[^>]*>|\([^)]*\))`)

// word returns a value that is a string, or an object with the string under a key.
func word(raw json.RawMessage, key string) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	s, _ = fields[key].(string)
	return s
}

// shorthand matches the short form of a repository on a hosting service.
var shorthand = lazyregexp.New(`^(?:(github|gitlab|bitbucket):)?([A-Za-z0-9_-][A-Za-z0-9._-]*/[A-Za-z0-9._-]+)$`)

// gitURL returns the URL of a repository, with short forms expanded.
func gitURL(s string) string {
	m := shorthand().FindStringSubmatch(s)
	if m == nil {
		return s
	}
	host := map[string]string{"": "github.com", "github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}[m[1]]
	return "git+https://" + host + "/" + strings.TrimSuffix(m[2], ".git") + ".git"
}

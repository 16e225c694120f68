package webtools

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/net/http/httpguts"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Values of resultHandling.
const (
	SaveOnly      = "saveOnly"
	SaveAndReturn = "saveAndReturn"
	ReturnOnly    = "returnOnly"
)

const (
	maxActions     = 50
	maxSelectors   = 100
	maxHeaders     = 50
	maxHeaderBytes = 16 << 10
)

// countries matches upper-case country codes (ISO 3166-1 alpha-2), and languageTags codes of languages.
var (
	countries    = lazyregexp.New(`^[A-Z]{2}$`)
	languageTags = lazyregexp.New(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$`)
)

// otherScheme matches URLs such as mailto:a@b, but not localhost:3000.
var otherScheme = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+-]*:(?:$|[^0-9])`)

// parseURL reads the URL of a page or site. https:// may be missing.
func parseURL(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return nil, errors.New("is empty")
	case !utf8.ValidString(s), strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return nil, errors.New("is not a URL: it has control characters")
	}
	if !strings.Contains(s, "://") && !otherScheme().MatchString(s) {
		s = "https://" + strings.TrimPrefix(s, "//")
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("is not a URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("has the scheme %q, must have http or https", excerpt.Cut(u.Scheme, 60))
	}
	if u.Hostname() == "" {
		return nil, errors.New("has no host")
	}
	return u, nil
}

// address reads the argument url, and returns its canonical spelling; nil: it is wrong.
func address(wrong *tools.Wrong, s string, canonical func(*url.URL) (*url.URL, error)) *url.URL {
	if s == "" && wrong.Err() != nil { // it is missing
		return nil
	}
	u, err := parseURL(s)
	if err == nil {
		u, err = canonical(u)
	}
	if err != nil {
		wrong.Add("url", "%v", err)
		return nil
	}
	return u
}

// siteURL cleans the URL of a site as a crawl does.
func siteURL(u *url.URL) (*url.URL, error) { return crawl.Clean(u, false) }

// reserved are the header fields that only the program sets, or that concern the connection.
var reserved = []string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Keep-Alive", "Accept-Encoding", "User-Agent", "Expect",
	"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range",
}

// headers reads the header fields for the host of a URL; nil: none.
func headers(wrong *tools.Wrong, name string, given map[string]string) http.Header {
	if len(given) == 0 {
		return nil
	}
	header, size := make(http.Header), 0
	for _, field := range slices.Sorted(maps.Keys(given)) {
		canonical, v := http.CanonicalHeaderKey(field), strings.TrimSpace(given[field])
		size += len(field) + len(v)
		switch {
		case !httpguts.ValidHeaderFieldName(field):
			wrong.Add(name, "%q is not a valid name of a header", excerpt.Cut(field, 60))
		case !httpguts.ValidHeaderFieldValue(v):
			wrong.Add(name+"."+canonical, "has a character that is not allowed in headers")
		case slices.Contains(reserved, canonical), strings.HasPrefix(canonical, "Proxy-"):
			wrong.Add(name+"."+canonical, "is set by the server")
		case header[canonical] != nil:
			wrong.Add(name+"."+canonical, "is given twice")
		default:
			header[canonical] = []string{v}
		}
	}
	if len(given) > maxHeaders || size > maxHeaderBytes {
		wrong.Add(name, "must be at most %d, with at most %d bytes together", maxHeaders, maxHeaderBytes)
	}
	return header
}

// each checks the values of a list, of which there may be a number.
func each[T any](wrong *tools.Wrong, name string, list []T, most int, check func(T) error) {
	if len(list) > most {
		wrong.Add(name, "has %d values, must have at most %d", len(list), most)
		return
	}
	for i, v := range list {
		if err := check(v); err != nil {
			wrong.Add(fmt.Sprintf("%s[%d]", name, i), "%v", err)
		}
	}
}

// choice reads the arguments onlyMainContent, includeTags and excludeTags. prefix is the name of the object that has them.
func choice(wrong *tools.Wrong, prefix string, onlyMain bool, include, exclude []string) webpage.Choice {
	check := func(selector string) error {
		_, err := webpage.ParseSelector(selector)
		return err
	}
	each(wrong, prefix+"includeTags", include, maxSelectors, check)
	each(wrong, prefix+"excludeTags", exclude, maxSelectors, check)
	return webpage.Choice{Whole: !onlyMain, Include: include, Exclude: exclude}
}

// A Schema is the JSON Schema of the arguments of a tool, which are the fields of a struct, and their defaults.
type Schema struct {
	tools.Schema
	defaults json.RawMessage
}

// SchemaOf returns the schema of the fields of T that have a name for JSON. The tag doc of a field is its description. The
// tag schema has keywords separated by spaces: required, minimum=1, maximum=5, default=3, and enum=a|b for a text or the items
// of a list. The arguments without are left out.
func SchemaOf[T any](without ...string) *Schema {
	defaults := make(map[string]any)
	o := object(reflect.TypeFor[T](), defaults)
	for _, name := range without {
		delete(o.Properties, name)
	}
	text, err := json.Marshal(o)
	values, failure := json.Marshal(defaults)
	if err != nil || failure != nil {
		panic("the tags of a tool are wrong")
	}
	return &Schema{Schema: tools.Schema{Text: string(text)}, defaults: values}
}

// Read sets the defaults, and then reads the arguments of a call into dst; see [tools.Schema.Read].
func (s *Schema) Read(raw json.RawMessage, dst any) *tools.Wrong {
	_ = json.Unmarshal(s.defaults, dst) // made of the fields of dst
	return s.Schema.Read(raw, dst)
}

// object returns the schema of a struct, and adds the defaults of its fields.
func object(t reflect.Type, defaults map[string]any) *jsonschema.Schema {
	o := &jsonschema.Schema{Type: "object", Properties: make(map[string]*jsonschema.Schema)}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		inner := make(map[string]any)
		p := property(f.Type, inner)
		if len(inner) > 0 && f.Type.Kind() != reflect.Pointer { // otherwise its absence has a meaning
			defaults[name] = inner
		}
		p.Description = f.Tag.Get("doc")
		for keyword := range strings.FieldsSeq(f.Tag.Get("schema")) {
			key, value, _ := strings.Cut(keyword, "=")
			number, _ := strconv.ParseFloat(value, 64)
			switch key {
			case "required":
				o.Required = append(o.Required, name)
			case "minimum":
				p.Minimum = &number
			case "maximum":
				p.Maximum = &number
			case "enum":
				target := p
				if p.Items != nil {
					target = p.Items
				}
				for choice := range strings.SplitSeq(value, "|") {
					target.Enum = append(target.Enum, choice)
				}
			case "default":
				if p.Type == "string" {
					value = strconv.Quote(value)
				}
				p.Default = json.RawMessage(value)
				defaults[name] = p.Default
			}
		}
		o.Properties[name] = p
		o.PropertyOrder = append(o.PropertyOrder, name)
	}
	return o
}

// property returns the schema of a type.
func property(t reflect.Type, defaults map[string]any) *jsonschema.Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return property(t.Elem(), defaults)
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: property(t.Elem(), nil)}
	case reflect.Struct:
		return object(t, defaults)
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: property(t.Elem(), make(map[string]any))}
	}
	return &jsonschema.Schema{Type: "string"}
}

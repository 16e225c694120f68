package site

import (
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A description of an API, OpenAPI or Swagger, is a document: its headings are the operations.
//
// A description may refer to other files. Aliases of YAML are not copied, references are followed to a depth, and what is looked
// at and written is bounded, so that a small text cannot become a large document.

const (
	// maxOpenAPI is the number of bytes of a description, with all files that it refers to.
	maxOpenAPI      = 4 << 20
	maxOut          = 4 << 20
	maxSteps        = 20_000_000
	maxDepth        = 12 // of references and nested properties
	maxOpenAPIFiles = 100
	maxNodes        = 600_000 // of a description with its files: 400 bytes each
)

var reading sync.Mutex // bounds memory

// DescribesAPI reports whether a text begins as a description of an API: a key at the top is "openapi" or "swagger".
func DescribesAPI(head string) bool {
	return (strings.Contains(head, "openapi") || strings.Contains(head, "swagger")) &&
		compile(`(?m)(?:\A\x{feff}?[{\s]{0,100}["']?|^)(?:openapi|swagger)["']?\s{0,9}:\s{0,9}["']?[23][."'\s]`).MatchString(head)
}

// OpenAPITitle returns the title in the beginning of a description, without reading all of it.
func OpenAPITitle(head string) (title string) {
	value := compile(`title["']?\s{0,9}:\s{0,9}("(?:[^"\\\n]|\\.){0,1000}"|[^"}\n][^}\n]{0,1000})`).FindStringSubmatch(head[:min(len(head), 16<<10)])
	if value != nil && yaml.Unmarshal([]byte(value[1]), &title) != nil {
		title, _, _ = strings.Cut(value[1], ",") // of a mapping in braces
	}
	return excerpt.Cut(excerpt.OneLine(title), 200)
}

// A apiReader is the state of [OpenAPIMarkdown].
type apiReader struct {
	load  func(file string) (text string, ok bool)
	files map[string]*yaml.Node
	size  int // that may still be read
	nodes int // that may still be made
	steps int
	out   strings.Builder
}

// A node is a value with the file that it stands in.
type node struct {
	*yaml.Node
	file string
}

// OpenAPIMarkdown returns a description as a document. load returns the text of another file, of which the name is
// relative to the description, and has "/" between its parts. It is false for a text that cannot be read as a description.
func OpenAPIMarkdown(text string, load func(file string) (text string, ok bool)) (document string, ok bool) {
	r := &apiReader{load: load, files: make(map[string]*yaml.Node), size: maxOpenAPI, nodes: maxNodes, steps: maxSteps}
	reading.Lock()
	defer reading.Unlock()
	root := node{r.parse(text), "."}
	r.files["."] = root.Node
	if root.Node == nil || root.Kind != yaml.MappingNode {
		return "", false
	}
	info := r.get(root, "info")
	r.write("# "+excerpt.Cut(excerpt.OneLine(r.text(info, "title")), 200)+"\n\n", r.described(info, 1), paragraph("Version: ", r.text(info, "version")))
	for _, server := range r.children(r.get(root, "servers")) {
		r.write("- " + excerpt.OneLine(r.text(server, "url")+" "+r.text(server, "description")) + "\n")
	}
	for _, paths := range []string{"paths", "webhooks"} {
		for route, item := range r.children(r.get(root, paths)) {
			r.item(route, item)
		}
	}
	for _, schemas := range []node{r.get(r.get(root, "components"), "schemas"), r.get(root, "definitions")} {
		for name, schema := range r.children(schemas) {
			r.write("\n## " + excerpt.OneLine(name) + "\n\n" + r.described(schema, 2))
			r.properties(schema, "", 0)
		}
	}
	return r.out.String(), true
}

// parse returns the root of a text, or nil.
func (r *apiReader) parse(text string) *yaml.Node {
	if r.size -= len(text); r.size < 0 {
		return nil
	}
	if r.nodes -= max(2*strings.Count(text, ":"), strings.Count(text, ",")) + strings.Count(text, "- ") + strings.Count(text, "-\n"); r.nodes < 0 {
		return nil
	}
	var root yaml.Node
	loader, err := yaml.NewLoader(strings.NewReader(text), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(100))))
	if err != nil || loader.Load(&root) != nil || len(root.Content) == 0 {
		return nil
	}
	return root.Content[0]
}

func (r *apiReader) write(texts ...string) {
	for _, text := range texts {
		if r.out.Len()+len(text) <= maxOut {
			r.out.WriteString(text)
		}
	}
}

// find returns the value of a key, or a node without a value.
func (r *apiReader) find(n node, key string) node {
	if n.Node != nil && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content) && r.steps > 0; i += 2 {
			if r.steps--; n.Content[i].Value == key {
				return node{n.Content[i+1], n.file}
			}
		}
	}
	return node{}
}

// get is find with aliases and references followed.
func (r *apiReader) get(n node, key string) node { return r.follow(r.find(n, key)) }

// follow follows aliases and references.
func (r *apiReader) follow(n node) node {
	for range maxDepth {
		if n.Node != nil && n.Kind == yaml.AliasNode {
			n.Node = n.Alias
			continue
		}
		ref := r.find(n, "$ref")
		if ref.Node == nil || ref.Kind != yaml.ScalarNode {
			return n
		}
		n = r.target(n.file, ref.Value)
	}
	return node{}
}

// target returns what a reference in a file leads to.
func (r *apiReader) target(from, ref string) node {
	file, pointer, _ := strings.Cut(ref, "#")
	n := node{file: from}
	if file != "" {
		n.file = path.Join(path.Dir(from), file)
	}
	root, known := r.files[n.file]
	if !known && len(r.files) < maxOpenAPIFiles && !strings.Contains(file, "://") {
		if text, ok := r.load(n.file); ok {
			root = r.parse(text)
		}
		r.files[n.file] = root
	}
	n.Node = root
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part != "" {
			n = r.find(n, unescaper.Replace(part))
		}
	}
	return n
}

var unescaper = strings.NewReplacer("~1", "/", "~0", "~", "%7B", "{", "%7D", "}")

// children yields the values in a mapping, with their keys, or in a list.
func (r *apiReader) children(n node) iter.Seq2[string, node] {
	return func(yield func(string, node) bool) {
		if n.Node == nil || n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
			return
		}
		width := 1
		if n.Kind == yaml.MappingNode {
			width = 2
		}
		for i := 0; i+width <= len(n.Content) && r.steps > 0; i += width {
			if r.steps--; !yield(n.Content[i].Value, r.follow(node{n.Content[i+width-1], n.file})) {
				return
			}
		}
	}
}

// text returns the text of a key, or "".
func (r *apiReader) text(n node, key string) string {
	if v := r.get(n, key); v.Node != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

// paragraph returns a text that is not empty on a line of its own.
func paragraph(label, text string) string {
	if text == "" {
		return ""
	}
	return label + excerpt.OneLine(text) + "\n\n"
}

// described returns a description, with headings below a level, and an empty line after it.
func (r *apiReader) described(n node, level int) string {
	text := strings.TrimSpace(r.text(n, "description"))
	if text == "" {
		return ""
	}
	var b strings.Builder
	var fence directive.Fence
	for line := range strings.Lines(text + "\n") {
		if !fence.Read(strings.TrimLeft(line, " \t")) && strings.HasPrefix(line, "#") {
			line = strings.Repeat("#", level) + line
		}
		b.WriteString(line)
	}
	return b.String() + "\n"
}

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// item writes the operations of a path.
func (r *apiReader) item(route string, item node) {
	for method, operation := range r.children(item) {
		if !slices.Contains(methods, method) {
			continue
		}
		r.write("\n## " + strings.ToUpper(method) + " " + excerpt.OneLine(route) + "\n\n")
		r.write(paragraph("", r.text(operation, "summary")), r.described(operation, 2), paragraph("Operation: ", r.text(operation, "operationId")))
		if r.text(operation, "deprecated") == "true" {
			r.write("Deprecated.\n\n")
		}
		for _, of := range []node{item, operation} {
			for _, p := range r.children(r.get(of, "parameters")) {
				r.line("", r.text(p, "name"), p, "in "+r.text(p, "in"), r.text(p, "required") == "true")
				r.properties(r.get(p, "schema"), "  ", 1)
			}
		}
		if body := r.get(operation, "requestBody"); body.Node != nil {
			r.write("\nRequest body:\n\n", r.described(body, 2))
			r.contents(body)
		}
		r.write("\nResponses:\n\n")
		for status, response := range r.children(r.get(operation, "responses")) {
			r.write("- `" + excerpt.OneLine(status) + "`: " + excerpt.OneLine(r.text(response, "description")) + "\n")
			r.properties(r.get(response, "schema"), "  ", 1)
			r.contents(response)
		}
	}
}

// contents writes the schemas of a body.
func (r *apiReader) contents(n node) {
	for kind, content := range r.children(r.get(n, "content")) {
		r.write("  - " + excerpt.OneLine(kind) + "\n")
		r.properties(r.get(content, "schema"), "    ", 1)
	}
}

// properties writes the properties of a schema.
func (r *apiReader) properties(n node, indent string, depth int) {
	if n.Node == nil || depth > maxDepth/3 {
		return
	}
	for _, key := range []string{"allOf", "oneOf", "anyOf"} {
		for _, part := range r.children(r.get(n, key)) {
			r.properties(part, indent, depth+1)
		}
	}
	r.properties(r.get(n, "items"), indent, depth+1)
	var required []string
	for name := range r.children(r.get(n, "required")) {
		required = append(required, name)
	}
	for name, property := range r.children(r.get(n, "properties")) {
		r.line(indent, name, property, "", len(required) < 1000 && slices.Contains(required, name))
		r.properties(property, indent+"  ", depth+1)
	}
}

// line writes a parameter or a property.
func (r *apiReader) line(indent, name string, n node, in string, required bool) {
	schema := n
	if s := r.get(n, "schema"); s.Node != nil {
		schema = s
	}
	details := []string{in, r.text(schema, "type"), r.text(schema, "format")}
	if required {
		details = append(details, "required")
	}
	if value := r.text(schema, "default"); value != "" {
		details = append(details, "default "+value)
	}
	var values []string
	for value := range r.children(r.get(schema, "enum")) {
		values = append(values, value)
	}
	if len(values) > 0 {
		details = append(details, "one of "+strings.Join(values, ", "))
	}
	line := "- `" + name + "`"
	if details = slices.DeleteFunc(details, func(detail string) bool { return detail == "" }); len(details) > 0 {
		line += " (" + strings.Join(details, ", ") + ")"
	}
	if text := r.text(n, "description"); text != "" {
		line += ": " + text
	}
	r.write(indent + excerpt.Cut(excerpt.OneLine(line), 2000) + "\n")
}

// maxLooked is the number of files of a project that are opened because they may describe an API, besides those with such a name.
const maxLooked = 2000

// describesAPI reports whether a file that the walk found is a description of an API, by its first bytes, which nobody else gets.
func (w *walked) describesAPI(file string) bool {
	if w.looked++; w.looked > maxLooked && !strings.Contains(strings.ToLower(file), "openapi") && !strings.Contains(strings.ToLower(file), "swagger") {
		return false
	}
	head, _ := rootfs.ReadFile(w.fsys, file, 1<<10)
	return DescribesAPI(string(head))
}

// apiText returns the description of an API as a document. A text that is none is code.
func (s *Set) apiText(p *Page, text string) string {
	load := func(file string) (string, bool) {
		real, ok := s.docs.Named("", join(path.Dir(p.File), file))
		if !ok {
			return "", false
		}
		s.visit(path.Dir(real))
		data, err := readAtMost(s.docs, real, maxOpenAPI)
		return string(data), err == nil
	}
	if len(text) <= maxOpenAPI {
		if document, ok := OpenAPIMarkdown(text, load); ok {
			return document
		}
	}
	return excerpt.Fenced(text, strings.TrimPrefix(path.Ext(p.File), "."))
}

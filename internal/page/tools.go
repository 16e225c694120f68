package page

import (
	"cmp"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

type listPage struct {
	frame
	Items []listItem
}

type listItem struct{ Name, Href, Title, Description string }

// A field is a field of a form.
type field struct {
	Name, Label string
	About       help
	Kind        string // text, area, number, list, bool, choice
	Required    bool
	Choices     []string
	Value       string
}

// A formPage shows a tool or prompt with its form and the answer.
type formPage struct {
	frame
	Name           string
	About          help
	Fields         []field
	Action, Button string

	Asked    bool
	Failed   bool
	Error    string
	Request  template.HTML // JSON, highlighted
	Response template.HTML
	Blocks   []block
}

// maxHelp is how many bytes of a description are shown unfolded if it has several sentences.
const maxHelp = 200

// A help is the description of a form or field. A long one has its first sentence in Short.
type help struct{ Short, Rest string }

func helpOf(description string) help {
	description = strings.TrimSpace(description)
	end := strings.IndexByte(description, '\n')
	if end < 0 && len(description) <= maxHelp {
		return help{Short: description}
	}
	if i := strings.Index(description, ". "); i >= 0 && (end < 0 || i < end) {
		end = i + 1
	}
	if end < 0 {
		return help{Short: description}
	}
	return help{description[:end], strings.TrimSpace(description[end:])}
}

// First returns the fields that are always shown: those that are required, or else the first two.
func (p formPage) First() []field { return p.Fields[:p.first()] }

// Further returns the fields that are folded.
func (p formPage) Further() []field { return p.Fields[p.first():] }

func (p formPage) first() int {
	n := slices.IndexFunc(p.Fields, func(f field) bool { return !f.Required })
	if n == 0 {
		n = 2
	}
	if n < 0 || len(p.Fields)-n <= 2 { // too few to fold
		return len(p.Fields)
	}
	return n
}

// Filled reports whether one of the folded fields has a value.
func (p formPage) Filled() bool {
	return slices.ContainsFunc(p.Further(), func(f field) bool { return f.Value != "" })
}

// A block is a part of an answer.
type block struct {
	Role  string // the speaker, if another than in the block before
	Body  body   // the rendered text
	URI   string // of an embedded resource
	Href  string // the page of that resource
	Image template.URL
	Note  string
}

// tools lists the tools, or shows one with its form.
func (q *request) tools(rest string) {
	if rest == "" {
		if _, err := q.call("tools/list", struct{}{}); err != nil {
			q.failed(err)
			return
		}
		page := listPage{frame: q.frame("Tools", "tools")}
		for _, t := range q.site.Server.Tools() {
			page.Items = append(page.Items, listItem{t.Name, q.toolHref(t), t.Title, t.Description})
		}
		q.show("list", page)
		return
	}
	name := unescape(rest)
	all := q.site.Server.Tools()
	i := slices.IndexFunc(all, func(t tools.Tool) bool { return t.Name == name })
	if i < 0 {
		var names []string
		for _, t := range all {
			names = append(names, t.Name)
		}
		q.noName("tool", name, names)
		return
	}
	tool := all[i]
	page := formPage{frame: q.frame(tool.Name, "tools"), Name: tool.Name, About: helpOf(tool.Description), Action: q.toolHref(tool), Button: "Call the tool"}
	page.Crumbs = []link{{"Tools", q.base + "/tools"}}
	page.Fields = fieldsOf(tool.Schema)
	if q.r.Method == http.MethodPost && q.readForm() {
		arguments := make(map[string]any)
		for i := range page.Fields {
			if problem := page.Fields[i].read(q.r, arguments); problem != "" {
				page.Asked, page.Failed, page.Error = true, true, problem
			}
		}
		if page.Error == "" {
			q.ask(&page, "tools/call", map[string]any{"name": tool.Name, "arguments": arguments})
		}
	}
	q.show("form", page)
}

// readForm reads the form of a request.
func (q *request) readForm() bool {
	q.r.Body = http.MaxBytesReader(q.w, q.r.Body, maxForm)
	return q.r.ParseForm() == nil
}

// ask makes a call and puts its answer on the page.
func (q *request) ask(page *formPage, method string, params map[string]any) {
	page.Asked = true
	page.Request = messageHTML(map[string]any{"method": method, "params": params})
	result, err := q.call(method, params)
	if err != nil {
		page.Failed, page.Error = true, explainError(err)
		page.Response = messageHTML(map[string]any{"error": map[string]any{"message": explainError(err)}})
		return
	}
	page.Response = messageHTML(map[string]any{"result": result})
	var answer struct {
		IsError  bool      `json:"isError"`
		Content  []content `json:"content"`
		Messages []struct {
			Role    string  `json:"role"`
			Content content `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return
	}
	page.Failed = answer.IsError
	r := &richness{request: q, bytes: maxRich, until: time.Now().Add(richTime)}
	for _, c := range answer.Content {
		page.Blocks = append(page.Blocks, r.block(c))
	}
	role := ""
	for _, m := range answer.Messages {
		b := r.message(m.Content)
		if m.Role != role {
			b.Role, role = m.Role, m.Role
		}
		page.Blocks = append(page.Blocks, b)
	}
}

// messageHTML returns a JSON-RPC message with these members, highlighted.
func messageHTML(members map[string]any) template.HTML {
	members["jsonrpc"], members["id"] = "2.0", 1
	text, _ := jsonwire.EncodeFile(members) // all members can be encoded
	return highlight("json", shownText(string(text)))
}

// fieldsOf returns the fields for the schema of arguments, in its order but required ones first.
func fieldsOf(schema json.RawMessage) []field {
	var s struct {
		Required   []string        `json:"required"`
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var properties map[string]struct {
		Type        string   `json:"type"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Enum        []string `json:"enum"`
	}
	if json.Unmarshal(s.Properties, &properties) != nil {
		return nil
	}
	var fields []field
	for name, p := range properties {
		f := field{Name: name, Label: name, About: helpOf(p.Description), Kind: "text", Required: slices.Contains(s.Required, name), Choices: p.Enum}
		switch {
		case len(p.Enum) > 0:
			f.Kind = "choice"
		case p.Type == "integer", p.Type == "number":
			f.Kind = "number"
		case p.Type == "array":
			f.Kind = "list"
		case p.Type == "boolean":
			f.Kind = "bool"
		}
		fields = append(fields, f)
	}
	var order []string
	jsonwire.Members(s.Properties, func(key string, _ []byte) { order = append(order, key) })
	rank := func(f field) int { // numbers, such as offsets and limits, come last
		switch {
		case f.Required:
			return 0
		case f.Kind == "number":
			return 2
		}
		return 1
	}
	slices.SortFunc(fields, func(a, b field) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name)))
	})
	return fields
}

// read adds the value of a field in a form to the arguments. An empty value is left out.
func (f *field) read(r *http.Request, arguments map[string]any) (problem string) {
	f.Value = r.PostForm.Get("arg." + f.Name)
	if strings.TrimSpace(f.Value) == "" {
		return ""
	}
	switch f.Kind {
	case "number":
		n, err := strconv.Atoi(strings.TrimSpace(f.Value))
		if err != nil {
			return f.Name + " must be a whole number"
		}
		arguments[f.Name] = n
	case "list":
		var list []string
		for line := range strings.Lines(f.Value) {
			if line = strings.TrimSpace(line); line != "" {
				list = append(list, line)
			}
		}
		arguments[f.Name] = list
	case "bool":
		arguments[f.Name] = f.Value == "true"
	default:
		arguments[f.Name] = f.Value
	}
	return ""
}

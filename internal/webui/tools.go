package webui

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

type listPage struct {
	frame
	Items []item
}

// A field is a field of a form.
type field struct {
	Name, Label string
	About       help
	Kind        string // text, area, number, list, bool, choice
	Required    bool
	Choices     []string
	Value       string
	Default     string // "": unknown
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
	Tokens   int
	Took     time.Duration
	Request  template.HTML
	Response template.HTML
	Blocks   []block
}

// Open reports whether one of the fields that are folded, after the first two, is required or has a value.
func (p formPage) Open() bool {
	return slices.ContainsFunc(p.Fields[min(2, len(p.Fields)):], func(f field) bool { return f.Required || f.Value != "" })
}

// A help is the description of a form or field. A long one has its first line in Short.
type help struct{ Short, Rest string }

func helpOf(description string) help {
	short, rest, _ := strings.Cut(strings.TrimSpace(description), "\n")
	return help{short, strings.TrimSpace(rest)}
}

// maxImage is how large an image may be: its Base64 text has 2 MiB.
const maxImage = 3 << 19

// A block is a part of an answer. Its text stands as a model gets it.
type block struct {
	Role  string // if it changes
	Text  string
	Cut   bool
	URI   string
	Href  string
	Image template.URL
	Note  string
}

// An offer is a tool or a prompt. Its section is "tools" or "prompts".
type offer struct {
	name, heading, title, description string
	fields                            func() []field
}

// offers returns the tools or the prompts.
func (q *request) offers(section string) (all []offer) {
	if section == "tools" {
		for _, t := range q.site.Server.Tools() {
			all = append(all, offer{t.Name, t.Name, t.Title, t.Description, func() []field { return fieldsOf(t.Schema) }})
		}
		return all
	}
	for _, p := range q.site.Server.State().Prompts.Prompts() {
		all = append(all, offer{p.Name, cmp.Or(p.Title, p.Name), p.Title, p.Description, func() []field { return fieldsOfPrompt(p) }})
	}
	return all
}

func (q *request) offerHref(section, name string) string {
	return q.base + "/" + section + "/" + url.PathEscape(name)
}

// showOffers lists the tools or the prompts, or shows one with its form and its answer.
func (q *request) showOffers(section, title, method, button, rest string) {
	// The call waits until they are read.
	if _, err := q.call(section+"/list", struct{}{}); err != nil {
		q.failed(err)
		return
	}
	all := q.offers(section)
	if rest == "" {
		page := listPage{frame: q.frame(title, section)}
		for _, o := range all {
			page.Items = append(page.Items, item{Name: o.name, Href: q.offerHref(section, o.name), Title: o.title, Description: o.description})
		}
		q.show("list", page)
		return
	}
	name := uri.Decode(rest)
	i := slices.IndexFunc(all, func(o offer) bool { return o.name == name })
	if i < 0 {
		var names []string
		for _, o := range all {
			names = append(names, o.name)
		}
		var near []link
		for _, n := range nearest.Of(name, names, maxNear) {
			near = append(near, link{n, q.offerHref(section, n)})
		}
		q.missing("There is no "+strings.TrimSuffix(section, "s")+" "+shown(name)+".", near...)
		return
	}
	page := formPage{frame: q.frame(all[i].heading, section), Name: name, About: helpOf(all[i].description), Fields: all[i].fields(), Action: q.offerHref(section, name), Button: button}
	page.Crumbs = []link{{title, q.base + "/" + section}}
	q.r.Body = http.MaxBytesReader(q.w, q.r.Body, maxForm)
	if q.r.Method == http.MethodPost && q.r.ParseForm() == nil {
		arguments := make(map[string]any)
		for i := range page.Fields {
			if problem := page.Fields[i].read(q.r, arguments); problem != "" {
				page.Asked, page.Failed, page.Error = true, true, problem
			}
		}
		if page.Error == "" {
			q.ask(&page, method, map[string]any{"name": name, "arguments": arguments})
		}
	}
	q.show("form", page)
}

// templates lists the templates.
func (q *request) templates() {
	all, err := q.everything()
	if err == nil {
		_, err = q.call("resources/templates/list", struct{}{}) // counts in limits
	}
	if err != nil {
		q.failed(err)
		return
	}
	page := listPage{frame: q.frame("Templates", "templates")}
	entries := all.Templates()
	for _, e := range entries[:min(len(entries), maxTemplates)] {
		listed := item{Name: e.Template.String(), Title: cmp.Or(e.Title, e.Name), Description: e.Description}
		literal, _, _ := strings.Cut(listed.Name, "{")
		if f, ok := all.Folder(literal[:strings.LastIndexByte(literal, '/')+1]); ok {
			listed.Href = q.folderHref(f.URI)
		}
		page.Items = append(page.Items, listed)
	}
	q.show("list", page)
}

// maxTemplates is how many templates the page lists.
const maxTemplates = 250

// fieldsOfPrompt returns the fields for the arguments of a prompt.
func fieldsOfPrompt(p *prompts.Prompt) (fields []field) {
	for _, a := range p.Arguments {
		f := field{Name: a.Name, Label: cmp.Or(a.Title, a.Name), About: helpOf(a.Description), Required: a.Required, Kind: "area"}
		if values, ok := p.Complete(a.Name, ""); ok && len(values) > 0 {
			f.Kind, f.Choices = "choice", values
		}
		fields = append(fields, f)
	}
	return fields
}

// ask makes a call and puts its answer on the page.
func (q *request) ask(page *formPage, method string, params map[string]any) {
	page.Asked = true
	page.Request = q.messageHTML(map[string]any{"method": method, "params": params})
	began := time.Now()
	result, err := q.call(method, params)
	page.Took = time.Since(began)
	if err != nil {
		page.Failed, page.Error = true, explainError(err)
		page.Response = q.messageHTML(map[string]any{"error": map[string]any{"message": explainError(err)}})
		return
	}
	page.Response = q.messageHTML(map[string]any{"result": result})
	var answer struct {
		IsError  bool             `json:"isError"`
		Content  []protocol.Block `json:"content"`
		Messages []struct {
			Role    string         `json:"role"`
			Content protocol.Block `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return
	}
	page.Failed = answer.IsError
	role := ""
	add := func(speaker string, c protocol.Block) {
		b, text := q.block(c)
		page.Tokens += tokens.Estimate(text)
		if speaker != role {
			b.Role, role = speaker, speaker
		}
		page.Blocks = append(page.Blocks, b)
	}
	for _, c := range answer.Content {
		add("", c)
	}
	for _, m := range answer.Messages {
		add(m.Role, m.Content)
	}
}

// messageHTML returns a JSON-RPC message with these members, highlighted.
func (q *request) messageHTML(members map[string]any) template.HTML {
	members["jsonrpc"], members["id"] = "2.0", 1
	text, _ := jsonwire.EncodeFile(members)
	return highlight(q.ctx, "json", shownText(string(text)))
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
	var required, optional []field
	jsonwire.Members(s.Properties, func(name string, value []byte) {
		var p struct {
			Type        string   `json:"type"`
			Description string   `json:"description"`
			Enum        []string `json:"enum"`
			Default     any      `json:"default"`
		}
		_ = json.Unmarshal(value, &p)
		f := field{Name: name, Label: name, About: helpOf(p.Description), Kind: "text", Required: slices.Contains(s.Required, name), Choices: p.Enum}
		if p.Default != nil {
			f.Default = fmt.Sprintf("default: %v", p.Default)
		}
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
		if f.Required {
			required = append(required, f)
		} else {
			optional = append(optional, f)
		}
	})
	return append(required, optional...)
}

// read adds the value of a field in a form to the arguments. An empty value is left out.
func (f *field) read(r *http.Request, arguments map[string]any) (problem string) {
	f.Value = strings.ReplaceAll(r.PostForm.Get("arg."+f.Name), "\r\n", "\n")
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

// block returns a content in the form for the template, and its text.
func (q *request) block(c protocol.Block) (b block, text string) {
	text, mime, data := c.Text, c.MIMEType, c.Data
	b.URI, b.Note = c.URI, c.Name
	if c.Resource != nil {
		b.URI, mime, data = c.Resource.URI, c.Resource.MIMEType, c.Resource.Blob
		if c.Resource.Text != nil {
			text = *c.Resource.Text
		}
	}
	switch {
	case len(data) > 0:
		b.Image, b.Note = imageOf(mime, data)
	case c.Resource != nil && text == "":
		b.Note = "an empty file, " + mime
	}
	if b.URI != "" {
		b.Href = q.base + resourcePath("/r/", b.URI)
	}
	b.Text = shownText(text)
	b.Cut = len(b.Text) < len(text)
	return b, text
}

// imageOf returns a description of an image, and its URL if browsers show the type and it is not too
// large.
func imageOf(mime string, data []byte) (template.URL, string) {
	note := mime + ", " + sizeText(int64(len(data)))
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if len(data) <= maxImage {
			return template.URL("data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data)), note
		}
	}
	return "", note
}

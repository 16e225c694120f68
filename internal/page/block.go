package page

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"strings"
	"time"
)

const (
	// maxRich is how many bytes of an answer are rendered, and richTime how long that may take. The
	// rest is shown as plain text.
	maxRich  = 1 << 20
	richTime = 3 * time.Second
	// maxImage is how large the Base64 text of an image may be.
	maxImage = 2 << 20
)

// A content is the part of a content block of MCP that is shown.
type content struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	MIMEType string `json:"mimeType"`
	Data     string `json:"data"`
	URI      string `json:"uri"`  // of a link
	Name     string `json:"name"` // of a link
	Resource *struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Blob     string `json:"blob"`
	} `json:"resource"`
}

// A richness is the budget for rendering one answer.
type richness struct {
	*request
	bytes int
	until time.Time
}

// block returns a content in the form for the template.
func (r *richness) block(c content) block {
	switch {
	case c.Resource != nil:
		b := block{URI: c.Resource.URI, Href: r.base + resourcePath("/r/", c.Resource.URI)}
		switch {
		case c.Resource.Text != "":
			b.Body = r.body(c.Resource.Text, c.Resource.MIMEType, c.Resource.URI)
		case c.Resource.Blob != "":
			b.Image, b.Note = r.image(c.Resource.MIMEType, c.Resource.Blob)
		default:
			b.Note = "an empty file, " + c.Resource.MIMEType
		}
		return b
	case c.Type == "resource_link":
		return block{URI: c.URI, Href: r.base + resourcePath("/r/", c.URI), Note: c.Name}
	case c.Type == "image":
		b := block{}
		b.Image, b.Note = r.image(c.MIMEType, c.Data)
		return b
	case c.Data != "":
		return block{Note: c.MIMEType}
	}
	mime := ""
	if (strings.HasPrefix(c.Text, "{") || strings.HasPrefix(c.Text, "[")) && json.Valid([]byte(c.Text)) {
		mime = "application/json"
	}
	return block{Body: r.body(c.Text, mime, "")}
}

// message returns the content of a message of a prompt in the form for the template. People and
// models write Markdown, so text is rendered as Markdown.
func (r *richness) message(c content) block {
	if c.Type == "text" && r.room(c.Text) {
		if html, _, err := renderMarkdown(r.ctx, c.Text, asMessage, r.links("")); err == nil {
			return block{Body: body{Kind: "markdown", HTML: html}}
		}
	}
	return r.block(c)
}

// room reports whether the budget allows to render a text, and takes the text from it.
func (r *richness) room(text string) bool {
	r.bytes -= len(text)
	return r.bytes >= 0 && time.Now().Before(r.until)
}

// body renders a text by its type. uri is the URI of its resource, or "".
func (r *richness) body(text, mime, uri string) body {
	if mime == "" || !r.room(text) {
		return body{Kind: "text", Text: shownText(text)}
	}
	return textBody(r.ctx, text, mime, uri[strings.LastIndexByte(uri, '/')+1:], r.links(uri))
}

// image returns a description of an image, and its URL if browsers show the type and it is not too
// large.
func (r *richness) image(mime, data string) (template.URL, string) {
	note := mime + ", " + sizeText(int64(base64.StdEncoding.DecodedLen(len(data))))
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if _, err := base64.StdEncoding.DecodeString(data); err == nil && len(data) <= maxImage {
			return template.URL("data:" + mime + ";base64," + data), note
		}
	}
	return "", note
}

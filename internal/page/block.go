package page

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"strings"
)

const (
	// maxRich is how many bytes of an answer are rendered. The rest is shown as plain text.
	maxRich = 1 << 20
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

// block returns a content in the form for the template.
func (q *request) block(c content) block {
	switch {
	case c.Resource != nil:
		b := block{URI: c.Resource.URI, Href: q.base + resourcePath("/r/", c.Resource.URI)}
		switch {
		case c.Resource.Text != "":
			b.Body = q.body(c.Resource.Text, c.Resource.MIMEType, c.Resource.URI)
		case c.Resource.Blob != "":
			b.Image, b.Note = imageOf(c.Resource.MIMEType, c.Resource.Blob)
		default:
			b.Note = "an empty file, " + c.Resource.MIMEType
		}
		return b
	case c.Type == "resource_link":
		return block{URI: c.URI, Href: q.base + resourcePath("/r/", c.URI), Note: c.Name}
	case c.Type == "image":
		b := block{}
		b.Image, b.Note = imageOf(c.MIMEType, c.Data)
		return b
	case c.Data != "":
		return block{Note: c.MIMEType}
	}
	mime := ""
	if (strings.HasPrefix(c.Text, "{") || strings.HasPrefix(c.Text, "[")) && json.Valid([]byte(c.Text)) {
		mime = "application/json"
	}
	return block{Body: q.body(c.Text, mime, "")}
}

// body renders a text by its type. uri is the URI of its resource, or "".
func (q *request) body(text, mime, uri string) body {
	if q.rich -= len(text); mime == "" || q.rich < 0 {
		return body{Kind: "text", Text: shownText(text)}
	}
	return textBody(q.ctx, text, mime, uri[strings.LastIndexByte(uri, '/')+1:], q.links(uri), nil)
}

// imageOf returns a description of an image, and its URL if browsers show the type and it is not too
// large.
func imageOf(mime, data string) (template.URL, string) {
	note := mime + ", " + sizeText(int64(base64.StdEncoding.DecodedLen(len(data))))
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if _, err := base64.StdEncoding.DecodeString(data); err == nil && len(data) <= maxImage {
			return template.URL("data:" + mime + ";base64," + data), note
		}
	}
	return "", note
}

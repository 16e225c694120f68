package page

import (
	"encoding/base64"
	"html/template"
)

// maxImage is how large the Base64 text of an image may be.
const maxImage = 2 << 20

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

// A block is a part of an answer. Its text stands as a model gets it.
type block struct {
	Role  string // the speaker, if another than in the block before
	Text  string
	Cut   bool   // Text is only the beginning
	URI   string // of an embedded or linked resource
	Href  string // the page of that resource
	Image template.URL
	Note  string
}

// block returns a content in the form for the template, and its text.
func (q *request) block(c content) (b block, text string) {
	text, mime, data := c.Text, c.MIMEType, c.Data
	b.URI, b.Note = c.URI, c.Name
	if c.Resource != nil {
		b.URI, text, mime, data = c.Resource.URI, c.Resource.Text, c.Resource.MIMEType, c.Resource.Blob
	}
	switch {
	case data != "":
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

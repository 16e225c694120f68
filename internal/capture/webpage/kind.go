package webpage

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
)

// languages are the names that fences have for types of text.
var languages = map[string]string{
	"application/json": "json", "text/json": "json", "application/x-ndjson": "json", "application/json5": "json",
	"application/xml": "xml", "text/xml": "xml",
	"application/yaml": "yaml", "application/x-yaml": "yaml", "text/yaml": "yaml", "text/x-yaml": "yaml",
	"application/toml": "toml", "application/javascript": "js", "text/javascript": "js", "application/x-javascript": "js",
	"application/x-sh": "sh", "application/graphql": "graphql", "application/sql": "sql", "application/x-httpd-php": "php",
	"text/css": "css", "text/csv": "csv", "text/x-python": "python", "text/x-go": "go", "text/x-c": "c",
}

// typeKinds are the kinds of types that are not only text.
var typeKinds = map[string]Kind{
	"text/html": HTML, "application/xhtml+xml": HTML, "text/markdown": Markdown, "text/x-markdown": Markdown,
	"application/pdf": PDF, "application/x-pdf": PDF, "image/svg+xml": Bytes,
}

// typePattern finds types by the grammar of their registration (RFC 6838, 4.2).
var typePattern = pattern(`^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$`)

// classify returns the kind of a source, its type, and the language of a text.
func classify(s Source) (k Kind, mediaType, language string) {
	mediaType, _, err := mime.ParseMediaType(s.ContentType)
	if err != nil && mediaType == "" {
		mediaType, _, _ = strings.Cut(s.ContentType, ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	}
	if !typePattern().MatchString(mediaType) {
		mediaType = "" // this text would become a part of the page
	}
	sniffed, _, _ := strings.Cut(http.DetectContentType(s.Body), ";")
	if mediaType == "" || mediaType == "application/octet-stream" || mediaType == "binary/octet-stream" || mediaType == "unknown/unknown" {
		mediaType = sniffed
	}
	k, language = kindOf(mediaType)
	switch {
	case IsPDF(s.ContentType, s.Body):
		return PDF, "application/pdf", ""
	case k == PDF: // the type says PDF, but the bytes do not
		return Bytes, "application/octet-stream", ""
	case k != Bytes && binary(s.Body, sniffed):
		return Bytes, sniffed, ""
	case k == Text && (mediaType == "text/plain" || mediaType == "text/x-markdown") && isMarkdown(s.URL.Path):
		return Markdown, "text/markdown", ""
	}
	return k, mediaType, language
}

// IsPDF reports whether a body is a PDF file. If its type says so, something else may come before the file, which other
// readers ignore.
func IsPDF(contentType string, body []byte) bool {
	const start, most = "%PDF-", 1024
	return bytes.HasPrefix(body, []byte(start)) || strings.Contains(contentType, "/pdf") && bytes.Contains(body[:min(len(body), most)], []byte(start))
}

// kindOf returns the kind of a type.
func kindOf(mediaType string) (k Kind, language string) {
	if k, ok := typeKinds[mediaType]; ok {
		return k, ""
	}
	if language, ok := languages[mediaType]; ok {
		return Text, language
	}
	switch suffix := mediaType[strings.LastIndexByte(mediaType, '+')+1:]; {
	case suffix == "json", suffix == "xml", suffix == "yaml":
		return Text, suffix
	case strings.HasPrefix(mediaType, "text/"):
		return Text, "text"
	}
	return Bytes, ""
}

// isMarkdown reports whether a path has the name of a Markdown file, or of a text that is always
// Markdown.
func isMarkdown(p string) bool {
	name := strings.ToLower(path.Base(p))
	return slices.Contains([]string{".md", ".markdown", ".mdx"}, path.Ext(name)) || name == "llms.txt" || name == "llms-full.txt"
}

// binary reports whether bytes that are declared as text are an image, an archive or the like.
func binary(body []byte, sniffed string) bool {
	switch major, _, _ := strings.Cut(sniffed, "/"); major {
	case "image", "audio", "video", "font":
		return !bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
	case "application":
		return sniffed != "application/octet-stream" || bytes.IndexByte(body[:min(len(body), 4096)], 0) >= 0 // not only a control character
	}
	return false
}

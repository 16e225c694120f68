// Package text holds pure functions from text to text: URIs, JSON, globs, tokens, excerpts, front matter, and Markdown
// from HTML. Nothing here knows a project or opens a file.
package text

// Package text groups packages of pure functions on text: URIs, JSON, globs, tokens, excerpts, front matter, and
// Markdown from HTML. None of them knows a project or opens a file.
package text

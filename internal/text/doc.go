// Package text groups packages that compute on values in memory, mostly on text: uri, jsondoc, jsonwire, glob, tokens,
// excerpt, frontmatter, directive, settings, secret, nearest and analysis.
// latest and lazyregexp are small tools for the other wings. None of them knows a project or opens a file.
package text

package docs

import (
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// ownHeading matches an item of a list that is a link to a heading of its document.
var ownHeading = lazyregexp.New(`^\s*(?:[-*+]|[0-9]{1,9}[.)])\s+\[[^\]]*\]\(#[^)\s]*\)\s*$`)

// leadsDown reports whether a line is part of a table of contents, whose words are found where it leads.
func leadsDown(line string) bool {
	return strings.Contains(line, "](#") && ownHeading().MatchString(line)
}

// defined returns the term that a line of Markdown defines, or "": the first cell of a table row,
// bold text or code before text in a list item, or a line before a line that begins with a colon.
func defined(line, below string) string {
	if strings.HasPrefix(below, ": ") || strings.HasPrefix(below, ":\t") {
		return line
	}
	line = strings.TrimLeft(line, " \t")
	if len(line) < 3 {
		return ""
	}
	switch line[0] {
	case '|':
		cell, _, _ := strings.Cut(line[1:], "|")
		return cell
	case '-', '*', '+':
		if line[1] != ' ' && line[1] != '\t' {
			return ""
		}
		item := strings.TrimLeft(line[2:], " \t")
		for _, mark := range []string{"**", "__", "`"} {
			if rest, ok := strings.CutPrefix(item, mark); ok {
				if term, text, _ := strings.Cut(rest, mark); strings.TrimSpace(text) != "" {
					return term
				}
			}
		}
	}
	return ""
}

// baseName returns the name of a document without extension, and without a leading number that
// orders it: "setup" for "guides/02-setup". A file that stands for its folder has the name of the
// folder, without a version: "chat" for "npm/chat@1.2.0/README".
func baseName(p string) string {
	dir, name := path.Split(p)
	if rest := strings.TrimLeft(name, "0123456789"); len(rest) > 1 && len(rest) < len(name) && strings.IndexByte("-_.", rest[0]) >= 0 {
		name = rest[1:]
	}
	if dir != "" && forFolder[strings.ToLower(name)] {
		dir = path.Clean(dir)
		if i := strings.LastIndexByte(dir, '@'); i > 0 && dir[i-1] != '/' && !strings.Contains(dir[i:], "/") {
			dir = dir[:i]
		}
		return baseName(dir)
	}
	return name
}

// forFolder are the names of files that stand for their folders.
var forFolder = set("_index about index intro introduction overview readme")

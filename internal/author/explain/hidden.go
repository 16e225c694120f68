package explain

import (
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
)

// causes holds the names of the causes of the loader, and what to do about each.
var causes = map[loader.Cause]struct{ name, fix string }{
	loader.DotName:        {"dot-name", "rename it, or add a pattern with that name to \"include\" in mcp-docs-server.json"},
	loader.BackupName:     {"backup-name", "rename it, or add a pattern with that name to \"include\" in mcp-docs-server.json"},
	loader.SwapName:       {"swap-name", "rename it, or add a pattern with that name to \"include\" in mcp-docs-server.json"},
	loader.PackagesName:   {"packages-name", "rename the folder, or add a pattern with that name to \"include\" in mcp-docs-server.json"},
	loader.Excluded:       {"excluded", "change \"exclude\", or \"docsExclude\" for a document, in mcp-docs-server.json"},
	loader.Ignored:        {"ignored", "change .gitignore or .git/info/exclude; or name a folder that they ignore by the key \"docs\" in mcp-docs-server.json"},
	loader.NotIncluded:    {"not-included", "add a pattern for it to \"include\" in mcp-docs-server.json"},
	loader.NoTemplate:     {"no-template", "add a template for it to resources/templates.json, or set \"unmatched\" to \"serve\" in mcp-docs-server.json"},
	loader.Describes:      {"describes", "nothing: its text is the title and the description of the other file"},
	loader.OutsideSchemes: {"outside-schemes", "move it to a folder such as resources/docs/"},
	loader.NotScheme:      {"not-scheme", "rename the folder: a scheme is a letter, then letters, digits, \"+\", \"-\" and \".\""},
	loader.OutsideSkills:  {"outside-skills", "move it to the folder of a skill, or add a SKILL.md next to it"},
	loader.SameURI:        {"same-uri", "rename one of the two"},
	loader.TooDeep:        {"too-deep", "move it up"},
	loader.Irregular:      {"irregular", "put a regular file in its place"},
	loader.LinkRefused:    {"link-refused", "let the link lead to a file in the project folder that is not hidden, or copy the file"},
	loader.TooManyLinks:   {"too-many-links", "copy the files, or use fewer links to folders"},
	loader.Unreadable:     {"unreadable", "allow this user to read it"},
}

// HiddenOf returns an omission with the name of its rule and what to do.
func HiddenOf(o loader.Skipped) Hidden {
	c := causes[o.Cause]
	if o.Cause == loader.LinkRefused && o.Detail != "" { // the detail says all of it
		return Hidden{Path: o.Path, Rule: c.name, Reason: o.Detail, Fix: c.fix}
	}
	return Hidden{Path: o.Path, Rule: c.name, Reason: string(o.Cause), Detail: o.Detail, Fix: c.fix}
}

// Rules that hide documents and prompts, in addition to the rules of names.
const (
	problem     = "problem"
	notMarkdown = "not-markdown"
	notRegular  = "not-regular"
)

// Unexplained reports whether the only known reason is that no scan accepted the file.
func (h Hidden) Unexplained() bool { return h.Rule == notMarkdown || h.Rule == notRegular }

// Withheld says why a file in the folders of documents or prompts is not served: because a name in its
// path is hidden, because a pattern excludes documents, because the scans reported a problem, or because
// of its kind. reported holds the problems by path.
func Withheld(name string, library *docs.Library, reported map[string][]string) []Hidden {
	var hidden []Hidden
	for ancestor := range ancestors(name) {
		if pattern, ok := library.Excluded(ancestor); ok && walk.Holds(library.Dir(), name) {
			return append(hidden, HiddenOf(loader.Skipped{Path: ancestor, Cause: loader.Excluded, Detail: pattern}))
		}
		if library.Ignored(ancestor, ancestor != name) {
			return append(hidden, HiddenOf(loader.Skipped{Path: ancestor, Cause: loader.Ignored}))
		}
		if cause := loader.HiddenBy(path.Base(ancestor)); cause != loader.Served {
			h := HiddenOf(loader.Skipped{Path: ancestor, Cause: cause, Detail: path.Base(ancestor)})
			h.Fix = "rename it" // include patterns apply only to resources
			return append(hidden, h)
		}
		for _, reason := range reported[ancestor] {
			hidden = append(hidden, Hidden{Path: ancestor, Rule: problem, Reason: reason})
		}
	}
	switch {
	case len(hidden) > 0:
	case walk.Holds(prompts.Folder, name):
		hidden = append(hidden, Hidden{Path: name, Rule: notMarkdown, Reason: "a prompt is a file whose name ends in .md or .mdx", Fix: "rename it"})
	default:
		hidden = append(hidden, Hidden{Path: name, Rule: notRegular, Reason: "is not a regular file that can be read"})
	}
	return hidden
}

// Reported returns what warnings and problems say, by path. docs is the folder of the documents: a notice about it hides no document.
func Reported(warnings []loader.Warning, found problems.List, docs string) map[string][]string {
	reported := make(map[string][]string)
	for _, n := range warnings {
		if n.Path != docs {
			reported[n.Path] = append(reported[n.Path], n.Reason)
		}
	}
	for _, p := range found.Errors() {
		reason := p.Reason
		if p.Line > 0 {
			reason = fmt.Sprintf("line %d: %s", p.Line, reason)
		}
		reported[p.File] = append(reported[p.File], reason)
	}
	return reported
}

// omitted says why something is not a resource.
func (q *inquiry) omitted(o loader.Skipped) { q.answer.Hidden = append(q.answer.Hidden, HiddenOf(o)) }

// missing answers why a document or prompt that exists is not served: because of a hidden name, or
// because of a problem that the scan reports.
func (q *inquiry) missing(name string, reported map[string][]string) error {
	info, err := fs.Stat(q.Files, name)
	links, hasLinks := q.Files.(fs.ReadLinkFS)
	if err != nil && hasLinks {
		info, err = links.Lstat(name) // a link that leads nowhere
	}
	if err != nil {
		return nil
	}
	q.answer.File, q.answer.Folder = name, info.IsDir()
	hidden := Withheld(name, q.Library, reported)
	if info.IsDir() && len(hidden) == 1 && hidden[0].Unexplained() {
		return nil // a folder without served files is not a mistake
	}
	q.answer.Hidden = slices.DeleteFunc(q.answer.Hidden, func(h Hidden) bool { // the same rule hides it as a resource
		return slices.ContainsFunc(hidden, func(other Hidden) bool { return h.Path == other.Path && h.Rule == other.Rule })
	})
	q.answer.Hidden = append(q.answer.Hidden, hidden...)
	return nil
}

// ancestors yields the folders above a path, the one closest to the root first, and then the path.
func ancestors(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range len(name) {
			if name[i] == '/' && !yield(name[:i]) {
				return
			}
		}
		yield(name)
	}
}

// Package loader reads the resources of a project into a catalog.
//
//	catalog, err := loader.Scan(ctx, os.DirFS("my-project"), loader.Options{})
//	for r := range catalog.All() {
//		fmt.Println(r.URI(), r.Size())
//	}
//	r, ok := catalog.Lookup("docs://guide/setup.md")
//	content, _, err := catalog.Content(r, 1<<20) // as text, or as bytes
//
// Each decision about a file is returned as a named value: [Explain] and [Options.Omitted] report
// why a path is not served ([Cause]), [Catalog.MIMEOrigin] where a MIME type comes from ([Origin]),
// and [Catalog.Classify] why a file is text or a blob ([FormRule]).
//
// [Scan] reads an [fs.FS] whose root is the project folder. A file system that has links must also
// implement [fs.ReadLinkFS], so that links can be checked. A scan reads the names, sizes and times
// of files, but not their contents.
//
// # URIs
//
// The file resources/<scheme>/<host>/<path…>/<name> has the URI <scheme>://<host>/<path…>/<name>,
// and the file resources/<scheme>/<name> the URI <scheme>://<name>. A file directly in resources/,
// such as templates.json, has none. The name of a folder directly in resources/ must be a URI
// scheme (RFC 3986 section 3.1: a letter, then letters, digits, "+", "-" and "."). Schemes are
// case-insensitive: folders that differ only in case are one scheme, whose URIs are spelled in
// lower case; if two of them hold the same name, the one in the lower-case folder is served.
//
// [Resource.URI] is the canonical spelling: pure ASCII, each name percent-encoded once.
// [Catalog.Lookup] also accepts the other spellings that clients use. It walks down the catalog
// name by name and never joins paths, so a URI cannot reach anything outside the catalog.
//
// # What is served
//
// A regular file is served unless its name, or the name of a folder on its path, is hidden ([Hidden]).
// A hidden name starts with ".", ends in "~" or ".swp", or is "node_modules". The file keeps the
// template that the index of [Options.Templates] finds for its URI. A file without a template is
// served too, unless [Options.HideUnmatched] is set.
//
// [Options.Include] and [Options.Exclude] hold doublestar patterns over paths relative to
// resources/. "*" matches within one name, "**/" any number of folders; patterns are
// case-sensitive. For a file, in this order:
//
//   - It is omitted if it, or a folder above it, matches an exclude pattern.
//   - If its name or the name of a folder above it is hidden, it is served only if it matches an
//     include pattern that itself contains a hidden name between slashes, as in "**/.well-known/**"
//     or "**/*.swp". The other include patterns do not match hidden names.
//   - Otherwise it is served if it matches one of those other include patterns, or if no such pattern is given.
//
// For a file of a mount ([Options.Mounts]), patterns are matched against the path in its URI:
// <scheme>/<host>/<path>.
//
// # Skills
//
// A [Mount] of skills is a folder in which each folder with a file SKILL.md, at any depth, is an
// Agent Skill; it is meant for the scheme of the Skills extension of MCP. Only files in skills are
// served. They need match neither a template nor an include pattern, and they take precedence over
// files below resources/ with the same URI. Their bytes are never decoded: UTF-16 is a blob. A
// SKILL.md is listed under the name of its folder; its title and description are read from it and
// never from a sidecar.
//
// # Links
//
// A link to a file or folder is served under the link's own name if its target is in the project
// folder, even outside resources/. The path to the target may not leave the project folder, not
// even to come back, nor contain a hidden name or more than 40 links. A link to a folder above the
// link is not followed. An absolute target counts as outside; a file system that can resolve it
// returns a relative one. A link to a file is checked again each time the file is opened.
//
// # Warnings
//
// No name of a file or folder ends a scan. [Catalog.Warnings] reports what a user might not expect:
// a folder that is not a scheme; a folder that cannot be read; a link that is not followed; a pipe,
// socket or device; a file with the same URI as another; a name that is served but needs
// percent-encoding as a URI host, which some clients refuse. Hidden, excluded and unmatched files
// are omitted without a warning. A folder has at most a hundred warnings.
//
// # Catalogs
//
// A [Catalog] never changes: readers need no lock. It is a tree of folders, each with its files and
// sub-folders sorted by name. The canonical order is by folder, a folder's own files before those
// in its sub-folders, and then by name, both compared as bytes; [Catalog.After] continues after any
// URI, whether or not it exists. Size and time are recorded at the scan; contents are read on
// request ([Catalog.Content]).
//
// [Rescan] reads single folders again and returns a new catalog that shares all others with the old
// one. Facts read from the bytes of a file are kept if its size and time are the same, unless the
// file is reported as changed.
package loader

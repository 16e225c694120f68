// Package loader reads the resources of a project into a catalog.
//
//	catalog, err := loader.Scan(ctx, os.DirFS("my-project"), loader.Options{})
//	for r := range catalog.All() {
//		fmt.Println(r.URI(), r.Size())
//	}
//	r, ok := catalog.Lookup("docs://guide/setup.md")
//	content, _, err := catalog.Content(r, 1<<20) // as text, or as bytes
//
// What is decided about a file is a value with a name, and the code that decides returns it: [Explain] and [Options.Omitted] say
// why a path is not served ([Cause]), [Catalog.MIMEOrigin] where a MIME type comes from ([Origin]), and [Catalog.Judge] why a
// file is text or a blob ([FormRule]).
//
// [Scan] reads an [fs.FS] whose root is the project folder. A file system that has links must also implement
// [fs.ReadLinkFS], by which they are judged. Of files, a scan reads names, sizes and times, and no contents.
//
// # URIs
//
// The file resources/<scheme>/<host>/<path…>/<name> has the URI <scheme>://<host>/<path…>/<name>, and the file
// resources/<scheme>/<name> the URI <scheme>://<name>. A file directly in resources/, such as templates.json, has none.
// A folder directly in resources/ must be named as a URI scheme (RFC 3986 section 3.1: a letter, then letters, digits,
// "+", "-" and "."). Schemes have no case: folders that differ in case alone are one scheme, whose URIs are spelled in
// lower case; where two of them hold the same name, the one in the lower-case folder is served.
//
// [Resource.URI] is the canonical spelling: pure ASCII, each name percent-encoded once. [Catalog.Lookup] takes the
// other spellings of it that clients use. It walks down the catalog name by name and never joins paths, so that a URI
// reaches nothing that is not in the catalog.
//
// # What is served
//
// Regular files whose own name, and the names of whose folders, are not hidden ([Hidden]): a name is hidden that starts
// with ".", that ends in "~" or ".swp", or that is "node_modules". A file keeps the template that the index of
// [Options.Templates] finds for its URI. One without a template is served too, unless [Options.HideUnmatched] is set.
//
// [Options.Include] and [Options.Exclude] hold doublestar patterns over paths relative to resources/. "*" matches
// within one name, "**/" any number of folders; case counts. For a file, in this order:
//
//   - It is left out if it, or a folder that it lies in, matches an exclude pattern.
//   - If its name or that of a folder on its way is hidden, it is served only if it matches an include pattern of which
//     one part between slashes is itself a hidden name, as in "**/.well-known/**" or "**/*.swp". The other include
//     patterns do not reach hidden names.
//   - Otherwise it is served if it matches one of those other include patterns, or if there are none of them.
//
// The patterns see a file of a mount ([Options.Mounts]) where its URI has it, as <scheme>/<host>/<path>.
//
// # Links
//
// A link to a file or folder is served under the link's own name if what it leads to lies in the project folder, be it
// outside resources/. It may not leave the project folder on its way, not even to come back, nor pass through a hidden
// name, nor take more than 40 links. A link to a folder that the link itself lies in is not followed. An absolute
// target counts as outside; a file system that knows better returns a relative one. A link to a file is judged anew
// whenever the file is opened.
//
// # Notices
//
// Nothing that a file or folder is called ends a scan. What a user would wonder about is told by [Catalog.Notices]: a
// folder that is no scheme; a folder that may not be read; a link that is not followed; a pipe, socket or device; a
// file whose URI another one has; a name that is served but needs percent-encoding in the host's place, where some
// clients refuse it. Hidden, excluded and unmatched files are left out in silence. A folder tells of a hundred at most.
//
// # Catalogs
//
// A [Catalog] never changes: readers need no lock. It is a tree of folders, each with its files and sub-folders sorted
// by name. Its order, the canonical one, is by folder, a folder's own files before those below it, and then by name,
// both compared as bytes; [Catalog.After] goes on behind any URI, whether it is there or not. Size and time are of the
// scan; contents are read when they are asked for ([Catalog.Content]).
//
// [Rescan] reads single folders again and makes a new catalog that shares all others with the old one. What is known of
// the bytes of a file is taken over if its size and time are the same, unless it is reported as changed.
package loader

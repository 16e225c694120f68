// Package docs reads a project's folder of Markdown documents, answers requests for them and searches them. It knows
// nothing of the protocol that the answers travel in.
//
// # Scan
//
// [Scan] walks the folder and makes a [Library], which never changes; a change of the folder makes a new one, which
// takes over what is known of the documents that stayed the same (path, size, time of change). Files ending in .md or
// .mdx, in any case, are documents: they are listed, suggested and searched. Other files can be read by their full name
// if they are text. Hidden names (see [walk.Hidden]) are left out. A link is followed if it stays in the project
// folder, passes through nothing hidden and does not lead to a folder that it lies in. Nothing that a file is called
// ends a scan; what a user would wonder about is told by [Library.Notices].
//
// # Paths
//
// A request may spell a path freely: with back-slashes, doubled slashes, a leading "/", "./" or the name of the folder
// (that or "docs/"), a slash at the end, without its extension, percent-encoded, or with a heading behind "#". What is
// there under the very name wins over what is found by leaving something out. A path with a ".." segment in any of
// these spellings is answered by "Invalid path". Nothing is ever opened but what the scan has found.
//
// # Answers
//
// [Library.Answer] gives one text for each path, in their order, and one for a query. Each begins with YAML between two
// lines of "---", a blank line follows, then the body. The YAML has, in this order and where they apply:
//
//	path         as asked, in one line, cut at 256 bytes
//	query        the same
//	section      the heading below which the text is
//	line         the line of that heading in the file, from 1
//	lines        which lines of the body are shown, "1-40 of 200", where not all are
//	error        what is amiss; the body then says more
//	suggestions  paths that may be relevant, for a folder
//
// A file is given as it is, byte for byte; UTF-16 with a byte order mark is converted. A document that is neither is
// given with an error and with U+FFFD for what is not UTF-8. A folder is a listing, whose paths begin with the folder's
// own; an unknown path is answered by what there is at the top and by up to ten suggestions: documents whose paths hold
// the words of the last part of the path and the keywords, then those whose text does. Words are plain text, never
// patterns.
//
// Offset and Limit choose lines of the body. Without a limit a text is cut, at a line, at 100 KB; all texts together
// have at most 400 KB and 100 paths. What is cut says so, with the offset to go on with.
//
// # Search
//
// [Library.Index] builds the index; [Library.Search] asks it. Documents are split into passages at headings, and those
// at paragraphs where they are longer than about 1,200 bytes. A passage is found by the words of its text, those of its
// heading (which count five times), of the headings above it (twice) and of the document's path (twice, six times in its first passage). Words are folded to lower
// case and, in ASCII, reduced to their stem as English (Porter's second algorithm). Identifiers are found by their parts
// as well as whole, however they are joined: readFile, read_file and read-file are the same. Scripts written without
// spaces are cut into pairs of characters. The last word of a query also stands for the words that begin with it.
// Passages are ranked by BM25, times the share of the query's words that they hold; those that rank equally come in the order of
// their paths, and in a document from its beginning.
//
// The index holds no text: a snippet is read from the file. It takes about 0.7 bytes per byte of text. A large document is
// read in pieces while it is indexed: one of 60 MB takes less than 200 MB.
package docs

// Package docs reads a project's folder of Markdown documents, answers requests for them and
// searches them. It is independent of the protocol that carries the answers.
//
// # Scan
//
// [Scan] walks the folder and returns a [Library], which never changes; a change of the folder
// makes a new library, which takes over the facts about unchanged documents (path, size, time of
// change). Files that end in .md or .mdx, in any case, are documents: they are listed, suggested
// and searched. Other text files can be read by their full name. Hidden names (see [walk.Hidden])
// are omitted. A link is followed if it stays in the project folder, passes through nothing hidden
// and does not lead to a folder above itself. No file name ends a scan; [Library.Warnings] reports
// what a user might not expect.
//
// # Paths
//
// A path of a request may have back-slashes, doubled slashes, a leading "/", "./" or the name of
// the folder (that or "docs/"), a slash at the end, no extension, percent-encoding, or a heading
// behind "#", or lines ("a.md:45-90"). A document of [outlined] bytes without the heading is answered with its headings. A file with exactly the requested name wins over one that is found by leaving
// something out. Any other path is a link as a document has it, or a URL: [site.Set.Seek] finds the one document whose path ends
// with it. If several documents do, the answer lists them. A path with a ".." segment in any of these spellings that opens
// nothing gets the answer "Invalid path". Only files that the scan has found are opened: documents, the files of a named folder,
// and files that a document links to.
//
// # Answers
//
// [Library.Answer] returns one text for each path, in their order, and one for a query. Each begins
// with YAML between two lines of "---", then a blank line, then the body. The YAML has these
// fields, in this order, where they apply:
//
//	path         as requested, on one line, cut at 256 bytes
//	query        the same
//	section      the heading above the text
//	line         the line of that heading in the document, from 1
//	outline      headings of a long document with their lines, "12 - Install"
//	lines        the lines of the document that are shown, "1-40 of 200", if not all are
//	error        what is wrong; the body then has details
//	suggestions  paths that may be relevant, for a folder
//
// A file is shown byte for byte; UTF-16 with a byte order mark is converted. A document in another
// encoding is shown with an error, and with U+FFFD for bytes that are not UTF-8. A folder is shown
// as a listing of paths that begin with the folder's own. The answer to an unknown path lists the
// top folders and documents and up to ten suggestions: documents that have words of
// the last part of the path, or keywords. Words are plain text, never patterns.
//
// Offset and Limit select lines. All lines, in hits too, are lines of the document with the files that it includes, also with a section. An answer has at most 18,000
// tokens by an estimate, and 100 paths; a text is cut at the last line within them and within 100 KB, and ends with a note that gives the
// offset to continue with. Of a text of more than 40,000 characters, a request without a section and lines gets the headings and the
// beginning.
//
// # Search
//
// [Library.Index] builds the index; [Library.Search] queries it. Documents are split into passages
// at headings, and passages of more than about 1,200 bytes at paragraphs. A passage is found by the
// words of its text, of its heading, of the headings above it, and of the document's title and
// path. Package analysis says which words a text has and how they are compared. Two words of a query that follow each other also match as one: "rate limit"
// finds ratelimit. The last word also matches the words that begin with it. A word that no passage contains, or nearly
// none of many, matches the two words that it consists of, if a passage has both, or else those with the same first letter that differ by one letter or by
// the order of two; never words such as "about". Lines that define the
// targets of links are not indexed.
//
// The score of a passage is the sum of
//   - BM25 of its text, divided by the most that the query can reach, times the mean of 1 and the
//     share of the query's words that the passage contains. A word in the heading, title or file name
//     adds four to its count in the text, a word in the path or in a heading above adds two; the
//     latter do not make it a frequent word. A word in the term of a definition counts five times:
//     the first cell of a table row, bold text or code before text in a list item, a line before a
//     line that begins with a colon;
//   - in the first passage of the document, twice the square of the overlap of the query with the
//     title, the file name or the first heading, whichever is most, and a quarter of the overlap;
//   - the square of its overlap with the heading, and a tenth of the overlap. Both bonuses are multiplied by the mean of 1 and the
//     share of the query's words that the passage contains;
//   - up to 10 % of the scores of the document's other passages, less in a document of many. A passage with less than half of
//     the query's words counts less.
//
// The overlap is the harmonic mean of two shares: of the query that is in a name or in the path and
// the headings above, and of the name that is in the query. Rare words weigh more in both; stop
// words of a name have no weight, and words such as "documentation" weigh little in a query. The
// name of a file is without a number at its start; index, README, overview and their like have the
// name of their folder. Passages with the same score are in the order of their paths, and within a
// document in its order.
//
// A word "path:X" of a query is a filter: the passages are then of documents whose path is X or
// below X, or matches X as a pattern, in any case of letters. A pattern without a slash applies to
// names in all folders. Several filters are alternatives. The paths of
// a [Query] are filters too.
//
// A query may have alternatives, which are other wordings. Each wording has a list of documents, and so have all words together. A
// document gets 1 / (3 + its rank), counted from 0, from each list, twice that from the first one; the sum decides. Its
// passages are merged in the same way. Translations and other versions of a page count as the same document. A wording
// with a phrase in quotation marks finds only passages that have it letter by letter, except for the case of letters and the width of
// spaces; if none has it, its words are searched. [Results] say which words of the best wording no document has.
//
// [Library.With] adds the texts of a [Source], such as resources, to what is searched. They are
// found by the words of their URIs and texts, have headings if they are Markdown, and are selected
// by the paths of their files. They are neither listed nor suggested nor read with the documents.
//
// The index holds no text: a snippet is read from the file. It takes about 0.7 bytes per byte of
// text. While a document of 60 MB is indexed, the program takes less than 300 MB.
package docs

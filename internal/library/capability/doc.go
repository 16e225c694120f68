// Package capability makes the capability index of a project: a few documents, each below a bound of
// tokens, that list what a server offers. A model reads one of them instead of making a series of calls.
//
//	capability-index://summary   Markdown, at most 3,000 tokens: counts, templates, search index,
//	                             keywords, newest files, how to go on
//	capability-index://full      Markdown, at most 40,000: every element; links; vocabulary
//	capability-index://stats     JSON, at most 1,000: figures of the project and of the index
//	capability-index://elements/{type}{?q,limit,cursor}
//	                             Markdown, at most 10,000: a page of all elements of a type
//
// How the documents are made and served:
//
//  1. A [Project] is the state of a server at one moment: one catalog, one library, one set of prompts,
//     the tools. An [Index] makes the documents of a Project, each once, at its first read; other readers
//     wait for it. The bytes depend only on the contents and times of the files, and not on the clock,
//     local paths or the order of edits. Only the figures of stats about the index itself are exempt.
//  2. [tokens.Estimate] counts tokens, and a tenth of each bound stays free for its errors. Sections
//     share the rest by weights; a section gets the room that others do not need.
//  3. In a section, the most important entries are chosen first: documents with many links to them before
//     documents without any, some files of each folder before all files of one. An entry is written whole
//     or not at all. A section that omits entries says how many, and where to find them.
//  4. Names, titles and descriptions come from files. Each is put on one line, without control
//     characters, cut, and escaped as Markdown, so that none can look like a heading, an entry or a link
//     of the document.
//  5. While the project is being read or indexed, the documents say so, and omit unknown parts.
//  6. A [Source] serves them as resources of a view. Its snapshot belongs to one catalog, library and set
//     of prompts, so a document is made once for each state of the project, and is never outdated. A read
//     waits a little for a scan or an index that is under way. When the project has changed, [Source.Run]
//     makes the documents again that clients have read, and notifies clients if the bytes differ. A
//     [Cache] keeps the summary and the full index on the disk between starts.
package capability

// Package capability makes the capability index of a project: a few documents, each below a limit of
// tokens, that list what a server offers. A model reads one of them instead of making a series of calls.
//
//	capability-index://summary   Markdown, at most 3,000 tokens: counts, search index, topics,
//	                             newest files, how to go on
//	capability-index://full      Markdown, at most 40,000: every element, and the links between documents
//	capability-index://stats     JSON, at most 1,000: figures of the project and of the index
//	capability-index://elements/{type}
//	                             Markdown, at most 10,000: the elements of a type
//
// How the documents are made and served:
//
//  1. A [Source] serves the documents as resources. Its snapshot belongs to one catalog, library and set
//     of prompts, and makes each document at its first read. A document is therefore never outdated. When
//     the project changes, clients are notified of all documents.
//  2. The bytes depend only on the contents and times of the files, and not on the clock, local paths or
//     the order of edits. Only the figures of stats about the index itself are exempt.
//  3. [tokens.Estimate] counts tokens, and [tokens.Bound] leaves room for its errors. Sections share the
//     room by weights; a section gets the room that others do not need.
//  4. In a section, the most important entries are chosen first: documents with many links to them before
//     documents without any, a file of each folder before a second file of one. An entry is written whole
//     or not at all. A section that omits entries says how many.
//  5. Names, titles and descriptions come from files. Each is put on one line, without control
//     characters, cut, and escaped as Markdown, so that none can look like a heading, an entry or a link
//     of the document.
//  6. While the project is being read or indexed, a read waits a little. If that is not enough, the
//     documents say that they are incomplete, and omit unknown parts.
package capability

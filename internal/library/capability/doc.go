// Package capability makes the capability index of a project: a few documents, each below a bound
// of tokens, that say what a server has. A model that reads one of them needs no series of calls to
// find out.
//
//	capability-index://summary   Markdown, at most 3,000 tokens: counts, templates, search index,
//	                             keywords, newest files, how to go on
//	capability-index://full      Markdown, at most 40,000: every element; links; vocabulary
//	capability-index://stats     JSON, at most 1,000: figures, and those of the index itself
//	capability-index://elements/{type}{?q,limit,cursor}
//	                             Markdown, at most 10,000: a page of all elements of a type
//
// # How they are made
//
// A [Project] is what there is at one moment: one catalog, one library, one set of prompts, the
// tools. An [Index] makes the documents of a Project, each once, when it is read first; whoever
// asks meanwhile waits for it. The bytes depend on the contents of the files and on their times
// alone: there is no clock, no path of the machine, and no order of edits in them. Only the figures
// of stats about the index itself are exempt.
//
// Tokens are those that [tokens.Estimate] estimates, and a tenth of each bound stays free for its
// errors. The rest is divided among sections by weights; what a section does not need, the others
// get. In a section, the most important entries come first into the budget: documents that others
// link to before those that nothing leads to, some files of each folder before all files of one. An
// entry is written whole or not at all. A section that leaves something out says how much, and
// where it is.
//
// Names, titles and descriptions come from files. Each is put on one line, without control
// characters, cut, and escaped as Markdown, so that none can look like a heading, an entry or a
// link of the document.
//
// While documents are being read or indexed, the documents say so, and leave out what is not known.
//
// # As resources
//
// A [Source] offers them as resources of a view. Its snapshot belongs to one catalog, library and set
// of prompts, so that a document is made once for each state of the project, and never of a former
// one. A read waits a little for what is still being read or indexed. [Source.Run] makes the
// documents again that were read when the project has changed, and notifies clients of those with
// other bytes. A [Cache] keeps the summary and the full index on the disk between starts.
package capability

// Package site understands documentation repositories: which generator publishes which folder, and what that means for
// each document.
//
// It reads files of the project, runs nothing, and knows nothing of MCP.
//
//  1. [Find] walks the project folder and asks each [Generator] about its configuration files. It reads at most 1,000
//     folders, and none that .gitignore names. Without a generator, the folder with the most documents counts. [Options]
//     name sites instead, or the folder whose documents are served.
//  2. A [Site] is one generator's configuration. It has trees: a [Tree] is the documents of one language and version
//     in one folder. The first tree is the default.
//  3. [Set.Load] lists the files of all trees, and reads the beginning of each. [Set.Pages] returns the documents as a
//     [Page] each, in the order of the navigation: title, language, version, route and published URL. [Set.Hidden] returns
//     the files that are not documents, each with the reason.
//  4. [Set.Resolve] says where a link leads, by one rule for all documents: [Found], [Absent], [Undecided], [Elsewhere] or [Unknown].
//  5. [Set.Content] returns the text of a page: it puts the text of included files into a document.
//
// Configuration in JavaScript, TypeScript and Python is read as far as it is data. Where a value is not known, order and
// URLs are missing; documents are never wrong for that. A published URL is never guessed.
package site

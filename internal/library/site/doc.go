// Package site finds the documents of a project, and understands the links and includes in them.
//
// It reads files of the project, runs nothing, and knows nothing of MCP. A file that a person can read is a document, unless
// somebody said that it is not: guesses order documents, and hide none.
//
//  1. [Find] first lists the files of the project in one walk. What git ignores, hidden names, dependencies, build outputs and other
//     repositories are left out. It reads the static configuration of sites, see [Site], and gives each document a [Class] by its
//     path. [Options] name folders whose documents are served instead.
//  2. It gives each document its language and version, reads its beginning, and puts the documents in order: lists of pages,
//     weights, names. [Set.Pages] returns them, and [Set.Hidden] what is left out, each with the reason.
//  3. [Set.Resolve] says where a link leads.
//  4. [Set.Content] returns the text of a page: it puts the text of included files into a document.
//
// Configuration that is a program is read for one name at most. Everything that a configuration or a document names is opened by
// package docsfs, which refuses what git ignores, and replaces secrets.
package site

// Package site understands documentation repositories: which generator publishes which folder, and what that means for
// each document.
//
// It reads files of the project, runs nothing, and knows nothing of MCP.
//
//  1. [Find] walks the project folder and asks each [Generator] about its configuration files. At most 1,000 folders
//     are looked into, and none that .gitignore names. Without a generator, the folder with the most documents counts.
//  2. A [Site] is one generator's configuration. It has trees: a [Tree] is the documents of one language and version
//     in one folder. The first tree is the default.
//  3. [Set.Pages] lists the documents of all trees as a [Page] each, in the order of the navigation: title, language,
//     version, route and published URL. A page that the generator does not publish is hidden, with the reason.
//  4. [Set.Resolve] says where a link leads: [Found], [Absent], [Elsewhere] or [Unknown].
//  5. [Set.Expand] puts the text of included files into a document.
//
// Configuration in JavaScript, TypeScript and Python is read with patterns. Where a pattern does not match, order and
// URLs are missing; documents are never wrong for that. A published URL is never guessed.
package site

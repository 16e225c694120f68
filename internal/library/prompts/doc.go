// Package prompts reads the prompts of a project and renders them.
//
// [Scan] reads an [fs.FS] whose root is the project folder. Every .md and .mdx file below prompts/
// is a prompt; its name is its path there without the extension, such as "review" or
// "guides/setup". Hidden names ([walk.Hidden]) are omitted without a message. If two files have the
// same name, the .md file is the prompt, even if it has errors, and the other is a problem: a
// mistake in one file must not change which of them is served. Links must lead to files and folders
// inside the project folder, and not through anything hidden.
//
// A file is UTF-8, or UTF-16 with a byte order mark, of at most [MaxFileSize] bytes. Its line ends
// become LF.
//
// # Front matter
//
// A file whose first line is "---" begins with YAML that ends at the next line "---":
//
//	---
//	title: Review a change          # default: the name
//	description: Looks at a change
//	args:
//	  language:
//	    description: Language of the answer
//	    enum: [English, German]
//	    default: English
//	  strict: {type: boolean, optional: true}
//	---
//
// args is a mapping from name to argument, or a list of arguments that each have a name. An
// argument has a title, a description, a type (string, which is the default, number or boolean), an
// enum and a default. It is required unless it says "required: false" or "optional: true" or has a
// default; both may be booleans or the strings "true" and "false". A null counts as absent. A name
// consists of letters, digits, "_", "-" and ".", and does not begin with "-" or ".". Anchors and
// aliases are supported; an alias is resolved only where a value is expected, so that it cannot
// expand without bound. Merge keys ("<<") are not supported.
//
// # Placeholders
//
// {{name}}, with or without spaces inside, stands for an argument anywhere in the text, code
// included. It cannot span lines. A backslash escapes the braces, and two backslashes stand for
// one: \{{ is the text {{, and \\{{name}} is a backslash and then the value. Braces around anything
// except a name, such as the object literals of JSX, are text; only words that differ from a name
// by a character such as a space or a leading dot are treated as a mistake. All other text is
// copied: it is not compiled, executed or reformatted.
//
// # Problems
//
// [Set.Problems] reports the problems of files with their lines. An error removes its own file and
// no other: front matter that is not YAML or has a value of the wrong type, an invalid name, a
// default that its own type or enumeration does not allow, a placeholder without an argument. An
// unknown key and an argument without a placeholder are warnings. All problems of a file that can
// be detected are reported together.
//
// # Rendering
//
// [Prompt.Render] checks the arguments, which MCP sends as strings, against their types and
// replaces all placeholders in one pass: braces or links in a value remain text. An argument that
// is not given has its default or is empty. An empty string is a string; for an optional argument
// that does not allow it, it counts as not given, because clients with a form send one for a blank
// field.
//
// A line outside of code that consists of one Markdown image or link, ![text](uri) or [text](uri),
// is a resource block if the URI has a scheme followed by "://" and the scheme is not http, https,
// mailto or data. The lines before and after it are text blocks, without the blank lines at their
// ends.
//
// A placeholder in such a URI gets the value percent-encoded as one segment, slashes included: the
// author wrote the path, and a value with "/", "?" or "#" must not change it. A placeholder that is
// the whole URI gets the value unchanged, because the argument is the URI.
package prompts

// Package prompts reads the prompts of a project and fills them in.
//
// [Scan] reads an [fs.FS] whose root is the project folder. Every .md and .mdx file below prompts/ is a prompt; its name
// is its path there without the extension, as "review" or "guides/setup". Names that are hidden ([walk.Hidden]) are
// left out in silence. Where two files have one name, the .md file is the prompt, be it a good one or not, and the
// other is a problem: which of them is served must not depend on a mistake in one. Links lead to files and folders
// inside the project folder only, never through anything hidden.
//
// A file is UTF-8, or UTF-16 with a byte order mark, of at most [MaxFileSize] bytes. Its line ends become LF.
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
// args is a mapping from name to argument, or a list of arguments that each have a name. An argument has a title, a
// description, a type (string, which is the default, number or boolean), an enum and a default. It is required unless it
// says "required: false" or "optional: true" or has a default; both may be booleans or the strings "true" and "false".
// A null counts as absent. A name is made of letters, digits, "_", "-" and ".", and does not begin with one of the last
// two. Anchors and aliases are understood; an alias is followed only where a value is wanted, so that what a value
// costs does not depend on what it would expand to. Merge keys ("<<") are not.
//
// # Placeholders
//
// {{name}}, with or without blanks inside, stands for an argument anywhere in the text, code included. It cannot go over
// the end of a line. A backslash before the braces takes their meaning away, and two stand for one: \{{ is the text
// {{, and \\{{name}} is a backslash and then the value. Braces around anything but a name, such as the object
// literals of JSX, are text; only words that would be a name but for a character like a blank or a leading dot are
// taken for a mistake. Nothing else in the text means anything: it is not compiled, not run and not reformatted.
//
// # Problems
//
// What is wrong with a file is told with its line ([Set.Problems]). An error leaves that file out and no other: front
// matter that is no YAML or has a value of the wrong type, a name that is none, a default that its own type or
// enumeration does not allow, a placeholder without an argument. An unknown key and an argument without a placeholder
// are warnings. All problems of a file are told at once, as far as they can be seen.
//
// # Filling in
//
// [Prompt.Render] checks the arguments, which MCP sends as strings, against their types and puts each into its places in
// one pass: what a value holds, be it braces or a link, stays the text it is. What is not given is the default or
// empty. An empty string is a string; it counts as not given for an optional argument that it would be no value of,
// since clients with a form send one for a field that was left blank.
//
// A line outside of code that is nothing but a Markdown image or link, ![text](uri) or [text](uri), is a resource
// block if the URI has a scheme followed by "://" and the scheme is none of http, https, mailto and data. The lines
// before and after it are text blocks, without the blank lines at their ends.
//
// A placeholder in such a URI gets the value percent-encoded as one segment, slashes included: the author wrote the
// path, and a value with "/", "?" or "#" in it shall not lead elsewhere. A placeholder that is the whole URI gets the
// value as it is, for there the URI itself is what is asked for.
package prompts

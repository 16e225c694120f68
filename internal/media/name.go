package media

import "strings"

//go:generate go run ./gen

// entry is one line of the table: an extension in lower case, without its dot, and its type. The
// table is sorted by extension. It is a plain array of constants, which the linker lays out, so
// that it costs no time at start-up.
type entry struct{ ext, mime string }

// maxKey is the length of the longest extension in the table,
// "disposition-notification". Longer extensions are not looked up.
const maxKey = 24

// ByName returns the MIME type for the last element of a slash-separated path: by its whole name if
// it is well known, else by its last extension, ignoring case. The result is the same on every
// machine.
func ByName(name string) (mime string, ok bool) {
	mime, _ = OfName(name)
	return mime, mime != ""
}

// OfName is [ByName] with the origin of the type: [WholeName] or [Extension]. The type is empty if
// there is none.
func OfName(name string) (mime string, origin Origin) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if len(name) <= maxKey {
		var buf [maxKey]byte
		if mime := wellKnown(lower(&buf, name)); mime != "" {
			return mime, WholeName
		}
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || len(name)-dot-1 > maxKey {
		return "", Default
	}
	var buf [maxKey]byte
	key := lower(&buf, name[dot+1:])
	// Written out, because package slices would have to allocate the key.
	low, high := 0, len(table)
	for low < high {
		mid := (low + high) / 2
		if table[mid].ext < string(key) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == len(table) || table[low].ext != string(key) {
		return "", Default
	}
	return table[low].mime, Extension
}

// lower puts s, of at most maxKey bytes, into buf with its ASCII letters in
// lower case.
func lower(buf *[maxKey]byte, s string) []byte {
	n := copy(buf[:], s)
	for i, c := range buf[:n] {
		if 'A' <= c && c <= 'Z' {
			buf[i] = c + 'a' - 'A'
		}
	}
	return buf[:n]
}

// wellKnown returns the type of a file that is known by its whole name, given
// in lower case, or the empty string.
func wellKnown(name []byte) string {
	switch string(name) {
	case "makefile", "gnumakefile":
		return "text/x-makefile"
	case "dockerfile", "containerfile":
		return "text/x-dockerfile"
	case "cmakelists.txt":
		return "text/x-cmake"
	case "jenkinsfile":
		return "text/x-groovy"
	case "brewfile", "dangerfile", "fastfile", "gemfile", "podfile", "rakefile", "vagrantfile":
		return "text/x-ruby"
	case "sconscript", "sconstruct":
		return "text/x-python"
	case "pkgbuild", ".bash_profile", ".bashrc", ".profile", ".zshrc":
		return "application/x-sh"

	// Files at the root of most repositories.
	case "authors", "changelog", "changes", "citation", "codeowners", "contributing", "contributors",
		"copying", "copyright", "credits", "faq", "history", "licence", "license",
		"maintainers", "news", "notice", "owners", "patents", "readme", "security",
		"thanks", "todo", "unlicense", "version":
		return "text/plain"

	// Build and tool configuration without an extension for its format.
	case "caddyfile", "earthfile", "go.mod", "go.work", "justfile", "procfile",
		".clang-format", ".dockerignore", ".editorconfig", ".eslintignore", ".gitattributes",
		".gitconfig", ".gitignore", ".gitkeep", ".gitmodules", ".mailmap", ".npmignore", ".npmrc",
		".nvmrc", ".prettierignore", ".prettierrc", ".python-version", ".tool-versions":
		return "text/plain"
	}
	return ""
}

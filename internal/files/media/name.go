package media

import (
	_ "embed"
	"strings"
	"sync"
)

// types is the table of extensions: lines of a type and its extensions, in lower case and without
// dots, and comments that start with #.
//
//go:embed types.txt
var types string

// byExtension returns the types of the table by extension. The first lookup parses it, so that a
// start of the program does not wait for that.
var byExtension = sync.OnceValue(func() map[string]string {
	m := make(map[string]string, 1500)
	for line := range strings.Lines(types) {
		mime, extensions, _ := strings.Cut(line, " ")
		if mime == "#" {
			continue
		}
		for ext := range strings.FieldsSeq(extensions) {
			m[ext] = mime
		}
	}
	return m
})

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
	dot := strings.LastIndexByte(name, '.')
	var buf [maxKey]byte
	var ext []byte
	if len(name) <= maxKey {
		whole := lower(&buf, name)
		if mime := wellKnown(whole); mime != "" {
			return mime, WholeName
		}
		ext = whole[dot+1:]
	} else if len(name)-dot-1 <= maxKey {
		ext = lower(&buf, name[dot+1:])
	}
	if dot < 0 || ext == nil {
		return "", Default
	}
	if mime := byExtension()[string(ext)]; mime != "" {
		return mime, Extension
	}
	return "", Default
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

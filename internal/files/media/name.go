package media

import (
	"strings"
	"sync"
)

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
	slots := slots()
	for i := slotOf(ext); slots[i] != 0; i = (i + 1) % len(slots) {
		if e := &table[slots[i]-1]; e.ext == string(ext) {
			return e.mime, Extension
		}
	}
	return "", Default
}

// slots is an open hash table of the extensions: indexes into the table, counted from one. It is
// three quarters empty, so most lookups compare one extension. The first lookup fills it, which
// takes some microseconds.
var slots = sync.OnceValue(func() *[8192]uint16 {
	slots := new([8192]uint16)
	for place, e := range table {
		i := slotOf([]byte(e.ext))
		for slots[i] != 0 {
			i = (i + 1) % len(slots)
		}
		slots[i] = uint16(place + 1)
	}
	return slots
})

// slotOf returns the first slot of an extension: FNV-1a, folded.
func slotOf(ext []byte) int {
	h := uint32(2166136261)
	for _, c := range ext {
		h = (h ^ uint32(c)) * 16777619
	}
	return int((h ^ h>>13) % 8192)
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

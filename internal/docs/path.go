package docs

import (
	"net/url"
	"path"
	"strings"
)

// A place is what a requested path means.
type place struct {
	invalid bool      // it tries to leave the folder
	file    *document // or nil
	folder  *folder   // or nil
	path    string    // of the file or folder
	section string    // what followed "#"
}

// maxPath is the length in bytes beyond which no path is looked at; no system has longer names.
const maxPath = 4096

// find looks up a path as a client spells it.
func (l *Library) find(asked string) place {
	if len(asked) > maxPath {
		return place{invalid: traverses(asked)}
	}
	spellings := []string{asked}
	for range 3 { // encoded more often, it is no mistake
		last := spellings[len(spellings)-1]
		decoded, err := url.PathUnescape(last)
		if err != nil || decoded == last {
			break
		}
		spellings = append(spellings, decoded)
	}
	for _, s := range spellings {
		before, _, _ := strings.Cut(s, "#")
		if traverses(s) || traverses(before) {
			return place{invalid: true}
		}
	}
	for _, s := range spellings[:min(2, len(spellings))] {
		if p, ok := l.lookUp(s); ok {
			return p
		}
		if before, section, ok := strings.Cut(s, "#"); ok && section != "" {
			if p, ok := l.lookUp(before); ok && p.file != nil {
				p.section = section
				return p
			}
		}
	}
	return place{}
}

// traverses reports whether a segment of the path is "..".
func traverses(p string) bool {
	for segment := range strings.FieldsFuncSeq(p, func(r rune) bool { return r == '/' || r == '\\' }) {
		segment = strings.TrimSpace(strings.ReplaceAll(segment, "\x00", ""))
		for range 3 {
			if segment == ".." {
				return true
			}
			segment = dots.Replace(segment)
		}
		// A mixture such as ".%2e%5cx" holds separators of its own once it is decoded.
		if strings.HasPrefix(segment, "../") || strings.HasSuffix(segment, "/..") || strings.Contains(segment, "/../") {
			return true
		}
	}
	return false
}

// dots decodes what matters to [traverses] even where other escapes of the path are malformed.
var dots = strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", "/", "%5C", "/", "%25", "%",
	"%c0%ae", ".", "%C0%AE", ".", "%c0%af", "/", "%C0%AF", "/") // too long for what they encode, but some decode them

// clean drops what a path can do without.
func clean(p string) string {
	p = strings.TrimSpace(strings.ReplaceAll(p, `\`, "/"))
	return strings.TrimPrefix(path.Clean("/"+p), "/")
}

// lookUp finds the file or folder of a path without "..", the most literal reading first.
func (l *Library) lookUp(asked string) (place, bool) {
	p := clean(asked)
	readings := []string{p}
	for _, prefix := range []string{l.dir, path.Base(l.dir), "docs"} {
		if below, ok := strings.CutPrefix(p+"/", prefix+"/"); ok {
			readings = append(readings, strings.TrimSuffix(below, "/"))
		}
	}
	for _, ext := range append([]string{""}, extensions...) {
		for _, r := range readings {
			if ext == "" && l.folders[r] != nil {
				return place{folder: l.folders[r], path: r}, true
			}
			if f := l.files[r+ext]; f != nil {
				return place{file: f, path: f.path}, true
			}
		}
	}
	return place{}, false
}

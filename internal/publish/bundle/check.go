package bundle

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Check returns an error for every file whose name could leave the folder that a bundle is unpacked
// to, or conflicts with another file: a name that is empty or absolute, contains a NUL, an empty
// part, "." or "..", is used twice, or is also the folder of another file.
func Check(files []File) error {
	var errs []error
	seen := make(map[string]bool, len(files)) // true for a file, false for a folder
	for _, f := range files {
		if flaw := flaw(f.Name); flaw != "" {
			errs = append(errs, fmt.Errorf("the file %q cannot be packed: its name %s", f.Name, flaw))
			continue
		}
		if isFile, taken := seen[f.Name]; taken {
			what := "folder"
			if isFile {
				what = "file"
			}
			errs = append(errs, fmt.Errorf("the file %q cannot be packed: there is a %s of the same name", f.Name, what))
			continue
		}
		seen[f.Name] = true
		for _, folder := range Folders(f.Name) {
			if seen[folder] {
				errs = append(errs, fmt.Errorf("the file %q cannot be packed: %q is a file too", f.Name, folder))
				break
			}
			seen[folder] = false
		}
	}
	return errors.Join(errs...)
}

// flaw returns what is wrong with a name, as the end of a sentence, or "".
func flaw(name string) string {
	switch {
	case name == "":
		return "is empty"
	case strings.HasPrefix(name, "/"):
		return "is an absolute path"
	case strings.ContainsRune(name, 0):
		return "has a NUL"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "", ".", "..":
			return fmt.Sprintf("has the part %q", part)
		}
	}
	return ""
}

// Folders returns the folders that a file is in, the outermost first: a and a/b for a/b/c.
func Folders(name string) []string {
	var folders []string
	for i, c := range []byte(name) {
		if c == '/' {
			folders = append(folders, name[:i])
		}
	}
	return folders
}

// AllFolders returns the folders of all files, sorted: each follows its parent folder.
func AllFolders(files []File) []string {
	set := make(map[string]bool)
	for _, f := range files {
		for _, folder := range Folders(f.Name) {
			set[folder] = true
		}
	}
	all := make([]string, 0, len(set))
	for folder := range set {
		all = append(all, folder)
	}
	slices.Sort(all)
	return all
}

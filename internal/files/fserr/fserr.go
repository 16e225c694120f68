// Package fserr returns the reason of a file error without the path: the caller reports the path in
// the form that the user knows, and a client must not learn the path of the project on the disk.
package fserr

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Reason returns the text of an error, with the operations and paths of file system errors removed.
func Reason(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return strings.Replace(text, e.Error(), Reason(e.Err), 1)
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return strings.Replace(text, e.Error(), Reason(e.Err), 1)
	}
	return text
}

// Full reports whether a write failed because of the disk, so that writing another file would fail
// too: the disk is full, a quota is used up, or the file system is read-only.
func Full(err error) bool {
	for _, other := range full {
		if errors.Is(err, other) {
			return true
		}
	}
	return false
}

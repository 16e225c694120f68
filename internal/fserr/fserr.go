// Package fserr says what is wrong with a file in words that name no path: whoever reports it names the path already, as its
// reader knows it, and a client must not learn where the project lies on the disk.
package fserr

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Reason is the text of an error, in which each error of a file system is without its operation and paths.
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

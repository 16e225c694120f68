// Package fserr words errors of the system and of the standard library for users. [Reason] also leaves out the paths of files: the
// caller reports the path in the form that the user knows, and a client must not learn the path of the project on the disk.
package fserr

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// Reason returns the text of an error for users, without the operations and paths of file system errors.
func Reason(err error) string { return words(err, false) }

// Words returns the text of an error for users, with the paths of file system errors.
func Words(err error) string { return words(err, true) }

// Plain returns an error with the text of [Reason], which unwraps to err, so that callers can find out whether the disk is full; nil for
// nil.
func Plain(err error) error {
	if err == nil {
		return nil
	}
	return plainError{err}
}

type plainError struct{ error }

func (e plainError) Error() string { return Reason(e.error) }
func (e plainError) Unwrap() error { return e.error }

// plain has the texts of errors that have no other words.
var plain = []struct {
	err  error
	text string
}{
	{fs.ErrNotExist, "no such file or folder"},
	{syscall.ENOTDIR, "is not a folder, or is not in one"},
	{syscall.EISDIR, "is a folder, must be a file"},
	{exec.ErrNotFound, "no such program"},
	{context.DeadlineExceeded, "took too long"},
}

func words(err error, paths bool) string {
	in := func(place string, err error) string {
		if place == "" || !paths {
			return words(err, paths)
		}
		return place + ": " + words(err, paths)
	}
	var inner []error
	switch e := err.(type) {
	case *fs.PathError:
		return in(e.Path, e.Err)
	case *os.LinkError:
		return in(e.New, e.Err)
	case *os.SyscallError:
		return words(e.Err, paths)
	case *exec.Error:
		return in(e.Name, e.Err)
	case *strconv.NumError:
		if e.Func == "ParseBool" {
			return "must be true or false"
		}
		return "must be a number that is not too large"
	case *json.SyntaxError:
		return jsondoc.Syntax(e)
	case *url.Error:
		return e.URL + ": " + words(e.Err, paths)
	case *net.DNSError:
		if e.IsNotFound {
			return "there is no host " + e.Name
		}
	case *net.OpError:
		if e.Addr != nil {
			return e.Addr.String() + ": " + words(e.Err, paths)
		}
		return words(e.Err, paths)
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	case interface{ Unwrap() error }:
		if one := e.Unwrap(); one != nil {
			inner = []error{one}
		}
	}
	text := err.Error()
	for _, one := range inner {
		text = strings.Replace(text, one.Error(), words(one, paths), 1)
	}
	for _, known := range plain {
		if inner == nil && errors.Is(err, known.err) {
			return known.text
		}
	}
	return text
}

// Full reports whether a write failed because of the disk, so that writing another file would fail
// too: the disk is full, a quota is used up, or the file system is read-only.
func Full(err error) bool {
	return slices.ContainsFunc(full[:], func(other error) bool { return errors.Is(err, other) })
}

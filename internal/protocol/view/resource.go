package view

import (
	"context"
	"time"
)

// A Resource is one that is not a file of the project (MCP, "Resources", data type Resource). It
// does not change: one with other bytes is another Resource in another snapshot.
type Resource struct {
	URI         string // canonical: ASCII that needs no escape in JSON, as [loader.Resource.URI] spells it
	Name        string
	Title       string // "": none
	Description string // "": none
	MIMEType    string
	Size        int64     // bytes; negative: unknown until it is read
	Modified    time.Time // zero: unknown
	Audience    []string  // user, assistant
	Priority    *float64  // from 0 to 1
	Owner       string    // the only caller that may see it; "": all may

	// Read returns the bytes, which nobody changes afterwards. It either has them in memory anyway,
	// or gets a buffer of at least n bytes from alloc and returns a part of it. alloc returns nil
	// if there is no room, which makes the error [loader.ErrNoRoom]; Read is called again with
	// more. An error that is [fs.ErrNotExist] says that the resource has gone, and a [*Refusal] is
	// shown to the client. Read may be called at the same time from several goroutines. It returns
	// early when ctx ends.
	Read func(ctx context.Context, alloc func(n int) []byte) ([]byte, error)
}

// A Refusal says what is wrong with the URI of a resource that is made from it, such as a number
// that is too large. It is for clients: the mistake is theirs.
type Refusal struct{ Reason string }

func (e *Refusal) Error() string { return e.Reason }

// Bytes returns a Read function for bytes that are in memory.
func Bytes(data []byte) func(context.Context, func(int) []byte) ([]byte, error) {
	return func(context.Context, func(int) []byte) ([]byte, error) { return data, nil }
}

package view

import (
	"context"
	"time"
)

// A Resource is a resource that is not a file of the project (MCP, "Resources", data type
// Resource). It never changes: when its bytes change, a new snapshot has a new Resource.
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
	Document    string    // path of the document that is served as this resource; "": the resource is not a document
	Owner       string    // the only caller that may see it; "": all callers may

	// Read returns the bytes, which nobody may change afterwards. If the bytes are not in memory,
	// Read gets a buffer of at least n bytes from alloc and returns a part of it. If alloc has no
	// room, it returns nil and Read returns [loader.ErrNoRoom]; the caller repeats Read when more
	// room is free. An error that is [fs.ErrNotExist] says that the resource no longer exists; a
	// [*Refusal] is shown to the client. Read may be called concurrently. It returns early when ctx
	// ends.
	Read func(ctx context.Context, alloc func(n int) []byte) ([]byte, error)
}

// A Refusal says what is wrong with the URI of a resource that is computed from the URI, such as a
// number that is too large. The client made the mistake, so clients may read it.
type Refusal struct{ Reason string }

func (e *Refusal) Error() string { return e.Reason }

// Bytes returns a Read function for bytes that are in memory.
func Bytes(data []byte) func(context.Context, func(int) []byte) ([]byte, error) {
	return func(context.Context, func(int) []byte) ([]byte, error) { return data, nil }
}

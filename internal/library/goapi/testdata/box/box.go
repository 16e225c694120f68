// Package box keeps things. See [Box.Put], [Box.Size], [io.Reader] and [fmt].
//
// # Two rules
//
//   - Close every [Box].
//   - Do not use a <b>closed</b> one: a_b_c _d_ E_2.
//
// In code:
//
//	b := box.New()
//	defer b.Close() // a\_b
package box

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Sizes of a box.
const (
	// Small fits into a letter.
	Small = iota
	Large // needs two people
	secret
)

// ErrFull is returned by [Box.Put].
var ErrFull = errors.New("box is full")

// Defaults is long.
var Defaults = map[string]string{
	"a": "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789",
	"b": "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789",
	"c": "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789",
}

// A Box holds things.
//
// # Concurrency
//
// A Box is not safe for concurrent use; see [time.Time].
type Box[T any] struct {
	// Size is the number of things.
	Size int `json:"size"`
	base
	things []T
}

type base struct{}

// Close is promoted.
func (b *base) Close() error { return nil }

// New returns a new [Box]. [ErrFull] is not a section.
func New[T any]() *Box[T] { return nil }

// Put puts t into the box. See the code:
//
// ```
func (b *Box[T]) Put(t T, at time.Time) (fmt.Stringer, error) { panic("the body is not described") }

func (b *Box[T]) hidden() {}

// Open reads a box.
func Open(r io.Reader) error { return nil }

// A Kind is a kind of box.
type Kind int

// Kinds.
const (
	Wood Kind = iota + 1
	Paper
)

type Lid interface {
	Lift(
		height float64, // in metres
	)
	shut()
}

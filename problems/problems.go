// Package problems lists the mistakes in a file that people write, each with its place.
//
// A function that reads such a file returns its contents and a [List]: every mistake that it found, and
// warnings, which leave the file usable.
//
//	entries, list := templates.Decode("templates.json", data)
//	if err := list.Err(); err != nil { // mistakes, one a line
//		return err
//	}
//	for _, warning := range list.Warnings() {
//		log.Print(warning)
//	}
package problems

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Problem is one mistake in a file.
type Problem struct {
	File    string
	Line    int    // from 1, or 0 when the problem has no place in the file
	Column  int    // in characters from 1, or 0 when unknown
	Where   string // the part of the document, such as `entry 2 ("Guides")`; may be empty
	Reason  string
	Warning bool // the document can still be used
}

// String returns the problem on one line, the way compilers print theirs:
// file:line:column: [warning: ][where: ]reason.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		b.WriteString(":" + strconv.Itoa(p.Line))
		if p.Column > 0 {
			b.WriteString(":" + strconv.Itoa(p.Column))
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if p.Warning {
		b.WriteString("warning: ")
	}
	if p.Where != "" {
		b.WriteString(p.Where + ": ")
	}
	b.WriteString(p.Reason)
	return b.String()
}

// A List is a list of mistakes and warnings. Return [List.Err] as an error, not the list itself,
// which may contain only warnings or nothing.
type List []Problem

// Error returns one problem per line.
func (ps List) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Errors returns the problems that are not warnings.
func (ps List) Errors() List { return ps.only(false) }

// Warnings returns the problems that are warnings.
func (ps List) Warnings() List { return ps.only(true) }

// Err returns the problems that are not warnings as one error of type
// List, or nil when there is none.
func (ps List) Err() error {
	if errs := ps.Errors(); len(errs) > 0 {
		return errs
	}
	return nil
}

// Sort orders the problems by line and column; those at the same place keep
// their order.
func (ps List) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

func (ps List) only(warning bool) List {
	var some List
	for _, p := range ps {
		if p.Warning == warning {
			some = append(some, p)
		}
	}
	return some
}

package pdftext

import (
	"slices"
	"unicode"
)

// direction is how characters of a text are written.
type direction int

const (
	neutral direction = iota
	toRight
	toLeft
	digits // left to right, also in words from right to left
)

func directionOf(text string) direction {
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			return digits
		case r >= 0x590 && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko):
			return toLeft
		case unicode.IsLetter(r):
			return toRight
		}
	}
	return neutral
}

// isToLeft reports whether half of the letters or more are written from right to left.
func isToLeft(directions []direction) bool {
	var count [digits + 1]int
	for _, d := range directions {
		count[d]++
	}
	return count[toLeft] > 0 && count[toLeft] >= count[toRight]
}

// logical puts the parts of a line, which are in the order from left to right, into the order in which they are read.
func logical(parts []string) []string {
	directions := make([]direction, len(parts))
	for i, p := range parts {
		directions[i] = directionOf(p)
	}
	if isToLeft(directions) {
		reverse(parts, directions)
		return parts
	}
	spans(directions, []direction{toLeft}, toRight, func(from, to int) { reverse(parts[from:to], directions[from:to]) })
	return parts
}

// reverse reverses parts, but not the words and numbers that are written to the right.
func reverse(parts []string, directions []direction) {
	slices.Reverse(parts)
	slices.Reverse(directions)
	spans(directions, []direction{toRight, digits}, toLeft, func(from, to int) {
		words := slices.Contains(directions[from:to], toRight)
		for from < to { // words come in their order, and numbers one by one
			end := from
			for end < to && (words || parts[end] != " ") {
				end++
			}
			slices.Reverse(parts[from:end])
			from = end + 1
		}
	})
}

// spans calls f for the longest parts that begin and end with some directions, and do not have another one.
func spans(all, edges []direction, without direction, f func(from, to int)) {
	for i := 0; i < len(all); i++ {
		to := i
		for j := i; slices.Contains(edges, all[i]) && j < len(all) && all[j] != without; j++ {
			if slices.Contains(edges, all[j]) {
				to = j + 1
			}
		}
		if to > i {
			f(i, to)
			i = to
		}
	}
}

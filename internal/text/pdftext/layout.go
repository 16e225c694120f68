package pdftext

import (
	"math"
	"strings"
	"sync"

	"github.com/ledongthuc/pdf"
)

// A pageResult is the result of reading a page.
type pageResult struct {
	text      string
	undecoded int // codes without a text
	images    bool
	broken    bool // the page is broken, and the text ends there
}

// pageText returns the text of a page.
func pageText(p pdf.Page) (result pageResult) {
	l := &layout{state: state{resources: p.Resources(), fonts: make(map[string]*font), scale: 1, ctm: unit, tm: unit, tlm: unit}}
	defer func() {
		l.broken = recover() != nil || l.broken
		l.text = compose(l.lines)
		result = l.pageResult
	}()
	contents := p.V.Key("Contents")
	if kind := contents.Kind(); kind != pdf.Array && kind != pdf.Null {
		l.interpret(contents)
	}
	for i := range contents.Len() { // 0 if it is not an array
		l.interpret(contents.Index(i))
	}
	return pageResult{}
}

// ligatures replaces characters that stand for several letters.
var ligatures = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")
})

// A matrix is the upper two columns of a transformation (ISO 32000-1, 8.3.3).
type matrix struct{ a, b, c, d, e, f float64 }

var unit = matrix{a: 1, d: 1}

// mul returns the transformation that applies m first, and then n.
func (m matrix) mul(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

// A state is what operators of a content stream change. The state after a form is the state before it.
type state struct {
	resources pdf.Value        // resources of the page, or of the form that is drawn
	fonts     map[string]*font // of the resources
	depth     int              // nesting of forms

	// The text state and the matrices (ISO 32000-1, 9.3 and 9.4.2).
	font                                *font
	size, scale, leading, spacing, word float64
	ctm, tm, tlm                        matrix
	stack                               []matrix
}

// A layout collects the lines of a page.
type layout struct {
	pageResult
	state
	forms int // number of forms drawn

	lines []line
}

// interpret reads a content stream. It ignores unknown operators, and operators with wrong operands.
func (l *layout) interpret(stream pdf.Value) {
	pdf.Interpret(stream, func(stack *pdf.Stack, op string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		number := func(i int) float64 { return args[i].Float64() }
		switch {
		case op == "q" && len(l.stack) < 1000:
			l.stack = append(l.stack, l.ctm)
		case op == "Q" && len(l.stack) > 0:
			l.ctm = l.stack[len(l.stack)-1]
			l.stack = l.stack[:len(l.stack)-1]
		case op == "cm" && len(args) == 6:
			l.ctm = matrix{number(0), number(1), number(2), number(3), number(4), number(5)}.mul(l.ctm)
		case op == "BT":
			l.tm, l.tlm = unit, unit
		case op == "Tm" && len(args) == 6:
			l.tlm = matrix{number(0), number(1), number(2), number(3), number(4), number(5)}
			l.tm = l.tlm
		case op == "Td" && len(args) == 2:
			l.move(number(0), number(1))
		case op == "TD" && len(args) == 2:
			l.leading = -number(1)
			l.move(number(0), number(1))
		case op == "T*":
			l.move(0, -l.leading)
		case op == "TL" && len(args) == 1:
			l.leading = number(0)
		case op == "Tc" && len(args) == 1:
			l.spacing = number(0)
		case op == "Tw" && len(args) == 1:
			l.word = number(0)
		case op == "Tz" && len(args) == 1:
			l.scale = number(0) / 100
		case op == "Tf" && len(args) == 2:
			name := args[0].Name()
			if l.fonts[name] == nil {
				l.fonts[name] = newFont(l.resources.Key("Font").Key(name))
			}
			l.font, l.size = l.fonts[name], number(1)
		case op == "Tj" && len(args) == 1:
			l.show(args[0].RawString())
		case op == "'" && len(args) == 1:
			l.move(0, -l.leading)
			l.show(args[0].RawString())
		case op == `"` && len(args) == 3:
			l.word, l.spacing = number(0), number(1)
			l.move(0, -l.leading)
			l.show(args[2].RawString())
		case op == "Do" && len(args) == 1:
			l.draw(l.resources.Key("XObject").Key(args[0].Name()))
		case op == "TJ" && len(args) == 1:
			for i := range args[0].Len() {
				if part := args[0].Index(i); part.Kind() == pdf.String {
					l.show(part.RawString())
				} else {
					l.tm = matrix{1, 0, 0, 1, -part.Float64() / 1000 * l.size * l.scale, 0}.mul(l.tm)
				}
			}
		}
	})
}

const (
	maxFormDepth = 10
	maxForms     = 1000 // of a page
)

// draw draws an image, or a form, which is a stream with its own resources.
func (l *layout) draw(object pdf.Value) {
	if object.Key("Subtype").Name() != "Form" {
		l.images = true
		return
	}
	if l.depth == maxFormDepth || l.forms == maxForms {
		l.broken = true
		return
	}
	before := l.state
	l.depth++
	l.stack = nil
	l.forms++
	if resources := object.Key("Resources"); resources.Kind() == pdf.Dict {
		l.resources, l.fonts = resources, make(map[string]*font)
	}
	if m := object.Key("Matrix"); m.Len() == 6 {
		number := func(i int) float64 { return m.Index(i).Float64() }
		l.ctm = matrix{number(0), number(1), number(2), number(3), number(4), number(5)}.mul(l.ctm)
	}
	l.interpret(object)
	l.state = before
}

func (l *layout) move(x, y float64) {
	l.tlm = matrix{1, 0, 0, 1, x, y}.mul(l.tlm)
	l.tm = l.tlm
}

// show adds a string to the last line, or begins a line if its height differs.
func (l *layout) show(raw string) {
	if l.font == nil {
		return
	}
	s := l.font.decode(raw, l.spacing > l.size/5)
	l.undecoded += s.unknown
	advance := s.width/1000*l.size + l.spacing*float64(s.codes) + l.word*float64(strings.Count(raw, " "))
	at := l.tm.mul(l.ctm)
	end := matrix{1, 0, 0, 1, (advance - l.spacing) * l.scale, 0}.mul(l.tm).mul(l.ctm).e
	l.tm = matrix{1, 0, 0, 1, advance * l.scale, 0}.mul(l.tm)
	text := ligatures().Replace(strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, s.text))
	if text == "" {
		return
	}
	p := part{text: text, x: at.e, end: end}
	if s.mono {
		p.cell = (l.font.mono/1000*math.Abs(l.size) + l.spacing) * l.scale * math.Hypot(at.a, at.b)
	}
	next := &line{parts: []part{p}, y: at.f, size: math.Max(math.Abs(l.size)*math.Hypot(at.c, at.d), 1), cell: p.cell}
	if n := len(l.lines); n == 0 || !l.lines[n-1].join(next) {
		l.lines = append(l.lines, *next)
	}
}

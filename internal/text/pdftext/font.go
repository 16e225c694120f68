package pdftext

import (
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
)

// A font decodes strings, and returns their widths.
type font struct {
	chars  *charMap
	simple bool               // each byte is a character
	widths map[uint32]float64 // of codes, in thousandths of the size
	usual  float64            // width of the other codes
	mono   float64            // width of each character of a monospaced font, otherwise 0
}

func newFont(f pdf.Value) *font {
	n := &font{chars: newCharMap(f), simple: f.Key("Subtype").Name() != "Type0", widths: make(map[uint32]float64), usual: unknownWidth}
	name, descriptor := f.Key("BaseFont").Name(), f.Key("FontDescriptor")
	var known bool
	if n.simple {
		known = n.simpleWidths(f, name)
	} else {
		descendant := f.Key("DescendantFonts").Index(0)
		descriptor = descendant.Key("FontDescriptor")
		known = f.Key("Encoding").Name() == "Identity-H" && n.cidWidths(descendant)
	}
	if known {
		n.mono = n.monospaced(descriptor.Key("Flags").Int64()&1 != 0)
	}
	return n
}

// simpleWidths reads the widths of the bytes. It returns false if there are none.
func (f *font) simpleWidths(v pdf.Value, name string) bool {
	first, widths := int(v.Key("FirstChar").Int64()), v.Key("Widths")
	for i := range 256 {
		if index := i - first; index >= 0 && index < widths.Len() {
			f.widths[uint32(i)] = widths.Index(index).Float64()
		} else if widths.Len() == 0 {
			f.widths[uint32(i)] = usualWidth(name, i)
		}
	}
	return widths.Len() > 0 || strings.HasPrefix(name, "Courier")
}

// maxWidths is the maximum number of widths of a font.
const maxWidths = 70_000

// unset is the width of glyphs that a composite font does not mention.
const unset = 1000

// cidWidths reads the widths of a font whose codes are numbers of glyphs (ISO 32000-1, 9.7.4.3). It returns false if
// there are none.
func (f *font) cidWidths(v pdf.Value) bool {
	list, usual := v.Key("W"), v.Key("DW")
	switch {
	case usual.Kind() != pdf.Null:
		f.usual = usual.Float64()
	case list.Len() == 0:
		return false
	default:
		f.usual = unset
	}
	for i := 0; i+1 < list.Len() && len(f.widths) < maxWidths; {
		first, second := uint32(list.Index(i).Int64()), list.Index(i+1)
		if second.Kind() == pdf.Array {
			for j := range min(second.Len(), maxWidths) {
				f.widths[first+uint32(j)] = second.Index(j).Float64()
			}
			i += 2
			continue
		}
		width := list.Index(i + 2).Float64()
		for code := first; code <= uint32(second.Int64()) && len(f.widths) < maxWidths; code++ {
			f.widths[code] = width
		}
		i += 3
	}
	return true
}

// minEqual is how many letters of equal width make a font monospaced. Digits have equal widths in most fonts, and so have
// the signs of mathematical fonts.
const minEqual = 9

// monospaced returns the width of the letters if all have the same, otherwise 0. With the flag of the font, fewer letters
// are enough, and other printable characters count.
func (f *font) monospaced(flag bool) float64 {
	if len(f.widths) == 0 && f.usual < unset {
		return f.usual
	}
	count, least, most := 0, math.Inf(1), 0.0
	for code, w := range f.widths {
		raw := string([]byte{byte(code >> 8), byte(code)})
		if f.simple {
			raw = raw[1:]
		}
		text, _ := f.chars.next(raw)
		if len(text) != 1 || text[0] <= ' ' || text[0] > '~' || w == 0 {
			continue
		}
		if letter := text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z'; !letter && !flag {
			continue
		}
		count, least, most = count+1, math.Min(least, w), math.Max(most, w)
	}
	if count == 0 || count < minEqual && !flag || most-least > 1 {
		return 0
	}
	return least
}

// width returns the width of a code in thousandths of the size.
func (f *font) width(code string) float64 {
	if f.simple {
		code = code[:1]
	}
	if w, ok := f.widths[number(code)]; ok {
		return w
	}
	return f.usual
}

// A shown is a decoded string.
type shown struct {
	text    string
	width   float64 // in thousandths of the size
	codes   int
	unknown int  // codes without a text
	mono    bool // all characters have the width of a monospaced font
}

// decode decodes a string. spaced says that there are gaps of the width of a space between the characters.
func (f *font) decode(raw string, spaced bool) shown {
	var b strings.Builder
	s := shown{mono: f.mono > 0}
	for raw != "" {
		part, rest := f.chars.next(raw)
		if spaced && part != "" && part != " " && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(part)
		if part == "" || part == "\ufffd" || part[0] < ' ' {
			s.unknown++
		}
		width := f.width(raw[:len(raw)-len(rest)])
		s.width += width
		s.codes++
		s.mono = s.mono && (math.Abs(width-f.mono) < 1 || part == " ")
		raw = rest
	}
	s.text = b.String()
	return s
}

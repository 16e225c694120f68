package pdftext

import (
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"
)

// maxMapped is how many characters the map of a font may have.
const maxMapped = 100_000

// A charMap says which text a font has for the codes in its strings: what its ToUnicode says (ISO
// 32000-1, 9.10.3), or else its encoding (9.6.6).
type charMap struct {
	texts  map[string]string // of codes
	ranges []codeRange
	length [5]bool // whether there are codes of this many bytes
	simple *[256]string
}

// A codeRange says that the codes from low to high are the characters from first on.
type codeRange struct {
	low, high string
	first     []uint16 // UTF-16
}

func newCharMap(f, resources pdf.Value) *charMap {
	if stream := f.Key("ToUnicode"); stream.Kind() == pdf.Stream {
		if m := readCharMap(stream, resources); m != nil {
			return m
		}
	}
	m := &charMap{}
	if f.Key("Subtype").Name() == "Type0" { // without a map, nothing says what its codes are
		return m
	}
	m.simple = simpleEncoding(f.Key("Encoding"))
	return m
}

// simpleEncoding returns the texts of the bytes of a font whose characters are bytes.
func simpleEncoding(encoding pdf.Value) *[256]string {
	base := encoding.Name()
	if encoding.Kind() == pdf.Dict {
		base = encoding.Key("BaseEncoding").Name()
	}
	page := charmap.Windows1252 // which has the others in it, but for a few characters
	if base == "MacRomanEncoding" {
		page = charmap.Macintosh
	}
	var texts [256]string
	for i := ' '; i < 256; i++ {
		texts[i] = string(page.DecodeByte(byte(i)))
	}
	differences := encoding.Key("Differences")
	if encoding.Kind() != pdf.Dict || differences.Kind() != pdf.Array {
		return &texts
	}
	code := int64(-1)
	for i := range min(differences.Len(), 1000) {
		switch v := differences.Index(i); v.Kind() {
		case pdf.Integer:
			code = v.Int64()
		case pdf.Name:
			if code >= 0 && code < 256 {
				texts[code] = glyph(v.Name())
			}
			code++
		}
	}
	return &texts
}

// readCharMap reads a ToUnicode map. It is nil if that is broken. resources is any dictionary.
func readCharMap(stream, resources pdf.Value) (m *charMap) {
	defer func() {
		if recover() != nil {
			m = nil
		}
	}()
	m = &charMap{texts: make(map[string]string)}
	pdf.Interpret(stream, func(stack *pdf.Stack, op string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		switch op {
		case "findresource":
			stack.Push(resources) // the dictionary that "begin" wants
		case "endcodespacerange":
			for i := 0; i+1 < len(args); i += 2 {
				if n := len(args[i].RawString()); n < len(m.length) {
					m.length[n] = true
				}
			}
		case "endbfchar":
			for i := 0; i+1 < len(args); i += 2 {
				m.put(args[i].RawString(), fromUTF16(units(args[i+1].RawString())))
			}
		case "endbfrange":
			for i := 0; i+2 < len(args); i += 3 {
				m.putRange(args[i].RawString(), args[i+1].RawString(), args[i+2])
			}
		}
	})
	return m
}

func (m *charMap) put(code, text string) {
	if len(code) > 0 && len(code) < len(m.length) && len(m.texts) < maxMapped {
		m.texts[code] = text
		m.length[len(code)] = true
	}
}

func (m *charMap) putRange(low, high string, to pdf.Value) {
	if len(low) == 0 || len(low) != len(high) || len(low) >= len(m.length) || low > high || len(m.ranges) >= maxMapped {
		return
	}
	if to.Kind() == pdf.Array {
		code := []byte(low)
		for i := range min(to.Len(), 256) {
			m.put(string(code), fromUTF16(units(to.Index(i).RawString())))
			if string(code) >= high || code[len(code)-1] == 0xff {
				return
			}
			code[len(code)-1]++
		}
		return
	}
	if first := units(to.RawString()); len(first) > 0 {
		m.ranges = append(m.ranges, codeRange{low, high, first})
		m.length[len(low)] = true
	}
}

// next returns the text of the first code of a string, and the rest of the string.
func (m *charMap) next(raw string) (text, rest string) {
	if m.simple != nil {
		return m.simple[raw[0]], raw[1:]
	}
	shortest := 0
	for n := 1; n < len(m.length) && n <= len(raw); n++ {
		if !m.length[n] {
			continue
		}
		if shortest == 0 {
			shortest = n
		}
		code := raw[:n]
		if text, ok := m.texts[code]; ok {
			return text, raw[n:]
		}
		for _, r := range m.ranges {
			if len(r.low) == n && r.low <= code && code <= r.high {
				text := append([]uint16(nil), r.first...)
				text[len(text)-1] += uint16(number(code) - number(r.low))
				found := fromUTF16(text)
				m.put(code, found) // a page has each of its characters many times
				return found, raw[n:]
			}
		}
	}
	if shortest == 0 {
		return "", ""
	}
	return "", raw[shortest:]
}

func number(code string) (n uint32) {
	for i := range len(code) {
		n = n<<8 | uint32(code[i])
	}
	return n
}

func units(raw string) (list []uint16) {
	for i := 0; i+1 < len(raw); i += 2 {
		list = append(list, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	return list
}

func fromUTF16(list []uint16) string { return string(utf16.Decode(list)) }

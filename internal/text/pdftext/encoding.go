package pdftext

import (
	"encoding/hex"
	"io"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
)

// maxMapped is the maximum number of characters in the map of a font.
const maxMapped = 100_000

// A charMap holds the texts of the codes in the strings of a font: by its ToUnicode map (ISO 32000-1, 9.10.3), and for
// codes that this lacks by its encoding (9.6.6).
type charMap struct {
	texts  map[string]string // of codes
	ranges []codeRange
	length [5]bool // whether there are codes of this many bytes
	simple *[256]string
}

// A codeRange maps the codes from low to high to consecutive characters, beginning with first.
type codeRange struct {
	low, high string
	first     []uint16 // UTF-16
}

func newCharMap(f pdf.Value) *charMap {
	m := &charMap{}
	if stream := f.Key("ToUnicode"); stream.Kind() == pdf.Stream {
		if read := readCharMap(stream); read != nil {
			m = read
		}
	}
	if f.Key("Subtype").Name() != "Type0" { // the codes of a Type0 font have no other source of texts
		m.simple = simpleEncoding(f)
	}
	return m
}

// maxCharMap is how many bytes of a ToUnicode map are read.
const maxCharMap = 4 << 20

// readCharMap reads a ToUnicode map. It returns nil if the map has no text for any code. The map is a PostScript
// program; readCharMap reads only its strings, its arrays and the words around its sections.
func readCharMap(stream pdf.Value) (m *charMap) {
	defer func() {
		if recover() != nil {
			m = nil
		}
	}()
	data, _ := io.ReadAll(io.LimitReader(stream.Reader(), maxCharMap)) // after an error, the bytes before it are used
	m = &charMap{texts: make(map[string]string)}
	var section, list []string // strings of a section, and of an array in it
	var lists [][]string       // arrays of a section, which has "" in place of each
	inList := false
	for i := 0; i < len(data); {
		switch c := data[i]; {
		case c == '<' && i+1 < len(data) && data[i+1] != '<':
			code, end := hexString(data[i+1:])
			if i += 1 + end; inList {
				list = append(list, code)
			} else {
				section = append(section, code)
			}
		case c == '[':
			inList, list = true, nil
			i++
		case c == ']' && inList:
			inList = false
			section, lists = append(section, ""), append(lists, list)
			i++
		case c >= 'a' && c <= 'z':
			end := i
			for end < len(data) && data[end] >= 'a' && data[end] <= 'z' {
				end++
			}
			m.endSection(string(data[i:end]), section, lists)
			section, lists, inList = nil, nil, false
			i = end
		default:
			i++
		}
	}
	if len(m.texts) == 0 && len(m.ranges) == 0 {
		return nil
	}
	return m
}

// hexString returns the bytes of hexadecimal digits up to ">", and the offset after them.
func hexString(data []byte) (s string, end int) {
	var digits []byte
	for end < len(data) && data[end] != '>' {
		if c := data[end]; c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' {
			digits = append(digits, c)
		}
		end++
	}
	decoded := make([]byte, len(digits)/2)
	_, _ = hex.Decode(decoded, digits[:len(digits)/2*2]) // they are digits
	return string(decoded), min(end+1, len(data))
}

// endSection reads the strings before a word that ends a section.
func (m *charMap) endSection(word string, section []string, lists [][]string) {
	switch word {
	case "endcodespacerange":
		for _, s := range section {
			if len(s) < len(m.length) {
				m.length[len(s)] = true
			}
		}
	case "endbfchar":
		for i := 0; i+1 < len(section); i += 2 {
			m.put(section[i], fromUTF16(units(section[i+1])))
		}
	case "endbfrange":
		for i := 0; i+2 < len(section); i += 3 {
			if section[i+2] != "" || len(lists) == 0 {
				m.putRange(section[i], section[i+1], units(section[i+2]))
				continue
			}
			m.putList(section[i], section[i+1], lists[0])
			lists = lists[1:]
		}
	}
}

func (m *charMap) put(code, text string) {
	if len(code) > 0 && len(code) < len(m.length) && len(m.texts) < maxMapped {
		m.texts[code] = text
		m.length[len(code)] = true
	}
}

func (m *charMap) putRange(low, high string, first []uint16) {
	if len(low) == 0 || len(low) != len(high) || len(low) >= len(m.length) || low > high || len(m.ranges) >= maxMapped || len(first) == 0 {
		return
	}
	m.ranges = append(m.ranges, codeRange{low, high, first})
	m.length[len(low)] = true
}

// putList maps the codes from low to high, which differ in their last byte, to the texts of a list.
func (m *charMap) putList(low, high string, list []string) {
	if len(low) == 0 {
		return
	}
	code := []byte(low)
	for i := range min(len(list), 256) {
		m.put(string(code), fromUTF16(units(list[i])))
		if string(code) >= high || code[len(code)-1] == 0xff {
			return
		}
		code[len(code)-1]++
	}
}

// next returns the text of the first code of a string, and the rest of the string.
func (m *charMap) next(raw string) (text, rest string) {
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
				m.put(code, found) // keep it, because a page repeats its characters many times
				return found, raw[n:]
			}
		}
	}
	switch {
	case shortest <= 1 && m.simple != nil:
		return m.simple[raw[0]], raw[1:]
	case shortest == 0:
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

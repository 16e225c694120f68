package pdfium

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const maxChars = 500_000 // 160 bytes each

// A Page has the characters of a page. Layers that are off are left out, and the values of forms are characters too.
type Page struct {
	Chars       []Char
	Images      int
	TextObjects int // like Images, without hidden layers
	// of which PDFium knows no character, such as vertical lines without their font
	Lost int
}

// A Char is a character. Positions are in points, from the bottom left of the page.
type Char struct {
	Rune      rune // U+0002: a hyphen at the end of a line; a surrogate: half a character
	Unmapped  bool // the font does not name it
	Font      *Font
	Size      float64
	X, Y      float64
	Box       Box
	Loose     Box     // advance by height of the font
	Advance   float64 // as the font says, in the direction of the line
	Angle     float64 // of the line, in radians, counter-clockwise
	Generated bool    // a space or line end added by PDFium
	Object    int     // index of the text object; -1: none
}

// A Box is a rectangle.
type Box struct{ Left, Bottom, Right, Top float64 }

// A Font is a font of a document.
type Font struct {
	Name string  // PostScript, without the prefix of a subset
	Cell float64 // width of all letters, in sizes; 0: it differs
}

// Page reads a page, from 0.
func (d *Document) Page(n int) (*Page, error) {
	page := d.call("FPDF_LoadPage", d.handle, uint64(n))
	if page == 0 {
		return nil, cmp.Or(d.err, ErrDamaged)
	}
	p := d.read(page)
	if d.filled(page) {
		// PDFium makes objects of the values, but it may lose the fonts of the page. So only the new objects are read.
		before := d.call("FPDFPage_CountObjects", page)
		if d.call("FPDFPage_Flatten", page, 0) == 1 {
			d.call("FPDF_ClosePage", page)
			page = d.call("FPDF_LoadPage", d.handle, uint64(n))
			for i := range before {
				d.call("FPDFPageObj_SetIsActive", d.call("FPDFPage_GetObject", page, i), 0)
			}
			values := d.read(page)
			for _, c := range values.Chars {
				c.Object += p.TextObjects
				p.Chars = append(p.Chars, c)
			}
			p.TextObjects, p.Lost = p.TextObjects+values.TextObjects, p.Lost+values.Lost
		}
	}
	d.call("FPDF_ClosePage", page)
	return p, d.err
}

// filled reports whether a page has fields of a form, or text that was written on it.
func (d *Document) filled(page uint64) (found bool) {
	const freeText, widget = 3, 20
	for i := range uint64(max(0, int32(d.call("FPDFPage_GetAnnotCount", page)))) {
		annot := d.call("FPDFPage_GetAnnot", page, i)
		kind := d.call("FPDFAnnot_GetSubtype", annot)
		d.call("FPDFPage_CloseAnnot", annot)
		if kind == freeText || kind == widget {
			return true
		}
	}
	return false
}

// read reads the active objects of a page.
func (d *Document) read(page uint64) *Page {
	p := new(Page)
	objects := d.objects(p, page, "FPDFPage_CountObjects", "FPDFPage_GetObject", 0)
	p.TextObjects = len(objects)
	if text := d.call("FPDFText_LoadPage", page); text != 0 {
		p.Lost = d.lost(objects, d.chars(p, text))
		d.call("FPDFText_ClosePage", text)
	}
	return p
}

// float returns the 32-bit number at the start of b.
func float(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }

// objects returns the text objects of a page or a form, counts images, and hides objects in layers that are off.
func (d *Document) objects(p *Page, owner uint64, count, get string, depth int) (texts []uint64) {
	const text, image, form, deepest = 1, 3, 5, 8
	n := int32(d.call(count, owner))
	for i := range uint64(max(n, 0)) {
		o := d.call(get, owner, i)
		d.call("FPDFPageObj_GetIsActive", o, d.scratch)
		if d.bytes(d.scratch, 1)[0] == 0 {
			continue
		}
		if d.call("FPDFPageObj_CountMarks", o) != 0 && d.off(o) {
			d.call("FPDFPageObj_SetIsActive", o, 0)
			continue
		}
		switch d.call("FPDFPageObj_GetType", o) {
		case text:
			texts = append(texts, o)
		case image:
			p.Images++
		case form:
			if depth < deepest {
				texts = append(texts, d.objects(p, o, "FPDFFormObj_CountObjects", "FPDFFormObj_GetObject", depth+1)...)
			}
		}
	}
	return texts
}

// lost counts text objects without characters. Two kinds are not lost: PDFium reads text that is drawn twice at the same
// place once, and no space that stands alone. Neither does it read a letter that stands alone and whose font is missing;
// such a letter and a space look equal, so the space is lost if the page has no other text in a font that is missing.
func (d *Document) lost(objects []uint64, read map[uint64]int) (n int) {
	if len(objects) == len(read) {
		return 0
	}
	bounds := func(o uint64) [16]byte {
		s := d.scratch
		clear(d.bytes(s, 16))
		d.call("FPDFPageObj_GetBounds", o, s, s+4, s+8, s+12)
		return [16]byte(d.bytes(s, 16))
	}
	place := func(b [16]byte, x, y int) [2]int { // in squares of 3 points
		return [2]int{int(math.Round(float(b[:])/3)) + x, int(math.Round(float(b[4:])/3)) + y}
	}
	places, fonts := make(map[[2]int]bool), make(map[uint64]bool)
	for o := range read {
		b := bounds(o)
		for i := range 9 { // a shadow is drawn near its text
			places[place(b, i/3-1, i%3-1)] = true
		}
		fonts[d.call("FPDFTextObj_GetFont", o)] = true
	}
	for _, o := range objects {
		if _, ok := read[o]; ok {
			continue
		}
		font, b := d.call("FPDFTextObj_GetFont", o), bounds(o)
		missing := font != 0 && !fonts[font] && d.call("FPDFFont_GetIsEmbedded", font) == 0
		if !places[place(b, 0, 0)] && (missing || float(b[:]) < float(b[8:]) && float(b[4:]) < float(b[12:])) {
			n++
		}
	}
	return n
}

// chars reads the characters of a page from the memory of PDFium, where they are in a row: a call for each fact of
// each character takes five times as long. TestLayout compares them with these calls. It returns the text objects that have
// characters, with their numbers.
func (d *Document) chars(p *Page, text uint64) map[uint64]int {
	const size = 80
	vector := d.bytes(text+16, 8)
	begin, end := uint64(binary.LittleEndian.Uint32(vector)), uint64(binary.LittleEndian.Uint32(vector[4:]))
	numbers := make(map[uint64]int)
	if end < begin {
		return numbers
	}
	if end-begin > maxChars*size {
		d.err = cmp.Or(d.err, fmt.Errorf("a page has more than %d characters", maxChars))
		return numbers
	}
	all := bytes.Clone(d.bytes(begin, end-begin)) // calls below may move the memory
	p.Chars = make([]Char, 0, len(all)/size)
	type style struct {
		font *Font
		size float64
	}
	styles := make(map[uint64]style)
	box := func(b []byte) Box { return Box{float(b), float(b[4:]), float(b[8:]), float(b[12:])} }
	for b := all; len(b) >= size; b = b[size:] {
		c := Char{
			Rune: rune(binary.LittleEndian.Uint32(b[4:])), Generated: b[0] == 1, Unmapped: b[0] == 2,
			X: float(b[12:]), Y: float(b[16:]), Box: box(b[20:]), Loose: box(b[36:]), Object: -1,
		}
		if o := uint64(binary.LittleEndian.Uint32(b[76:])); o != 0 {
			s, ok := styles[o]
			if !ok {
				d.call("FPDFTextObj_GetFontSize", o, d.scratch)
				s.size = float(d.bytes(d.scratch, 4))
				s.font = d.font(d.call("FPDFTextObj_GetFont", o))
				styles[o], numbers[o] = s, len(numbers)
			}
			c.Object, c.Font = numbers[o], s.font
			c.Size = math.Abs(s.size) * math.Hypot(float(b[60:]), float(b[64:]))
			// a negative size turns the text
			sign := math.Copysign(1, s.size)
			// + 0: never -0
			c.Angle = math.Atan2(sign*float(b[56:])+0, sign*float(b[52:]))
			c.Advance = advance(c.Loose, c.Angle)
		}
		p.Chars = append(p.Chars, c)
	}
	return numbers
}

// advance returns the width of a turned rectangle, from the box around it.
func advance(b Box, angle float64) float64 {
	sin, cos := math.Abs(math.Sin(angle)), math.Abs(math.Cos(angle))
	w, h := b.Right-b.Left, b.Top-b.Bottom
	if math.Abs(cos-sin) < .1 {
		return min(w, h) / 2 // the width is unknown
	}
	return max(0, (w*cos-h*sin)/(cos*cos-sin*sin))
}

// font returns a font.
func (d *Document) font(handle uint64) *Font {
	f := d.fonts[handle]
	if f == nil && handle != 0 {
		name, _, _ := strings.Cut(strings.ToValidUTF8(string(d.result("FPDFFont_GetBaseFontName", handle)), ""), "\x00")
		fixed := d.call("FPDFFont_GetFlags", handle)&1 != 0 || fixedNames().MatchString(name)
		f = &Font{Name: name, Cell: d.cell(handle, fixed)}
		d.fonts[handle] = f
	}
	return f
}

// fixedNames finds the names of monospaced fonts.
var fixedNames = lazyregexp.New(`(?i)courier|mono|typewriter|cmtt`)

// cell returns the width that all letters of a font have, or 0. fixed is what the font says of itself, which counts if
// it has few letters.
func (d *Document) cell(font uint64, fixed bool) float64 {
	const size, some, enough = 1000, 2, 9
	same, width := 0, 0.
	for _, r := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" {
		d.call("FPDFFont_GetGlyphWidth", font, uint64(r), uint64(math.Float32bits(size)), d.scratch)
		switch w := float(d.bytes(d.scratch, 4)); {
		case w <= 0: // it is not in the font
		case same > 0 && math.Abs(w-width) > 1:
			return 0
		default:
			same, width = same+1, w
		}
	}
	if same < enough && !(fixed && same >= some) {
		return 0
	}
	return width / size
}

// off reports whether an object of a page is in a layer that is off.
func (d *Document) off(object uint64) bool {
	s := d.scratch
	for i := range d.call("FPDFPageObj_CountMarks", object) {
		mark := d.call("FPDFPageObj_GetMark", object, i)
		if d.call("FPDFPageObjMark_GetName", mark, s, 48, s+48) != 1 || wide(d.bytes(s, 48)) != "OC" {
			continue
		}
		if d.hidden == nil {
			d.hidden = hiddenLayers(d.file)
		}
		const most = 1 << 10
		at := d.call("malloc", most)
		copy(d.bytes(s, 5), "Name\x00")
		name := ""
		if d.call("FPDFPageObjMark_GetParamBlobValue", mark, s, at, most, s+8) == 1 {
			name = string(d.bytes(at, min(most, uint64(binary.LittleEndian.Uint32(d.bytes(s+8, 4))))))
		}
		d.call("free", at)
		if d.hidden[name] {
			return true
		}
	}
	return false
}

// hiddenLayers returns the names of the layers of a file that are off, as bytes. PDFium does not say it, so this searches
// the file for the catalog and the objects it names. In an encrypted file, it finds nothing.
func hiddenLayers(file []byte) map[string]bool {
	f, left := make(objects), 64<<20
	catalog := after(file)
	for _, m := range objectStart.FindAllSubmatchIndex(file, -1) {
		text := file[m[1]:]
		if end := bytes.Index(text, []byte("endobj")); end >= 0 {
			text = text[:end]
		}
		f[string(file[m[2]:m[3]])] = text
		if head := text[:min(len(text), 1000)]; bytes.Contains(head, []byte("/ObjStm")) {
			catalog = cmp.Or(after(f.unpack(text, &left)), catalog)
		}
	}
	layers := f.find("/OCProperties"+catalog, "/OCProperties")
	state := f.find(layers, "/D")
	off, on := f.list(state, "/OFF"), f.list(state, "/ON")
	if baseOff.MatchString(state) {
		off = slices.DeleteFunc(f.list(layers, "/OCGs"), func(r string) bool { return slices.Contains(on, r) })
	}
	hidden := make(map[string]bool)
	for _, r := range off {
		hidden[f.layerName(r)] = true
	}
	for _, r := range f.list(layers, "/OCGs") { // a name may be given twice
		if !slices.Contains(off, r) {
			delete(hidden, f.layerName(r))
		}
	}
	return hidden
}

// after returns what follows the last key of layers in a text.
func after(text []byte) string {
	i := bytes.LastIndex(text, []byte("/OCProperties"))
	if i < 0 {
		return ""
	}
	return string(text[i+len("/OCProperties") : min(len(text), i+1<<20)])
}

var (
	objectStart = regexp.MustCompile(`(?:^|\s)(\d{1,9})\s+\d+\s+obj\b`)
	firstObject = regexp.MustCompile(`/First\s+(\d{1,8})\b`)
	reference   = regexp.MustCompile(`(\d{1,9})\s+\d+\s+R\b`)
	baseOff     = regexp.MustCompile(`/BaseState\s*/OFF\b`)
	nameOfLayer = regexp.MustCompile(`(?s)/Name\s*(?:\(((?:\\.|[^\\)])*)\)|<([0-9A-Fa-f\s]*)>)`)
	escape      = regexp.MustCompile(`(?s)\\([0-7]{1,3}|.)`)
)

// objects are the texts of objects, by their numbers.
type objects map[string][]byte

// unpack adds the objects of a compressed stream, and returns all of their text.
func (f objects) unpack(stream []byte, left *int) []byte {
	dictionary, packed, _ := bytes.Cut(stream, []byte("stream"))
	first := firstObject.FindSubmatch(dictionary)
	r, err := zlib.NewReader(bytes.NewReader(bytes.TrimLeft(packed, "\r\n")))
	if first == nil || err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(r, int64(*left)))
	*left -= len(text)
	start, _ := strconv.Atoi(string(first[1]))
	// pairs of a number and an offset
	numbers := bytes.Fields(text[:min(start, len(text))])
	for i := 0; i+1 < len(numbers); i += 2 {
		if offset, err := strconv.Atoi(string(numbers[i+1])); err == nil && offset >= 0 && start+offset < len(text) {
			f[string(numbers[i])] = text[start+offset:]
		}
	}
	return text
}

// find returns the text of the value of a key, which may be a reference.
func (f objects) find(text, key string) string {
	m := regexp.MustCompile(key + `\s*(?:(\d{1,9})\s+\d+\s+R\b|<<|\[)`).FindStringSubmatchIndex(text)
	switch {
	case m == nil:
		return ""
	case m[2] >= 0:
		return string(f[text[m[2]:m[3]]])
	}
	return text[m[0]+len(key):]
}

// list returns the numbers of the objects in a list.
func (f objects) list(text, key string) (numbers []string) {
	text, _, _ = strings.Cut(f.find(text, key), "]")
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		numbers = append(numbers, m[1])
	}
	return numbers
}

// layerName returns the name of a layer.
func (f objects) layerName(number string) string {
	m := nameOfLayer.FindSubmatch(f[number])
	if m == nil {
		return ""
	}
	digits, _ := hex.DecodeString(string(bytes.Join(bytes.Fields(m[2]), nil)))
	return string(digits) + string(escape.ReplaceAllFunc(m[1], func(text []byte) []byte {
		if n, err := strconv.ParseUint(string(text[1:]), 8, 16); err == nil {
			return []byte{byte(n)}
		}
		return text[1:]
	}))
}

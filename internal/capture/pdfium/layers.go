package pdfium

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

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
		const most = 1 << 10 // bytes of a name
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
	f, left := make(objects), 64<<20 // bytes of compressed objects
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
	numbers := bytes.Fields(text[:min(start, len(text))]) // pairs of a number and an offset
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

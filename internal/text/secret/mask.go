package secret

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

// maxMasked is the number of secrets that are replaced in a text; a text with more is a list of secrets.
const maxMasked = 1000

// Mask replaces the secrets of a text, each by a note that says so, and returns the secrets. Lines keep their numbers: a
// block of several lines becomes one line, and empty lines. ok is false if something that looks like a secret remains,
// such as a key whose end is missing. A text without secrets is returned as it is, another one in UTF-8.
func Mask(text []byte) (masked []byte, found []Finding, ok bool) {
	found = find(text)
	if len(found) == 0 {
		return text, nil, true
	}
	decoded := text
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		decoded, _ = unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Bytes(text) // an invalid unit becomes U+FFFD
	}
	slices.SortFunc(found, func(a, b Finding) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	end := 0
	for _, f := range found {
		from, to := int(f.from), f.end(decoded)
		if to < 0 {
			return nil, found, false
		}
		if from < end { // in the last one
			continue
		}
		what := strings.TrimPrefix(f.What, "holds ")
		out = append(append(out, decoded[end:from]...), "[removed: looks like "+what+"]"...)
		lines := bytes.Repeat([]byte("\n"), bytes.Count(decoded[from:to], []byte("\n")))
		if ends := bytes.Join(between().FindAll(decoded[from:to], -1), nil); bytes.Count(ends, []byte("\n")) == len(lines) { // of the strings of a list
			lines = ends
		}
		out = append(out, lines...)
		end = to
	}
	out = append(out, decoded[end:]...)
	return out, found, len(find(out)) == 0
}

// find returns the secrets of a text.
func find(text []byte) []Finding {
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	found, _ := s.scan(context.Background(), bytes.NewReader(text), maxMasked) // neither of the two has an error
	return found
}

// end returns the end of a secret in its text, or -1 if it is not known. A key in PEM ends with its last line. In one
// that is written in another way, such as with escaped line ends, the end of the key is not certain.
func (f Finding) end(text []byte) int {
	if f.whole {
		return int(f.to)
	}
	block := text[f.from:]
	if strings.HasSuffix(f.What, inBase64) {
		if n := encodedEnd(block); n >= 0 {
			return int(f.from) + n
		}
		return -1
	}
	label, _, isPEM := bytes.Cut(bytes.TrimPrefix(block, pemBegin), []byte("-----"))
	if !isPEM || !bytes.HasPrefix(block, pemBegin) {
		return -1
	}
	last := slices.Concat(pemEnd, label, []byte("-----"))
	n := bytes.Index(block, last)
	if n < 0 || bytes.IndexByte(block[:n], '\\') >= 0 || bytes.IndexByte(block[:n], '\n') < 0 || bytes.Contains(block[len(pemBegin):n], pemBegin) {
		return -1
	}
	return int(f.from) + n + len(last)
}

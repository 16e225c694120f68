package pdftext

import (
	"bytes"
	_ "embed"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// simpleEncoding returns the text of each byte for a font whose codes are bytes: from its base encoding, which may be
// in the font program, and the differences that the PDF lists (ISO 32000-1, 9.6.6).
func simpleEncoding(font pdf.Value) *[256]string {
	encoding := font.Key("Encoding")
	base := encoding.Name()
	if encoding.Kind() == pdf.Dict {
		base = encoding.Key("BaseEncoding").Name()
	}
	var texts *[256]string
	switch {
	case base == "MacRomanEncoding":
		texts = pageOf(charmap.Macintosh)
	case base == "" && strings.HasPrefix(font.Key("BaseFont").Name(), "Symbol"):
		texts = symbolTexts()
	case base == "" && font.Key("Subtype").Name() != "TrueType":
		texts = programTexts(font.Key("FontDescriptor").Key("FontFile"))
	default:
		texts = pageOf(charmap.Windows1252) // contains the other encodings, except for a few characters
	}
	differences := encoding.Key("Differences")
	if encoding.Kind() != pdf.Dict || differences.Kind() != pdf.Array {
		return texts
	}
	code := int64(-1)
	for i := range min(differences.Len(), 1000) {
		switch v := differences.Index(i); v.Kind() {
		case pdf.Integer:
			code = v.Int64()
		case pdf.Name:
			if code >= 0 && code < 256 {
				if texts[code] = glyph(v.Name()); texts[code] == "" && code > ' ' && code < 0x7f && strings.HasSuffix(v.Name(), strconv.Itoa(int(code))) {
					texts[code] = string(rune(code)) // a bitmap font of TeX, whose glyphs are named by their codes
				}
			}
			code++
		}
	}
	return texts
}

func pageOf(page *charmap.Charmap) *[256]string {
	texts := new([256]string)
	for i := ' '; i < 256; i++ {
		texts[i] = string(page.DecodeByte(byte(i)))
	}
	return texts
}

// put sets the texts from a code on, one for each character. NUL: the code has no text.
func put(texts *[256]string, code int, list string) {
	for _, r := range list {
		if texts[code] = string(r); r == 0 {
			texts[code] = ""
		}
		code++
	}
}

// standardTexts returns the default encoding of Type 1 fonts (ISO 32000-1, D.2).
func standardTexts() *[256]string {
	texts := new([256]string)
	for i := ' '; i < 0x7f; i++ {
		texts[i] = string(i)
	}
	texts['\''], texts['`'] = "’", "‘"
	put(texts, 0xa1, "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ\x00–†‡·\x00¶•‚„”»…‰\x00¿\x00`´ˆ˜¯˘˙¨\x00˚¸\x00˝˛ˇ—")
	put(texts, 0xe1, "Æ\x00ª\x00\x00\x00\x00ŁØŒº\x00\x00\x00\x00\x00æ\x00\x00\x00ı\x00\x00łøœß")
	return texts
}

// symbolTexts returns the encoding of the font Symbol (ISO 32000-1, D.5).
func symbolTexts() *[256]string {
	texts := new([256]string)
	put(texts, ' ', " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼")
	put(texts, 0xa0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪")
	put(texts, 0xf1, "⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭")
	return texts
}

// maxProgram is how many bytes of a font program are read: the encoding is at its beginning.
const maxProgram = 64 << 10

// entry finds an entry of the encoding in a font program.
var entry = lazyregexp.New(`dup\s+(\d{1,3})\s*/([^\s/\[\](){}<>%]+)\s+put`)

// programTexts returns the encoding in a Type 1 font program (Adobe Type 1 Font Format, 2.2), or the standard encoding.
func programTexts(program pdf.Value) (texts *[256]string) {
	defer func() {
		if recover() != nil {
			texts = standardTexts()
		}
	}()
	if program.Kind() != pdf.Stream {
		return standardTexts()
	}
	data, _ := io.ReadAll(io.LimitReader(program.Reader(), maxProgram)) // after an error, the bytes before it are used
	data, _, _ = bytes.Cut(data, []byte("eexec"))
	entries := entry().FindAllSubmatch(data, 256)
	if len(entries) == 0 {
		return standardTexts()
	}
	texts = new([256]string)
	for _, e := range entries {
		if code, err := strconv.Atoi(string(e[1])); err == nil && code < 256 {
			texts[code] = glyph(string(e[2]))
		}
	}
	return texts
}

// glyphNames are names of glyphs with their characters in hexadecimal: Latin and Greek letters, punctuation and
// ligatures from the Adobe Glyph List, and mathematical signs from the list of TeX. Letters with accents are composed. The
// list of the library has 4281 names, most of them for scripts whose fonts have maps, and takes 218 KB when the program starts.
//
//go:embed glyphs.txt
var glyphNames string

// accents maps the names of accents to characters that combine with the letter before them.
var accents = map[string]string{
	"": "", "grave": "\u0300", "acute": "\u0301", "circumflex": "\u0302", "tilde": "\u0303", "macron": "\u0304", "breve": "\u0306", "dot": "\u0307", "dotaccent": "\u0307",
	"dieresis": "\u0308", "ring": "\u030a", "hungarumlaut": "\u030b", "dblacute": "\u030b", "caron": "\u030c", "cedilla": "\u0327", "commaaccent": "\u0327", "ogonek": "\u0328",
}

// glyphs maps names to characters. It is made at its first use.
var glyphs = sync.OnceValue(func() map[string]rune {
	words := strings.Fields(glyphNames)
	list := make(map[string]rune, len(words)/2)
	for i := 0; i+1 < len(words); i += 2 {
		if n, err := strconv.ParseUint(words[i+1], 16, 32); err == nil {
			list[words[i]] = rune(n)
		}
	}
	return list
})

// glyph returns the text of a glyph by its name, as the Adobe Glyph List Specification defines it: a
// part after a dot does not count, parts between underscores are characters of a ligature, and
// "uni" and "u" come before numbers. Mathematical fonts of TeX have some signs in several sizes.
func glyph(name string) string {
	name, _, _ = strings.Cut(name, ".")
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		r, ok := glyphs()[part]
		for _, size := range []string{"big", "Big", "bigg", "Bigg", "text", "display", "wide", "wider", "widest"} {
			if smaller, found := strings.CutSuffix(part, size); found && !ok {
				r, ok = glyphs()[smaller]
			}
		}
		if ok {
			b.WriteRune(r)
			continue
		}
		if accent, ok := accents[part[min(len(part), 1):]]; ok {
			b.WriteString(norm.NFC.String(part[:min(len(part), 1)] + accent))
			continue
		}
		digits, ok := strings.CutPrefix(part, "uni")
		if !ok {
			digits, ok = strings.CutPrefix(part, "u")
		}
		if n, err := strconv.ParseUint(digits, 16, 32); ok && err == nil && len(digits) >= 4 && utf8.ValidRune(rune(n)) {
			b.WriteRune(rune(n))
		}
	}
	return b.String()
}

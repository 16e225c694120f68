// Package pdfium reads the characters of PDF files with PDFium, compiled to WebAssembly and run by wazero.
package pdfium

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

//go:embed pdfium.wasm.gz
var module []byte

// An Engine reads PDF files, one at a time.
type Engine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// New returns an engine. cache is a folder for the compiled code; "": it is not kept.
func New(cache string) (*Engine, error) {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(maxMemory >> 16).WithDebugInfoEnabled(false)
	if cache != "" {
		kept, err := wazero.NewCompilationCacheWithDir(cache)
		if err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(kept)
	}
	r, err := gzip.NewReader(bytes.NewReader(module))
	if err != nil {
		return nil, err
	}
	code, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	e := &Engine{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	if e.compiled, err = e.runtime.CompileModule(ctx, code); err != nil {
		return nil, err
	}
	hosts := make(map[string]wazero.HostModuleBuilder)
	for _, f := range e.compiled.ImportedFunctions() {
		from, name, _ := f.Import()
		if hosts[from] == nil {
			hosts[from] = e.runtime.NewHostModuleBuilder(from)
		}
		hosts[from].NewFunctionBuilder().WithGoModuleFunction(stub(from, name), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, h := range hosts {
		if _, err := h.Instantiate(ctx); err != nil {
			return nil, err
		}
	}
	return e, nil
}

const (
	maxMemory = 256 << 20 // bytes of the memory of PDFium
	badFile   = 8         // EBADF of WASI
)

// stub returns a function that the module imports: it has no files, no environment, no clock and nothing else.
func stub(from, name string) api.GoModuleFunc {
	switch name {
	case "environ_sizes_get":
		return func(_ context.Context, m api.Module, stack []uint64) {
			m.Memory().WriteUint32Le(uint32(stack[0]), 0)
			m.Memory().WriteUint32Le(uint32(stack[1]), 0)
			stack[0] = 0
		}
	case "clock_time_get":
		return func(_ context.Context, m api.Module, stack []uint64) {
			m.Memory().WriteUint64Le(uint32(stack[2]), 0)
			stack[0] = 0
		}
	case "proc_exit":
		return func(context.Context, api.Module, []uint64) { panic(errors.New("PDFium has ended")) }
	}
	return func(_ context.Context, _ api.Module, stack []uint64) {
		if len(stack) > 0 {
			stack[0] = 0
			if from != "env" {
				stack[0] = badFile
			}
		}
	}
}

// A Document is a PDF file that is open.
type Document struct {
	m       api.Module
	handle  uint64
	scratch uint64 // 64 bytes for results
	stack   [12]uint64
	calls   map[string]api.Function
	fonts   map[uint64]*Font
	err     error
}

// An Entry is an entry of the outline.
type Entry struct {
	Level int // from 1
	Title string
	Page  int // from 0; -1: none
	Y     float64
}

// A Page has the characters of a page, in the order of PDFium.
type Page struct {
	Width, Height float64
	Chars         []Char
	TextObjects   int // that have text operators
	Images        int
}

// A Char is a character. Positions are in points, from the bottom left of the page.
type Char struct {
	Rune      rune // U+0002 is a hyphen at the end of a line
	Font      *Font
	Size      float64 // of the font, in points of the page
	X, Y      float64 // the origin
	Box       Box     // the glyph
	Loose     Box     // the width of the glyph as the font says, and the height of the font
	Angle     float64 // radians, counter-clockwise
	Generated bool    // a space or an end of a line that is not in the file
	Object    int     // the number of the text object, from 0; -1: generated
}

// A Box has the borders of a rectangle.
type Box struct{ Left, Bottom, Right, Top float64 }

// A Font is a font of a document.
type Font struct {
	Name                string // PostScript name
	Fixed, Bold, Italic bool
	Flags               int // as in the font descriptor
	Weight              int
}

// Errors of [Engine.Open].
var (
	ErrEncrypted = errors.New("it needs a password")
	ErrDamaged   = errors.New("it is broken")
)

// Open opens a file.
func (e *Engine) Open(file []byte) (d *Document, err error) {
	ctx := context.Background()
	m, err := e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, err
	}
	d = &Document{m: m, calls: make(map[string]api.Function), fonts: make(map[uint64]*Font)}
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	d.call("FPDF_InitLibrary")
	d.scratch = d.call("malloc", 256)
	at := d.call("malloc", uint64(len(file)))
	if d.err != nil || at == 0 || !m.Memory().Write(uint32(at), file) {
		return nil, cmp.Or(d.err, fmt.Errorf("it is too large"))
	}
	d.handle = d.call("FPDF_LoadMemDocument64", at, uint64(len(file)), 0)
	switch {
	case d.err != nil:
		return nil, d.err
	case d.handle != 0:
		return d, nil
	}
	switch code := d.call("FPDF_GetLastError"); code {
	case 4, 5:
		return nil, ErrEncrypted
	default:
		return nil, ErrDamaged
	}
}

// Close frees the memory of the document.
func (d *Document) Close() { _ = d.m.Close(context.Background()) }

// call calls a function of PDFium. After an error it does nothing.
func (d *Document) call(name string, args ...uint64) uint64 {
	if d.err != nil {
		return 0
	}
	f := d.calls[name]
	if f == nil {
		if f = d.m.ExportedFunction(name); f == nil {
			d.err = fmt.Errorf("no function %s", name)
			return 0
		}
		d.calls[name] = f
	}
	copy(d.stack[:], args)
	if err := f.CallWithStack(context.Background(), d.stack[:]); err != nil {
		d.err = fmt.Errorf("PDFium: %w", err)
		return 0
	}
	return d.stack[0]
}

// bytes returns a part of the memory of PDFium.
func (d *Document) bytes(at uint64, size int) []byte {
	b, ok := d.m.Memory().Read(uint32(at), uint32(size))
	if !ok {
		d.err = cmp.Or(d.err, fmt.Errorf("PDFium: no memory at %d", at))
		return make([]byte, size)
	}
	return b
}

func (d *Document) float(n int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(d.bytes(d.scratch+uint64(4*n), 4))))
}

func (d *Document) double(n int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(d.bytes(d.scratch+uint64(8*n), 8)))
}

// text returns the result of a function that writes it into a buffer, and returns its size.
func (d *Document) text(wide bool, name string, args ...uint64) string {
	n := d.call(name, append(args, 0, 0)...)
	if n == 0 || n > 1<<20 || d.err != nil {
		return ""
	}
	at := d.call("malloc", n)
	if at == 0 {
		return ""
	}
	defer d.call("free", at)
	d.call(name, append(args, at, n)...)
	b := bytes.Clone(d.bytes(at, int(n)))
	if !wide {
		return strings.ToValidUTF8(string(bytes.TrimRight(b, "\x00")), "")
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return strings.TrimRight(string(utf16.Decode(units)), "\x00")
}

// Pages returns the number of pages.
func (d *Document) Pages() int { return int(int32(d.call("FPDF_GetPageCount", d.handle))) }

// Title returns the title in the properties of the document.
func (d *Document) Title() string {
	at := d.call("malloc", 16)
	defer d.call("free", at)
	copy(d.bytes(at, 6), "Title\x00")
	return d.text(true, "FPDF_GetMetaText", d.handle, at)
}

const maxEntries = 20_000

// Outline returns the entries of the outline.
func (d *Document) Outline() []Entry {
	var all []Entry
	seen := make(map[uint64]bool)
	var read func(mark uint64, level int)
	read = func(mark uint64, level int) {
		for ; mark != 0 && !seen[mark] && level < 64 && len(all) < maxEntries; mark = d.call("FPDFBookmark_GetNextSibling", d.handle, mark) {
			seen[mark] = true
			e := Entry{Level: level, Title: d.text(true, "FPDFBookmark_GetTitle", mark), Page: -1}
			if dest := d.call("FPDFBookmark_GetDest", d.handle, mark); dest != 0 {
				e.Page = int(int32(d.call("FPDFDest_GetDestPageIndex", d.handle, dest)))
				s := d.scratch
				clear(d.bytes(s, 32))
				d.call("FPDFDest_GetLocationInPage", dest, s, s+4, s+8, s+12, s+16, s+20)
				e.Y = d.float(4)
			}
			all = append(all, e)
			read(d.call("FPDFBookmark_GetFirstChild", d.handle, mark), level+1)
		}
	}
	read(d.call("FPDFBookmark_GetFirstChild", d.handle, 0), 1)
	return all
}

// Page reads a page, from 0.
func (d *Document) Page(n int) (*Page, error) {
	page := d.call("FPDF_LoadPage", d.handle, uint64(n))
	if page == 0 {
		return nil, cmp.Or(d.err, ErrDamaged)
	}
	defer func() { d.call("FPDF_ClosePage", page) }()
	if d.call("FPDFPage_GetAnnotCount", page) > 0 && int32(d.call("FPDF_GetFormType", d.handle)) > 0 {
		if d.call("FPDFPage_Flatten", page, 0) == 1 {
			d.call("FPDF_ClosePage", page)
			if page = d.call("FPDF_LoadPage", d.handle, uint64(n)); page == 0 {
				return nil, cmp.Or(d.err, ErrDamaged)
			}
		}
	}
	text := d.call("FPDFText_LoadPage", page)
	defer d.call("FPDFText_ClosePage", text)
	p := &Page{
		Width:  float64(math.Float32frombits(uint32(d.call("FPDF_GetPageWidthF", page)))),
		Height: float64(math.Float32frombits(uint32(d.call("FPDF_GetPageHeightF", page)))),
	}
	d.count(p, "FPDFPage", page, 0)
	count := uint64(d.call("FPDFText_CountChars", text))
	if int32(count) < 0 {
		count = 0
	}
	p.Chars = make([]Char, 0, count)
	s := d.scratch
	var object, number uint64
	var last Char
	for i := range count {
		c := Char{Rune: rune(uint32(d.call("FPDFText_GetUnicode", text, i))), Object: -1}
		c.Generated = d.call("FPDFText_IsGenerated", text, i) == 1
		d.call("FPDFText_GetCharOrigin", text, i, s, s+8)
		c.X, c.Y = d.double(0), d.double(1)
		d.call("FPDFText_GetCharBox", text, i, s, s+8, s+16, s+24)
		c.Box = Box{d.double(0), d.double(2), d.double(1), d.double(3)}
		d.call("FPDFText_GetLooseCharBox", text, i, s)
		c.Loose = Box{d.float(0), d.float(3), d.float(2), d.float(1)}
		if o := d.call("FPDFText_GetTextObject", text, i); o != 0 {
			if o != object {
				object = o
				number++
				d.call("FPDFText_GetMatrix", text, i, s)
				a, b, cc, dd := d.float(0), d.float(1), d.float(2), d.float(3)
				last.Angle = math.Atan2(b, a)
				d.call("FPDFTextObj_GetFontSize", o, s)
				last.Size = math.Abs(d.float(0)) * math.Hypot(cc, dd)
				last.Font = d.font(d.call("FPDFTextObj_GetFont", o))
				last.Object = int(number) - 1
			}
			c.Object, c.Font, c.Size, c.Angle = last.Object, last.Font, last.Size, last.Angle
		}
		p.Chars = append(p.Chars, c)
	}
	return p, d.err
}

const (
	textObject  = 1
	imageObject = 3
	formObject  = 5
)

// count counts objects of a page or a form.
func (d *Document) count(p *Page, kind string, of uint64, depth int) {
	if depth > 8 {
		return
	}
	n := d.call(kind+"_CountObjects", of)
	for i := uint64(0); i < n && int32(n) > 0; i++ {
		o := d.call(kind+"_GetObject", of, i)
		switch d.call("FPDFPageObj_GetType", o) {
		case textObject:
			p.TextObjects++
		case imageObject:
			p.Images++
		case formObject:
			d.count(p, "FPDFFormObj", o, depth+1)
		}
	}
}

// font returns a font.
func (d *Document) font(handle uint64) *Font {
	if handle == 0 {
		return nil
	}
	if f := d.fonts[handle]; f != nil {
		return f
	}
	f := &Font{Name: d.text(false, "FPDFFont_GetBaseFontName", handle), Flags: int(int32(d.call("FPDFFont_GetFlags", handle))), Weight: int(int32(d.call("FPDFFont_GetWeight", handle)))}
	name := strings.ToLower(f.Name)
	f.Fixed = f.Flags&1 != 0 || strings.Contains(name, "courier") || strings.Contains(name, "mono")
	f.Bold = strings.Contains(name, "bold") || f.Flags&(1<<18) != 0
	f.Italic = strings.Contains(name, "italic") || strings.Contains(name, "oblique") || f.Flags&(1<<6) != 0
	d.fonts[handle] = f
	return f
}

// Package pdfium reads the characters of PDF files with PDFium, the PDF reader of Chromium. PDFium is compiled to
// WebAssembly, so it needs no C, and a hostile file harms nothing but the memory that it is read in.
//
//   - The module in the program is a part of the one of github.com/klippa-app/go-pdfium: the functions that this package
//     calls, and what they need. go generate makes it.
//   - The module has no file, folder, network, clock or environment: every function that it imports is a stub.
//   - It has at most [maxMemory] bytes, which are reserved once. A file that needs more is an error.
//   - Time is not bounded here: the process that reads files is a child, which its parent ends.
//   - Compiling takes two seconds of processor time, so the compiled code is kept in a folder; see [New].
//
// The order of the characters is the order of PDFium, mostly that in which the file draws them.
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
	"runtime/debug"
	"unicode/utf16"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

//go:embed pdfium.wasm.gz
var module []byte

const maxMemory = 256 << 20

// An Engine opens PDF files. Its documents must not be used at the same time.
type Engine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// New returns an engine. It keeps the compiled code in the folder, which it makes if it does not exist. The folder and
// the files in it must belong to this user, and nobody else may write to them; the folder must not be a link. Damaged code
// is compiled again, and the code of other versions is removed.
//
// slow says why every later engine will be slow as well: the code is interpreted, or compiled each time. It is "" if
// the code is kept.
func New(folder string) (e *Engine, slow string, err error) {
	r, err := gzip.NewReader(bytes.NewReader(module))
	if err != nil {
		return nil, "", err
	}
	code, err := io.ReadAll(r)
	if err != nil {
		return nil, "", err
	}
	e, slow, err = load(code, folder)
	debug.FreeOSMemory()
	return e, slow, err
}

// load compiles a module, or loads the compiled code from the folder.
func load(code []byte, folder string) (e *Engine, slow string, err error) {
	c, err := openCache(folder)
	if err == nil {
		defer c.close()
		if e, err = compile(code, c); err != nil {
			if err = c.remove(c.before); err == nil {
				c.before = nil
				e, err = compile(code, c)
			}
		}
		if err == nil {
			slow, err = c.keep()
		}
	}
	if err != nil {
		slow = "compiled for each process: " + err.Error()
		e, err = compile(code, nil)
	}
	return e, slow, err
}

// compile compiles a module, unless the cache has the compiled code.
func compile(code []byte, c *cache) (*Engine, error) {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(maxMemory >> 16).WithDebugInfoEnabled(false)
	if c != nil {
		kept, err := wazero.NewCompilationCacheWithDir(c.dir)
		if err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(kept)
	}
	e := &Engine{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	var err error
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

// stub returns a function that the module imports. It fails, or does nothing.
func stub(from, name string) api.GoModuleFunc {
	const badFile = 8 // of WASI; with other errors, PDFium does not start
	return func(_ context.Context, m api.Module, stack []uint64) {
		switch {
		case name == "proc_exit":
			panic(errors.New("PDFium has ended"))
		case name == "environ_sizes_get":
			m.Memory().WriteUint64Le(uint32(stack[0]), 0)
			m.Memory().WriteUint32Le(uint32(stack[1]), 0)
			stack[0] = 0
		case name == "clock_time_get": // it is 1970
			m.Memory().WriteUint64Le(uint32(stack[2]), 0)
			stack[0] = 0
		case len(stack) > 0 && from == "env":
			stack[0] = 0
		case len(stack) > 0:
			stack[0] = badFile
		}
	}
}

// Errors of [Engine.Open].
var (
	ErrEncrypted = errors.New("it needs a password")
	ErrDamaged   = errors.New("it is broken")
)

// A Document is a PDF file that is open.
type Document struct {
	module  api.Module
	calls   map[string]api.Function
	stack   [12]uint64
	err     error // nothing is called after it
	handle  uint64
	scratch uint64
	file    []byte
	hidden  map[string]bool // layers that are off; nil: not yet read
	fonts   map[uint64]*Font
}

// Open opens a file. The document ends with [Document.Close].
func (e *Engine) Open(file []byte) (_ *Document, err error) {
	d := &Document{calls: make(map[string]api.Function), fonts: make(map[uint64]*Font), file: file}
	ctx := experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(reserve))
	if d.module, err = e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	d.call("FPDF_InitLibrary")
	d.scratch = d.call("malloc", 64)
	at := d.call("malloc", uint64(len(file)))
	if d.err == nil && (at == 0 || !d.module.Memory().Write(uint32(at), file)) {
		d.err = fmt.Errorf("it is larger than the memory for it, %d MiB", maxMemory>>20)
	}
	d.handle = d.call("FPDF_LoadMemDocument64", at, uint64(len(file)), 0)
	if d.handle == 0 {
		reason := d.call("FPDF_GetLastError")
		switch {
		case d.err != nil:
			return nil, d.err
		case reason == 4 || reason == 5: // a password, or unknown encryption
			return nil, ErrEncrypted
		}
		return nil, ErrDamaged
	}
	return d, nil
}

// Close frees the memory of the document.
func (d *Document) Close() { _ = d.module.Close(context.Background()) }

// call calls a function of PDFium, unless there was an error.
func (d *Document) call(name string, args ...uint64) uint64 {
	if d.err != nil {
		return 0
	}
	f := d.calls[name]
	if f == nil {
		f = d.module.ExportedFunction(name)
		d.calls[name] = f
	}
	copy(d.stack[:], args)
	if err := f.CallWithStack(context.Background(), d.stack[:]); err != nil {
		d.err = failure(err, d.module.Memory().Size())
		return 0
	}
	return d.stack[0]
}

// failure says why PDFium has stopped. It stops when a file needs too much memory.
func failure(err error, memory uint32) error {
	if memory > maxMemory/2 {
		return fmt.Errorf("it needs more than %d MiB of memory", maxMemory>>20)
	}
	line, _, _ := bytes.Cut([]byte(err.Error()), []byte("\n")) // stack traces follow
	return fmt.Errorf("PDFium has stopped: %s", line)
}

// bytes returns a part of the memory of PDFium, which is valid until the next call.
func (d *Document) bytes(at, size uint64) []byte {
	b, ok := d.module.Memory().Read(uint32(at), uint32(size))
	if !ok {
		d.err = cmp.Or(d.err, errors.New("PDFium has returned a wrong address"))
		return make([]byte, size)
	}
	return b
}

// result returns the bytes that a function writes into a buffer. The function returns their number.
func (d *Document) result(name string, args ...uint64) []byte {
	const most = 1 << 20
	n := d.call(name, append(args, 0, 0)...)
	if n == 0 || n > most {
		return nil
	}
	at := d.call("malloc", n)
	defer d.call("free", at)
	d.call(name, append(args, at, n)...)
	return bytes.Clone(d.bytes(at, n))
}

// wide returns UTF-16 as text.
func wide(b []byte) string {
	var units []uint16
	for ; len(b) > 1 && (b[0] != 0 || b[1] != 0); b = b[2:] {
		units = append(units, binary.LittleEndian.Uint16(b))
	}
	return string(utf16.Decode(units))
}

// Pages returns the number of pages.
func (d *Document) Pages() int { return int(int32(d.call("FPDF_GetPageCount", d.handle))) }

// An Entry is an entry of the outline.
type Entry struct {
	Level int
	Title string
	Page  int // from 0; -1: elsewhere
}

// Outline returns the entries of the outline, in order.
func (d *Document) Outline() []Entry {
	const most, deepest = 20_000, 64
	var all []Entry
	seen := make(map[uint64]bool)
	var read func(mark uint64, level int)
	read = func(mark uint64, level int) {
		for ; mark != 0 && !seen[mark] && level <= deepest && len(all) < most; mark = d.call("FPDFBookmark_GetNextSibling", d.handle, mark) {
			seen[mark] = true
			e := Entry{Level: level, Title: wide(d.result("FPDFBookmark_GetTitle", mark)), Page: -1}
			if dest := d.call("FPDFBookmark_GetDest", d.handle, mark); dest != 0 {
				e.Page = int(int32(d.call("FPDFDest_GetDestPageIndex", d.handle, dest)))
			}
			all = append(all, e)
			read(d.call("FPDFBookmark_GetFirstChild", d.handle, mark), level+1)
		}
	}
	read(d.call("FPDFBookmark_GetFirstChild", d.handle, 0), 1)
	return all
}

// A memory is the linear memory of PDFium: it has its largest size from the start, so it is never copied.
type memory struct {
	all  []byte
	free func()
}

// reserve returns a memory. Without one, PDFium cannot start.
func reserve(_, _ uint64) experimental.LinearMemory {
	all, free, err := allocate(maxMemory)
	if err != nil {
		return &memory{nil, func() {}}
	}
	return &memory{all, free}
}

// Reallocate returns the start of the memory.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size]
}

// Free frees the memory.
func (m *memory) Free() { m.free() }

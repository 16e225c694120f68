package executable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// Constants of Mach-O files (mach-o/loader.h, mach-o/fat.h and mach/machine.h of macOS).
const (
	machMagic      = 0xfeedfacf // 64 bits, little-endian
	machHeaderSize = 32
	fatMagic       = 0xcafebabe
	cpuX64         = 0x01000007
	cpuARM64       = 0x0100000c
	sliceBits      = 14 // slices begin at multiples of 16 KiB, the page size of arm64
)

// Universal combines the programs for darwin-x64 and darwin-arm64 into one file, from which macOS
// runs the program for its processor. It copies them byte for byte, so that their signatures stay
// valid.
func Universal(name string, x64, arm64 bundle.File) (bundle.File, error) {
	slices := []bundle.File{x64, arm64}
	const align = 1 << sliceBits
	var header bytes.Buffer
	put := func(values ...uint32) {
		for _, v := range values {
			header.Write(binary.BigEndian.AppendUint32(nil, v)) // big-endian, unlike the headers of the slices
		}
	}
	put(fatMagic, uint32(len(slices)))
	size := int64(0)
	var starts []int64
	for i, platform := range []string{"darwin-x64", "darwin-arm64"} {
		f := slices[i]
		if err := Expect(platform, f); err != nil {
			return bundle.File{}, err
		}
		head, err := head(f)
		if err != nil {
			return bundle.File{}, fmt.Errorf("%s: %w", f.Name, err)
		}
		start := (max(size, 1) + align - 1) / align * align
		size = start + f.Size
		if size > math.MaxUint32 {
			return bundle.File{}, fmt.Errorf("%s is too long for a universal program: its %d bytes would end beyond 4 GiB", f.Name, f.Size)
		}
		starts = append(starts, start)
		le := binary.LittleEndian
		put(le.Uint32(head[4:]), le.Uint32(head[8:]), uint32(start), uint32(f.Size), sliceBits) // type and subtype of its processor
	}
	return bundle.File{Name: name, Mode: bundle.ModeExecutable, Size: size, Open: func() (io.ReadCloser, error) {
		u := &universal{}
		parts := []io.Reader{bytes.NewReader(header.Bytes())}
		offset := int64(header.Len())
		for i, f := range slices {
			r, err := f.Open()
			if err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", f.Name, err), u.Close())
			}
			u.open = append(u.open, r)
			parts = append(parts, bytes.NewReader(make([]byte, starts[i]-offset)), &exact{r, f.Name, f.Size})
			offset = starts[i] + f.Size
		}
		u.Reader = io.MultiReader(parts...)
		return u, nil
	}}, nil
}

// universal reads the parts of a universal program in order.
type universal struct {
	io.Reader
	open []io.Closer
}

func (u *universal) Close() error {
	var errs []error
	for _, c := range u.open {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// exact reads a file that must have exactly its expected size, because the offset of the next part
// is fixed.
type exact struct {
	r    io.Reader
	name string
	left int64
}

func (e *exact) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.left -= int64(n)
	if e.left < 0 || err == io.EOF && e.left > 0 {
		return 0, fmt.Errorf("%s: changed while it was packed; try again", e.name)
	}
	return n, err
}

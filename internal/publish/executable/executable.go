// Package executable knows for which system and processor a program file is made, and puts two of macOS together in one.
//
// A platform is written in Node's words, as in linux-x64, darwin-arm64 and win32-x64.
package executable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// File returns the name that the program has for a platform where those of several are in one folder.
func File(platform string) string {
	name := "mcp-docs-server-" + platform
	if strings.HasPrefix(platform, "win32-") {
		name += ".exe"
	}
	return name
}

// Expect returns an error if a file is no program for the platform. It reads the beginning of the file only.
func Expect(platform string, f bundle.File) error {
	if f.Open == nil {
		return fmt.Errorf("there is no program for %s, which is expected as %q", platform, File(platform))
	}
	got, err := Platform(f)
	if err != nil {
		return err
	}
	if got != platform {
		return fmt.Errorf("%s is a program for %s, must be one for %s", f.Name, got, platform)
	}
	return nil
}

// headSize is how much of a file is read to see what it is. Linkers put the headers into the first page.
const headSize = 4096

// Platform returns the platform of a 64-bit ELF, Mach-O or PE file. An ELF file is taken for one of Linux.
func Platform(f bundle.File) (string, error) {
	head, err := head(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.Name, err)
	}
	le := binary.LittleEndian
	system, machine := "", uint32(0)
	var processors map[uint32]string
	switch {
	case len(head) >= 20 && bytes.HasPrefix(head, []byte("\x7fELF\x02\x01")): // 64 bits, little-endian
		system, machine = "linux", uint32(le.Uint16(head[18:]))
		processors = map[uint32]string{62: "x64", 183: "arm64"} // e_machine: EM_X86_64, EM_AARCH64
	case len(head) >= machHeaderSize && le.Uint32(head) == machMagic:
		system, machine = "darwin", le.Uint32(head[4:])
		processors = map[uint32]string{cpuX64: "x64", cpuARM64: "arm64"}
	case len(head) >= 64 && bytes.HasPrefix(head, []byte("MZ")):
		at := int64(le.Uint32(head[60:]))
		if at+6 > int64(len(head)) || !bytes.HasPrefix(head[at:], []byte("PE\x00\x00")) {
			break
		}
		system, machine = "win32", uint32(le.Uint16(head[at+4:]))
		processors = map[uint32]string{0x8664: "x64", 0xaa64: "arm64"} // IMAGE_FILE_MACHINE_AMD64, _ARM64
	}
	if system == "" {
		return "", fmt.Errorf("%s is no program that is known here: neither ELF, Mach-O nor PE, of 64 bits", f.Name)
	}
	processor, ok := processors[machine]
	if !ok {
		return "", fmt.Errorf("%s is a program for %s and an unknown processor (%#x), must be for x64 or arm64", f.Name, system, machine)
	}
	return system + "-" + processor, nil
}

func head(f bundle.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return nil, err
	}
	return head[:n], nil
}

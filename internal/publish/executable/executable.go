// Package executable detects the system and processor of a program file ([Platform]), and combines two
// programs for macOS into one ([Universal]). It neither runs programs nor checks their signatures.
//
// Platforms have the names of Node, such as linux-x64, darwin-arm64 and win32-x64.
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

// File returns the name of the program for a platform in a folder with programs for several
// platforms.
func File(platform string) string {
	name := "mcp-docs-server-" + platform
	if strings.HasPrefix(platform, "win32-") {
		name += ".exe"
	}
	return name
}

// Expect returns an error if a file is not a program for the platform. It reads only the beginning
// of the file.
func Expect(platform string, f bundle.File) error {
	if f.Open == nil {
		return fmt.Errorf("there is no program for %s; its name must be %q", platform, File(platform))
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

// headSize is the number of bytes that are read to detect the format. Linkers put the headers into
// the first page.
const headSize = 4096

// Platform returns the platform of a 64-bit ELF, Mach-O or PE file. It assumes that an ELF file is
// for Linux.
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
		offset := int64(le.Uint32(head[60:]))
		if offset+6 > int64(len(head)) || !bytes.HasPrefix(head[offset:], []byte("PE\x00\x00")) {
			break
		}
		system, machine = "win32", uint32(le.Uint16(head[offset+4:]))
		processors = map[uint32]string{0x8664: "x64", 0xaa64: "arm64"} // IMAGE_FILE_MACHINE_AMD64, _ARM64
	}
	if system == "" {
		return "", fmt.Errorf("%s is not a known kind of program: must be a 64-bit ELF, Mach-O or PE file", f.Name)
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

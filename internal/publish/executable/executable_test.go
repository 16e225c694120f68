package executable

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// elf, pe and mach make the smallest files with a whole header.
func elf(machine uint16) []byte {
	b := make([]byte, 64)
	copy(b, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(b[18:], machine)
	return b
}

func pe(at uint32, machine uint16) []byte {
	b := make([]byte, max(64, at+24))
	copy(b, "MZ")
	binary.LittleEndian.PutUint32(b[60:], at)
	copy(b[at:], "PE\x00\x00")
	binary.LittleEndian.PutUint16(b[at+4:], machine)
	return b
}

func mach(cpu, subtype uint32, rest string) []byte {
	var b []byte
	for _, v := range []uint32{machMagic, cpu, subtype, uint32(macho.TypeExec), 0, 0, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return append(b, rest...)
}

func file(name string, data []byte) bundle.File {
	return bundle.Bytes(name, bundle.ModeExecutable, data)
}

func TestPlatform(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		want string // or the error
	}{
		{"elf", elf(62), "linux-x64"},
		{"elf", elf(183), "linux-arm64"},
		{"elf", elf(40), "elf is a program for linux and an unknown processor (0x28), must be for x64 or arm64"},
		{"mach", mach(cpuX64, 3, ""), "darwin-x64"},
		{"mach", mach(cpuARM64, 0, ""), "darwin-arm64"},
		{"mach", mach(7, 3, ""), "mach is a program for darwin and an unknown processor (0x7), must be for x64 or arm64"},
		{"pe", pe(128, 0x8664), "win32-x64"},
		{"pe", pe(64, 0xaa64), "win32-arm64"},
		{"far", pe(headSize, 0x8664), "far is not a known kind of program: must be a 64-bit ELF, Mach-O or PE file"},
		{"elf32", []byte("\x7fELF\x01\x01" + strings.Repeat("\x00", 58)), "elf32 is not a known kind of program: must be a 64-bit ELF, Mach-O or PE file"},
		{"short", elf(62)[:19], "short is not a known kind of program: must be a 64-bit ELF, Mach-O or PE file"},
		{"dos", []byte("MZ" + strings.Repeat("\xff", 62)), "dos is not a known kind of program: must be a 64-bit ELF, Mach-O or PE file"},
		{"empty", nil, "empty is not a known kind of program: must be a 64-bit ELF, Mach-O or PE file"},
	} {
		got, err := Platform(file(test.name, test.data))
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestExpect(t *testing.T) {
	if err := Expect("linux-x64", file("a", elf(62))); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		file bundle.File
		want string
	}{
		{file("a", elf(183)), "a is a program for linux-arm64, must be one for win32-x64"},
		{bundle.File{}, `there is no program for win32-x64; its name must be "mcp-docs-server-win32-x64.exe"`},
	} {
		if err := Expect("win32-x64", test.file); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

func TestUniversal(t *testing.T) {
	x64 := mach(cpuX64, 3, strings.Repeat("x", 20_000))
	arm64 := mach(cpuARM64, 2, "a signature")
	f, err := Universal("server", file("x", x64), file("a", arm64))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Copy(&b); err != nil {
		t.Fatal(err)
	}
	if f.Name != "server" || f.Mode != bundle.ModeExecutable || f.Size != int64(b.Len()) {
		t.Errorf("%s, mode %o, %d bytes of %d", f.Name, f.Mode, f.Size, b.Len())
	}
	fat, err := macho.NewFatFile(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		cpu     macho.Cpu
		subtype uint32
		data    []byte
	}{{macho.CpuAmd64, 3, x64}, {macho.CpuArm64, 2, arm64}} {
		arch := fat.Arches[i]
		if arch.Cpu != want.cpu || arch.SubCpu != want.subtype || arch.FatArchHeader.Cpu != want.cpu || arch.FatArchHeader.SubCpu != want.subtype {
			t.Errorf("slice %d is %+v", i, arch.FatArchHeader)
		}
		if arch.Align != sliceBits || arch.Offset%(1<<sliceBits) != 0 {
			t.Errorf("slice %d begins at %d, aligned to 2^%d", i, arch.Offset, arch.Align)
		}
		if got := b.Bytes()[arch.Offset : arch.Offset+arch.Size]; !bytes.Equal(got, want.data) {
			t.Errorf("slice %d has %d other bytes", i, len(got))
		}
	}
}

func TestUniversalOfOthers(t *testing.T) {
	x64, arm64 := file("x", mach(cpuX64, 3, "")), file("a", mach(cpuARM64, 0, ""))
	if _, err := Universal("u", arm64, x64); err == nil || err.Error() != "a is a program for darwin-arm64, must be one for darwin-x64" {
		t.Errorf("in the wrong order: %v", err)
	}
	huge := x64
	huge.Size = 1 << 32
	if _, err := Universal("u", huge, arm64); err == nil || !strings.Contains(err.Error(), "x is too long") {
		t.Errorf("too long: %v", err)
	}
	for _, more := range []int64{-1, 1} {
		changed := x64
		changed.Size += more
		f, err := Universal("u", changed, arm64)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Copy(io.Discard); err == nil || !strings.Contains(err.Error(), "x: changed") {
			t.Errorf("changed by %d: %v", more, err)
		}
	}
}

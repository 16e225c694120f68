package media

import (
	"bytes"
	"strings"
	"testing"
)

func TestSniff(t *testing.T) {
	tests := []struct{ name, head, want string }{
		{"nothing", "", "text/plain"},
		{"prose", "Hello, world.\n", "text/plain"},
		{"prose in UTF-8", "Grüße\n", "text/plain"},
		{"byte order mark", "\ufeffHello\n", "text/plain"},
		{"UTF-16LE", "\xff\xfeH\x00i\x00", "text/plain"},
		{"UTF-16BE", "\xfe\xff\x00H\x00i", "text/plain"},
		{"UTF-32LE", "\xff\xfe\x00\x00H\x00\x00\x00", "application/octet-stream"},
		{"UTF-32BE", "\x00\x00\xfe\xff\x00\x00\x00H", "application/octet-stream"},
		{"control characters", "a\x01b\x02", "application/octet-stream"},
		{"random bytes", "\x01\x9f\x02\x88\x03", "application/octet-stream"},

		{"HTML", "<!DOCTYPE html>\n<p>", "text/html"},
		{"XML", "<?xml version=\"1.0\"?><a/>", "text/xml"},
		{"SVG", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "image/svg+xml"},
		{"JSON", `{"a":1}`, "application/json"},
		{"shell", "#!/bin/sh\necho\n", "text/x-shellscript"},
		{"Python", "#!/usr/bin/env python3\n", "text/x-python"},
		{"PostScript", "%!PS-Adobe-3.0\n", "application/postscript"},
		{"playlist", "#EXTM3U\na.mp3\n", "application/vnd.apple.mpegurl"},

		{"PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"},
		{"JPEG", "\xff\xd8\xff\xe0\x00\x10JFIF", "image/jpeg"},
		{"GIF", "GIF89a", "image/gif"},
		{"PDF of letters", "%PDF-1.4\n1 0 obj\n", "application/pdf"},
		{"ZIP", "PK\x03\x04\x14\x00\x00\x00", "application/zip"},
		{"gzip", "\x1f\x8b\x08\x00", "application/gzip"},
		{"SQLite", "SQLite format 3\x00", "application/vnd.sqlite3"},
		{"WebAssembly", "\x00asm\x01\x00\x00\x00", "application/wasm"},
		{"ELF", "\x7fELF\x02\x01\x01\x00", "application/x-elf"},
		{"program", "MZ\x90\x00\x03", "application/vnd.microsoft.portable-executable"},
		{"archive of letters", "!<arch>\na.txt/", "application/x-archive"},

		{"prose like a program", "MZ is where programs begin.\n", "text/plain"},
		{"prose like an archive", "BZh is what bzip2 writes first.\n", "text/plain"},
		{"prose like a film", "FWS stands for fixed wireless station.\n", "text/plain"},
		{"prose like a font", "wOFF is a font.\n", "text/plain"},
		{"prose like music", "MThd starts a MIDI file.\n", "text/plain"},
		{"prose on PDF", "A file begins with %PDF- and a version.\n", "text/plain"},
		{"prose on PDF, cut", "A file begins with %PDF-" + strings.Repeat("x", SniffLen-25) + "ü", "text/plain"},
	}
	for _, tt := range tests {
		if got := Sniff([]byte(tt.head)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestSniffLooksAtTheHeadOnly: bytes after SniffLen do not change the result and cost nothing.
func TestSniffLooksAtTheHeadOnly(t *testing.T) {
	head := bytes.Repeat([]byte("all work and no play\n"), SniffLen)[:SniffLen]
	long := append(bytes.Clone(head), bytes.Repeat([]byte{0}, 1<<20)...)
	if a, b := Sniff(head), Sniff(long); a != b {
		t.Errorf("%s became %s", a, b)
	}
	a := testing.AllocsPerRun(10, func() { Sniff(head) })
	b := testing.AllocsPerRun(10, func() { Sniff(long) })
	if a != b {
		t.Errorf("%v allocations became %v", a, b)
	}
}

package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
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
		{"JSON", `{"a":1}`, "application/json"},
		{"shell", "#!/bin/sh\necho\n", "text/x-shellscript"},

		{"PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"},
		{"PDF of letters", "%PDF-1.4\n1 0 obj\n", "application/pdf"},
		{"ZIP", "PK\x03\x04\x14\x00\x00\x00", "application/zip"},
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
		must.Equal(t, tt.want, Sniff([]byte(tt.head)), tt.name)
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

func TestBinary(t *testing.T) {
	binary := []string{
		"image/png", "image/jpeg", "image/webp", "image/avif", "image/heic", "image/x-icon", "image/vnd.unheard.of",
		"audio/mpeg", "audio/x-flac", "video/mp4", "video/webm", "font/woff2", "application/vnd.ms-fontobject",
		"application/pdf", "application/zip", "application/epub+zip", "application/gzip", "application/x-tar",
		"application/x-7z-compressed", "application/vnd.rar", "application/zstd", "application/x-xz",
		"application/java-archive", "application/wasm", "application/java-vm", "application/x-msdos-program",
		"application/x-elf", "application/x-mach-binary", "application/vnd.microsoft.portable-executable",
		"application/msword", "application/vnd.ms-excel", "application/vnd.ms-excel.sheet.macroenabled.12",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.oasis.opendocument.text", "application/vnd.ms-visio.drawing.main+xml",
		"application/vnd.sqlite3", "application/vnd.apache.parquet", "application/cbor", "application/senml+cbor",
		"model/gltf-binary", "model/vnd.usdz+zip",
		"IMAGE/PNG", "audio/ogg; codecs=opus",
	}
	text := []string{
		"", "text", "application/octet-stream", "application/x-unheard-of",
		"text/plain", "text/html; charset=utf-8", "text/vnd.anything", "message/rfc822",
		"image/svg+xml", "image/svg+xml; charset=utf-8", "image/x-xbitmap", "image/x-xpixmap",
		"image/x-portable-anymap", "image/x-portable-bitmap", "image/vnd.dxf",
		"audio/x-mpegurl", "audio/mpegurl", "application/vnd.apple.mpegurl", "video/vnd.mpegurl",
		"application/json", "application/xml", "application/postscript", "application/x-sh", "application/x-bat",
		"application/vnd.google-earth.kml+xml", "application/x-ipynb+json", "application/rtf",
		"model/obj", "model/gltf+json", "application/pgp-keys", "application/x-x509-ca-cert",
	}
	for _, mime := range binary {
		if !Binary(mime) {
			t.Errorf("%q is not binary", mime)
		}
	}
	for _, mime := range text {
		if Binary(mime) {
			t.Errorf("%q is binary", mime)
		}
	}
}

// TestTableText fails if a new mime-db or an override turns files that people write into blobs.
func TestTableText(t *testing.T) {
	for _, ext := range []string{
		"adoc", "bat", "c", "cjs", "com", "conf", "cpp", "crt", "csv", "cu", "dart", "dot", "dts", "dxf", "eml", "eps", "fbs",
		"go", "h", "hbs", "html", "ics", "ini", "ipynb", "java", "js", "json", "key", "latex", "less", "log", "m3u", "m3u8",
		"map", "md", "mmd", "mts", "obj", "org", "pem", "php", "pl", "po", "pot", "ps", "pub", "py", "rs", "rtf", "scm",
		"scss", "sh", "sql", "srt", "st", "svg", "tap", "tex", "toml", "tpl", "ts", "tsv", "ttl", "vtt", "xbm", "xlf",
		"xml", "xpm", "yaml",
	} {
		if mime, ok := ByName("x." + ext); ok && Binary(mime) {
			t.Errorf(".%s is %s, which is binary", ext, mime)
		}
	}
}

// The validation with wide registers agrees with unicode/utf8, wherever a character lies in a
// block.
func FuzzIsText(f *testing.F) {
	for _, s := range []string{"", "a", "é", "€", "𝄞", "\x80", "\xc3", "\xe2\x82", "\xf0\x9d\x84", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "\xff"} {
		for _, pad := range []int{0, 1, 15, 16, 31, 32, 33, 63, 64, 100} {
			f.Add([]byte(strings.Repeat("-", pad) + s))
			f.Add([]byte(strings.Repeat("-", pad) + s + strings.Repeat("é", pad)))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := IsText(data), utf8.Valid(data) && bytes.IndexByte(data, 0) < 0; got != want {
			t.Errorf("%q: %v, want %v", data, got, want)
		}
	})
}

// webp returns the start of a WebP image with a chunk.
func webp(name string, data ...byte) string {
	return "RIFF\x00\x00\x00\x00WEBP" + name + "\x00\x00\x00\x00" + string(data) + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
}

func TestShowable(t *testing.T) {
	encode := func(kind string, width, height int) string {
		var b bytes.Buffer
		m := image.NewGray(image.Rect(0, 0, width, height))
		_ = map[string]func() error{
			"png": func() error { return png.Encode(&b, m) }, "gif": func() error { return gif.Encode(&b, m, nil) }, "jpeg": func() error { return jpeg.Encode(&b, m, nil) },
		}[kind]()
		return b.String()
	}
	bits := binary.LittleEndian.AppendUint32(nil, 7999|8000<<14)
	for _, test := range []struct {
		name, mime, data string
		want             bool
	}{
		{"PNG", "image/png", encode("png", 8000, 1), true},
		{"wide PNG", "image/png", encode("png", 8001, 1), false},
		{"large PNG", "image/png", encode("png", 1, 1) + string(make([]byte, 3_750_000)), false},
		{"PNG with another name", "image/jpeg", encode("png", 1, 1), false},
		{"PNG without a header", "image/png", "\x89PNG\r\n\x1a\n", false},
		{"JPEG", "image/jpeg", encode("jpeg", 1, 8000), true},
		{"tall JPEG", "image/jpeg", encode("jpeg", 1, 8001), false},
		{"JPEG without a frame", "image/jpeg", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", false},
		{"GIF", "image/gif", encode("gif", 3, 4), true},
		{"GIF without a width", "image/gif", "GIF89a\x00\x00\x01\x00\x00\x00\x00", false},
		{"WebP", "image/webp", webp("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 1, 0, 1, 0), true},
		{"lossless WebP, too tall", "image/webp", webp("VP8L", append([]byte{0x2f}, bits...)...), false},
		{"extended WebP", "image/webp", webp("VP8X", 0, 0, 0, 0, 0x3f, 0x1f, 0, 0x3f, 0x1f, 0), true},
		{"extended WebP, too wide", "image/webp", webp("VP8X", 0, 0, 0, 0, 0x40, 0x1f, 0, 0x3f, 0x1f, 0), false},
		{"short WebP", "image/webp", "RIFF\x00\x00\x00\x00WEBPVP8 ", false},
		{"icon", "image/vnd.microsoft.icon", "\x00\x00\x01\x00", false},
	} {
		must.Equal(t, test.want, Showable(test.mime, []byte(test.data)), test.name)
	}
}

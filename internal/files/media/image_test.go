package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

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
		if got := Showable(test.mime, []byte(test.data)); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

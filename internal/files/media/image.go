package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
)

// What APIs of language models take. After a larger image, some clients cannot continue a conversation.
const (
	maxSide    = 8000      // pixels
	maxEncoded = 5_000_000 // characters of base64
)

// Showable reports whether language models take the bytes of an image, whose type is by [Examine]: it is PNG, JPEG, GIF
// or WebP, its header gives a width and a height, and it is not too large.
func Showable(mime string, data []byte) bool {
	if base64.StdEncoding.EncodedLen(len(data)) > maxEncoded || picture(data) != mime {
		return false
	}
	var c image.Config
	var err error
	switch r := bytes.NewReader(data); mime {
	case "image/png":
		c, err = png.DecodeConfig(r)
	case "image/jpeg":
		c, err = jpeg.DecodeConfig(r)
	case "image/gif":
		c, err = gif.DecodeConfig(r)
	case "image/webp":
		c.Width, c.Height = sizeOfWebP(data)
	}
	return err == nil && min(c.Width, c.Height) > 0 && max(c.Width, c.Height) <= maxSide
}

// picture returns the type of an image that language models take by its signature, or "".
func picture(head []byte) string {
	for _, s := range [...]struct{ start, mime string }{
		{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF87a", "image/gif"}, {"GIF89a", "image/gif"},
	} {
		if len(head) >= len(s.start) && string(head[:len(s.start)]) == s.start {
			return s.mime
		}
	}
	if len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP" {
		return "image/webp"
	}
	return ""
}

// sizeOfWebP returns the size of an image (RFC 9649), or 0.
func sizeOfWebP(data []byte) (width, height int) {
	if len(data) < 30 {
		return 0, 0
	}
	first, rest := string(data[12:16]), data[20:]
	switch small := binary.LittleEndian; {
	case first == "VP8X":
		return int(small.Uint32(rest[4:])&0xffffff) + 1, int(small.Uint32(rest[6:])>>8) + 1
	case first == "VP8L" && rest[0] == 0x2f:
		bits := small.Uint32(rest[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case first == "VP8 " && string(rest[3:6]) == "\x9d\x01\x2a":
		return int(small.Uint16(rest[6:]) & 0x3fff), int(small.Uint16(rest[8:]) & 0x3fff)
	}
	return 0, 0
}

// MaxPointer is the size below which all pointers of Git LFS are, in bytes.
const MaxPointer = 1024

// Pointer reports whether a file is a pointer of Git LFS: git puts it in the place of a file that was not fetched.
func Pointer(data []byte) bool {
	return len(data) < MaxPointer && bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/"))
}

// NotFetched says what a pointer of Git LFS is.
const NotFetched = "is a Git LFS pointer: the file itself was not fetched"

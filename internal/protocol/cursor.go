package protocol

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strings"
)

// A CursorKind is the kind of a list that comes in pages.
//
// A cursor holds the key of the last item of a page, so it stays valid when items are added or
// removed, after a restart, and on another server of the same files. It starts with the kind of the
// list and a checksum, so that the server recognises a cursor that a client invented or took from
// another list.
type CursorKind byte

const (
	ResourceCursor CursorKind = 'r' // key: canonical URI
	TemplateCursor CursorKind = 't' // key: position of the next template
	SkillCursor    CursorKind = 's' // key: canonical URI of the SKILL.md
	// DirectoryCursor has as its key the URI of the folder, a line end, "d" for a folder or "f" for
	// a file, and the name.
	DirectoryCursor CursorKind = 'd'
)

// NewCursor returns the cursor of the page after a key.
func NewCursor(kind CursorKind, key string) string {
	b := append([]byte{byte(kind)}, key...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor returns the key of a cursor. It returns false if the cursor is not valid for this
// kind.
func ParseCursor(kind CursorKind, cursor string) (key string, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || strings.ContainsAny(cursor, "\r\n") || len(b) < 5 || b[0] != byte(kind) {
		return "", false
	}
	b, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	return string(b[1:]), crc32.ChecksumIEEE(b) == sum
}

package media

import (
	"slices"
	"strings"
)

// binarySuffixes are structured syntaxes that are archives, compressed, or binary (RFC 6839, RFC 8949).
var binarySuffixes = []string{"zip", "gzip", "zstd", "cbor", "cbor-seq", "der", "ber", "wbxml", "fastinfoset", "sqlite3", "dotlottie"}

// binaryFamilies are the beginnings of subtypes of documents that only one program can read.
var binaryFamilies = []string{"vnd.openxmlformats-officedocument.", "vnd.oasis.opendocument.", "vnd.sun.xml.", "vnd.ms-excel", "vnd.ms-powerpoint", "vnd.ms-word"}

// Binary reports whether files of a type are never text, so that even a file of letters is a blob.
// Parameters are allowed. Unknown types and application/octet-stream do not count as binary: for
// these the bytes decide, and bytes that are not text become a blob without an entry in the table.
func Binary(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	mime = strings.ToLower(strings.TrimSpace(mime))
	if binary, known := types().binary[mime]; known {
		return binary
	}
	top, sub, _ := strings.Cut(mime, "/")
	suffix := sub[strings.LastIndexByte(sub, '+')+1:]
	switch top {
	case "image", "audio", "video":
		return len(suffix) == len(sub) || suffix != "xml" && suffix != "json"
	case "font":
		return true
	case "application", "model":
		return len(suffix) < len(sub) && slices.Contains(binarySuffixes, suffix) ||
			slices.ContainsFunc(binaryFamilies, func(family string) bool { return strings.HasPrefix(sub, family) })
	}
	return false
}

// Visible reports whether language models take images of a type. Some clients cannot continue after an image of another type.
func Visible(mime string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime)
}

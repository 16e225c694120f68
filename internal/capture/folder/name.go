package folder

import (
	"crypto/sha256"
	"encoding/base32"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	// maxSegment is the maximum length of a name in bytes, without digest and extension. File systems allow at most
	// 255 bytes, fewer if they are encrypted, and some store more bytes than they get.
	maxSegment = 100
	// maxShortened is the maximum length of a name before its digest.
	maxShortened = 60
	// maxFolders is the maximum length of the folders in a path: Windows allows 260 characters for the whole path.
	maxFolders = 120
)

// assetExtensions are the extensions of assets, by type. No folder has a name that ends in one of them or in ".md":
// it could be the name of a file.
var assetExtensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/avif": ".avif", "image/svg+xml": ".svg",
	"image/bmp": ".bmp", "image/x-icon": ".ico", "image/vnd.microsoft.icon": ".ico",
}

// PageName returns the path of the file for a page, with slashes:
//
//	https://example.com/guide/start       example.com/guide/start.md
//	https://example.com/guide/            example.com/guide/index.md
//	http://localhost:8080/                localhost_8080/index.md
//	https://example.com/Search?q=a+b      example.com/search_q_a_b--5jtd3aaawkpqkgkl.md
//
// Two URLs never have the same path, also on file systems that ignore case or normalize characters,
// and no path is a folder of another path. A name that could be confused with another one, or that
// some file system or this project does not accept, is followed by a digest of the URL.
func PageName(canonical *url.URL) string { return fileName(canonical, ".md") }

// assetName returns the path of the file for an image of a type.
func assetName(canonical *url.URL, mediaType string) string {
	return fileName(canonical, assetExtensions[mediaType])
}

func fileName(u *url.URL, extension string) string {
	folders, safe := []string(nil), true
	add := func(name string, ok bool) {
		safe = safe && ok
		folders = append(folders, name)
	}
	add(hostFolder(u))
	segments := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	last := segments[len(segments)-1]
	length := len(folders[0])
	for _, segment := range segments[:len(segments)-1] {
		if segment == "" {
			safe = false
			continue
		}
		name, ok := folderName(segment)
		if length += 1 + len(name); length > maxFolders {
			safe = false
			break
		}
		add(name, ok)
	}
	base, ok := "index", true
	if last != "" {
		base, ok = segmentName(last)
		ok = ok && base != "index"
	}
	if u.RawQuery != "" || u.ForceQuery {
		query, _ := segmentName(u.RawQuery)
		base, ok = base+"_"+query, false
	}
	if extension != ".md" {
		trimmed := strings.TrimSuffix(base, extension)
		ok = ok && trimmed != base && trimmed != ""
		base = trimmed
	}
	if safe && ok && !digested().MatchString(base) {
		return path.Join(append(folders, base+extension)...)
	}
	sum := sha256.Sum256([]byte(u.String()))
	digest := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
	return path.Join(append(folders, shortened(base, maxShortened)+"--"+digest+extension)...)
}

// digested matches names that look as if they had a digest.
var digested = lazyregexp.New(`--[a-z2-7]{16}$`)

// hostFolder returns the folder of an origin, and whether it is different for every other origin.
func hostFolder(u *url.URL) (name string, safe bool) {
	name, safe = segmentName(u.Hostname())
	safe = safe && !strings.Contains(name, "_") // "_" separates the port
	port := u.Port()
	if u.Scheme == "http" && port == "" {
		port = "80"
	}
	switch {
	case port == "":
	case u.Scheme == "https":
		name += "_https_" + port
	case port == "443":
		name += "_http_443"
	default:
		name += "_" + port
	}
	return name, safe
}

// folderName returns the name of a folder for a segment of a path, and whether no other segment has the same name.
func folderName(segment string) (name string, safe bool) {
	name, safe = segmentName(segment)
	extension := path.Ext(name)
	taken := slices.Contains(slices.Collect(maps.Values(assetExtensions)), extension)
	if taken || extension == ".md" || walk.Hidden(name) {
		return strings.ReplaceAll(name, ".", "_") + "_", false
	}
	return name, safe
}

// segmentName returns a name for a segment of a path, and whether every file system keeps the name as it is and
// distinguishes it from the names of all other segments.
func segmentName(segment string) (name string, safe bool) {
	text, err := url.PathUnescape(segment)
	if err != nil || !utf8.ValidString(text) {
		text = strings.ToValidUTF8(segment, "_")
	}
	safe = err == nil && norm.NFKC.IsNormalString(text)
	var b strings.Builder
	for _, r := range norm.NFC.String(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			b.WriteRune(r)
		case unicode.Is(unicode.Lo, r) && r != 0xaa && r != 0xba: // letters without case
			b.WriteRune(r)
		case unicode.IsLetter(r) && utf8.RuneLen(unicode.ToLower(r)) <= utf8.RuneLen(r):
			b.WriteRune(unicode.ToLower(r))
			safe = false
		default:
			b.WriteByte('_')
			safe = false
		}
	}
	name = b.String()
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") {
		name, safe = "_"+strings.Trim(name, "."), false
	}
	if walk.Device(name) || walk.Hidden(name) {
		name, safe = "_"+strings.ReplaceAll(name, ".swp", "_swp"), false
	}
	if len(name) > maxSegment {
		name, safe = shortened(name, maxShortened), false
	}
	if name == "" {
		name, safe = "_", false
	}
	return name, safe && name == text
}

// shortened cuts a name to at most n bytes, so that it is still a valid name.
func shortened(name string, n int) string {
	return strings.TrimRight(strings.ToValidUTF8(name[:min(n, len(name))], ""), ".")
}

// Relative returns the relative link from one file to another. Both paths are relative to the same folder.
func Relative(from, to string) string {
	relative, _ := filepath.Rel(path.Dir(from), to) // it fails for absolute paths only
	parts := strings.Split(filepath.ToSlash(relative), "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

package store

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
)

const (
	// maxReadable is the length of the readable part of a key in bytes.
	maxReadable = 120
	// digestSize is the length of a digest in a key. It has 130 bits: an attacker who chooses URLs
	// could find two with the same shorter digest.
	digestSize = 26
	// MaxKey is the maximum length of a key in bytes.
	MaxKey = maxReadable + 1 + digestSize
)

// A Request has everything that a capture depends on.
type Request struct {
	URL     *url.URL
	Owner   string            // see [Meta.Owner]
	Options map[string]string // options that change the result, with one spelling for each value
	Header  http.Header       // of the caller; only its digest is kept
}

// Key returns the key of the capture of a request.
func (r Request) Key() string {
	u := *r.URL
	u.User = nil
	d := sha256.New()
	field(d, u.String(), r.Owner)
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		field(d, "option", name, r.Options[name])
	}
	header := make(map[string][]string, len(r.Header))
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		header[canonical] = append(header[canonical], r.Header[name]...)
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		field(d, "header", name)
		field(d, header[name]...)
	}
	if r.URL.User != nil {
		field(d, "user", r.URL.User.String())
	}
	digest := strings.ToLower(base32.StdEncoding.EncodeToString(d.Sum(nil)))[:digestSize]
	return readable(&u) + "_" + digest
}

// field adds values to a digest. Different lists of values add different bytes.
func field(d hash.Hash, values ...string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(values)))
	d.Write(n[:])
	for _, v := range values {
		binary.BigEndian.PutUint64(n[:], uint64(len(v)))
		d.Write(n[:])
		d.Write([]byte(v))
	}
}

// readable returns the part of a key that shows the URL of the page.
func readable(u *url.URL) string {
	text := u.Host + u.Path
	if u.RawQuery != "" {
		text += "_" + u.RawQuery
	}
	var b strings.Builder
	under := true // true at the beginning and after an underscore, where no underscore is written
	for _, r := range strings.ToLower(text) {
		if b.Len() == maxReadable {
			break
		}
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.' && b.Len() > 0:
			b.WriteRune(r)
			under = false
		case !under:
			b.WriteByte('_')
			under = true
		}
	}
	name := strings.TrimRight(b.String(), "_.")
	if device(name) {
		name = "_" + name
	}
	if name == "" {
		return "page"
	}
	return name
}

// device reports whether Windows reserves a name for a device. Only the part before the first dot
// counts.
func device(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	return slices.Contains([]string{"con", "prn", "aux", "nul"}, name) || len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt"))
}

// validKey reports whether a name may be a key, which is also a file name.
func validKey(key string) bool {
	return key != "" && len(key) <= MaxKey && key[0] != '.' && !device(key) && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
}

package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

// The cache of a folder is the file .index: all meta.json of its captures in one, for a start with
// 100,000 captures would take ten seconds without it. It is only ever used for folders that are
// there, and folders never change, so it need not be up to date. It is not written to last: one that
// is cut or has other bytes is not used.
const (
	cacheFile  = ".index"
	cacheMagic = "captures 1\n"
	maxCache   = 1 << 30
)

// save writes the cache.
func (e *files) save(all []found) error {
	data := []byte(cacheMagic)
	data = binary.AppendUvarint(data, uint64(len(all)))
	slices.SortFunc(all, func(a, b found) int { return compareVersions(a.Capture, b.Capture) })
	for _, f := range all {
		data = appendFound(data, f)
	}
	data = binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(data))
	if err := e.folder.Replace(cacheFile, data); err != nil {
		return errors.New(fserr.Reason(err))
	}
	return nil
}

// compareVersions is the order of the cache, and that in which captures are loaded: most of them come
// at the end of the list of their owner.
func compareVersions(a, b *Capture) int {
	return cmp.Or(strings.Compare(a.Meta.Key, b.Meta.Key), strings.Compare(a.version, b.version))
}

// readCache returns what the cache has, in its order.
func (e *files) readCache() []found {
	data, _, err := e.readFile(cacheFile, maxCache, func(n int) []byte { return make([]byte, n) })
	if err != nil {
		return nil
	}
	return parseCache(data)
}

func parseCache(data []byte) []found {
	n := len(data) - 4
	if n < len(cacheMagic) || string(data[:len(cacheMagic)]) != cacheMagic || binary.BigEndian.Uint32(data[n:]) != crc32.ChecksumIEEE(data[:n]) {
		return nil
	}
	d := decoder{rest: string(data[len(cacheMagic):n])}
	all := make([]found, d.count())
	for i := range all {
		if all[i] = d.found(); d.bad || i > 0 && compareVersions(all[i-1].Capture, all[i].Capture) >= 0 {
			return nil
		}
	}
	return all
}

// appendFound appends a capture; [decoder.found] is its inverse.
func appendFound(b []byte, f found) []byte {
	text := func(values ...string) {
		for _, v := range values {
			b = binary.AppendUvarint(b, uint64(len(v)))
			b = append(b, v...)
		}
	}
	number := func(values ...int64) {
		for _, v := range values {
			b = binary.AppendVarint(b, v)
		}
	}
	m := &f.Meta
	text(m.Key, f.version, m.Owner, m.URL, m.Location, m.Source, m.Title, m.Description, m.Language, m.ETag, m.LastModified, m.Prompt, m.Job)
	truncated := int64(0)
	if m.Truncated {
		truncated = 1
	}
	number(m.Created.UnixMilli(), m.TTL.Milliseconds(), int64(m.StartIndex), int64(m.MaxChars), truncated, timeNumber(f.edited), timeNumber(f.used))
	number(int64(len(m.Options)))
	for _, name := range slices.Sorted(maps.Keys(m.Options)) {
		text(name, m.Options[name])
	}
	number(int64(len(m.Diagnostics)))
	text(m.Diagnostics...)
	number(int64(len(m.Parts)))
	for _, tier := range Tiers() {
		if p, ok := m.Parts[tier]; ok {
			text(string(tier), p.MIME, p.SHA256)
			number(p.Bytes)
		}
	}
	return b
}

// timeNumber returns nanoseconds; 0 is the zero time.
func timeNumber(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func numberTime(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// A decoder reads what appendFound wrote.
type decoder struct {
	rest string
	bad  bool
}

func (d *decoder) uvarint() uint64 {
	var v uint64
	for i := 0; i < len(d.rest) && i < binary.MaxVarintLen64; i++ {
		c := d.rest[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.rest = d.rest[i+1:]
			return v
		}
	}
	d.bad, d.rest = true, ""
	return 0
}

func (d *decoder) number() int64 {
	u := d.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// count returns the length of a list, each item of which has at least a byte.
func (d *decoder) count() int {
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) length() int {
	n := d.number()
	if n < 0 || n > int64(len(d.rest)) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	n := d.count()
	v := d.rest[:n]
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) found() found {
	c := &Capture{}
	m := &c.Meta
	for _, field := range []*string{&m.Key, &c.version, &m.Owner, &m.URL, &m.Location, &m.Source, &m.Title, &m.Description, &m.Language,
		&m.ETag, &m.LastModified, &m.Prompt, &m.Job} {
		*field = d.text()
	}
	m.Created = time.UnixMilli(d.number()).UTC()
	m.TTL = time.Duration(d.number()) * time.Millisecond
	m.StartIndex, m.MaxChars, m.Truncated = int(d.number()), int(d.number()), d.number() == 1
	c.edited = numberTime(d.number())
	used := numberTime(d.number())
	if n := d.length(); n > 0 {
		m.Options = make(map[string]string, n)
		for range n {
			name := d.text()
			m.Options[name] = d.text()
		}
	}
	if n := d.length(); n > 0 {
		m.Diagnostics = make([]string, n)
		for i := range m.Diagnostics {
			m.Diagnostics[i] = d.text()
		}
	}
	n := min(d.length(), len(Tiers()))
	m.Parts = make(map[Tier]Part, n)
	for range n {
		tier := Tier(d.text())
		mime, sum := d.text(), d.text()
		m.Parts[tier] = Part{mime, d.number(), sum}
	}
	return found{c, used}
}

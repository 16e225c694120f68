package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

const (
	metaFile = "meta.json"
	// maxMeta is the greatest size of meta.json in bytes.
	maxMeta = 256 << 10
)

// A metaJSON is the file meta.json of a capture. Other servers for scraped pages use the same field names.
type metaJSON struct {
	*Meta
	TTL *int64 `json:"ttl"` // milliseconds; 0: it never expires
}

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// encodeMeta returns the contents of meta.json.
func encodeMeta(m *Meta) ([]byte, error) {
	ttl := m.TTL.Milliseconds()
	data, err := json.MarshalIndent(metaJSON{m, &ttl}, "", "  ")
	if err == nil && len(data) >= maxMeta {
		err = fmt.Errorf("its metadata has more than %d KiB", maxMeta>>10)
	}
	return append(data, '\n'), err
}

// decodeMeta reads meta.json, and checks it: a capture with an invalid time would never expire.
func decodeMeta(key string, data []byte) (*Meta, error) {
	m := new(Meta)
	j := metaJSON{Meta: m}
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, err
	}
	switch {
	case m.Key != key:
		return nil, fmt.Errorf("its key is %q, must be %q as in the name of the folder", m.Key, key)
	case j.TTL == nil || *j.TTL < 0 || *j.TTL > maxTTL.Milliseconds() || m.Created.IsZero():
		return nil, errors.New("its ttl or timestamp is missing or wrong")
	case len(m.Parts) == 0:
		return nil, errors.New("it has no resources")
	}
	m.Created, m.TTL = m.Created.UTC(), time.Duration(*j.TTL)*time.Millisecond
	for tier, p := range m.Parts {
		if tier != Raw && tier != Cleaned && tier != Extracted || p.Bytes < 0 {
			return nil, fmt.Errorf("the resource %q is not a tier of a capture", tier)
		}
	}
	return m, nil
}

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

// A metaJSON is the file meta.json of a capture. Other servers for scraped pages use the same field
// names.
type metaJSON struct {
	Key              string                `json:"key"`
	URL              string                `json:"url"`
	Location         string                `json:"location,omitempty"`
	Timestamp        string                `json:"timestamp"` // RFC 3339 with milliseconds
	TTL              *json.Number          `json:"ttl"`       // milliseconds; 0: it never expires
	Source           string                `json:"source"`
	Owner            string                `json:"owner,omitempty"`
	Title            string                `json:"title,omitempty"`
	Description      string                `json:"description,omitempty"`
	Language         string                `json:"language,omitempty"`
	ETag             string                `json:"etag,omitempty"`
	LastModified     string                `json:"lastModified,omitempty"`
	Options          map[string]string     `json:"options,omitempty"`
	ExtractionPrompt string                `json:"extractionPrompt,omitempty"`
	Job              string                `json:"job,omitempty"`
	StartIndex       int                   `json:"startIndex,omitempty"`
	MaxChars         int                   `json:"maxChars,omitempty"`
	WasTruncated     bool                  `json:"wasTruncated,omitempty"`
	Diagnostics      []string              `json:"diagnostics,omitempty"`
	Resources        map[Tier]resourceJSON `json:"resources"`
}

type resourceJSON struct {
	ResourceType  Tier   `json:"resourceType"`
	ContentType   string `json:"contentType"`
	ContentLength int64  `json:"contentLength"` // bytes, without the front matter of the file
	SHA256        string `json:"sha256"`
	File          string `json:"file"`
}

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// encodeMeta returns the contents of meta.json.
func encodeMeta(m *Meta) ([]byte, error) {
	ttl := json.Number(milliseconds(m.TTL))
	j := metaJSON{
		Key: m.Key, URL: m.URL, Location: m.Location, Timestamp: m.Created.UTC().Format(timeLayout), TTL: &ttl, Source: m.Source, Owner: m.Owner,
		Title: m.Title, Description: m.Description, Language: m.Language, ETag: m.ETag, LastModified: m.LastModified,
		Options: m.Options, ExtractionPrompt: m.Prompt, Job: m.Job, StartIndex: m.StartIndex, MaxChars: m.MaxChars, WasTruncated: m.Truncated,
		Diagnostics: m.Diagnostics, Resources: make(map[Tier]resourceJSON, len(m.Parts)),
	}
	for tier, p := range m.Parts {
		j.Resources[tier] = resourceJSON{tier, p.MIME, p.Bytes, p.SHA256, fileName(tier, p.MIME)}
	}
	data, err := json.MarshalIndent(j, "", "  ")
	if err == nil && len(data) >= maxMeta {
		err = fmt.Errorf("its metadata has more than %d KiB", maxMeta>>10)
	}
	return append(data, '\n'), err
}

// decodeMeta reads meta.json, which a user may have edited. It checks everything: a capture with an
// invalid time would never expire.
func decodeMeta(key string, data []byte) (*Meta, error) {
	var j metaJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, err
	}
	created, err := time.Parse(time.RFC3339, j.Timestamp)
	if err != nil {
		return nil, fmt.Errorf("its timestamp is %q, must be a time such as %s", j.Timestamp, timeLayout)
	}
	if j.Key != key {
		return nil, fmt.Errorf("its key is %q, must be %q as in the name of the folder", j.Key, key)
	}
	if j.TTL == nil {
		return nil, errors.New("its ttl is missing, must be a number of milliseconds")
	}
	ms, err := strconv.ParseInt(j.TTL.String(), 10, 64)
	if err != nil || ms < 0 || ms > maxTTL.Milliseconds() {
		return nil, fmt.Errorf("its ttl is %s, must be a number of milliseconds from 0 to %d", *j.TTL, maxTTL.Milliseconds())
	}
	m := &Meta{
		Key: j.Key, URL: j.URL, Location: j.Location, Created: created.UTC(), TTL: time.Duration(ms) * time.Millisecond, Source: j.Source, Owner: j.Owner,
		Title: j.Title, Description: j.Description, Language: j.Language, ETag: j.ETag, LastModified: j.LastModified,
		Options: j.Options, Prompt: j.ExtractionPrompt, Job: j.Job, StartIndex: j.StartIndex, MaxChars: j.MaxChars, Truncated: j.WasTruncated,
		Diagnostics: j.Diagnostics, Parts: make(map[Tier]Part, len(j.Resources)),
	}
	for tier, r := range j.Resources {
		switch {
		case tier != Raw && tier != Cleaned && tier != Extracted:
			return nil, fmt.Errorf("%q is not a tier of a capture", tier)
		case r.ContentLength < 0:
			return nil, fmt.Errorf("its contentLength is %d, must not be negative", r.ContentLength)
		case r.ContentType == "":
			return nil, fmt.Errorf("the contentType of %s is missing", tier)
		}
		m.Parts[tier] = Part{r.ContentType, r.ContentLength, r.SHA256}
	}
	if len(m.Parts) == 0 {
		return nil, errors.New("it has no resources")
	}
	return m, nil
}

package worker

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A table maps URIs to resources and folders. Its keys are a letter, a colon and a decoded URI in one
// spelling: encoded as a canonical URI is, and with its host folded, since hosts are
// case-insensitive. The letters are f for files, d for folders, o for other resources, and m for the
// names in a folder that clients change in transit.
//
// The table is divided into shards by the hash of the key. A shard is an asset: an object with a list
// of candidates for each key. A key has several candidates if hosts differ only in case.
type table struct {
	entries map[string][]candidate
	fragile bool
}

// A candidate is what one URI names.
type candidate struct {
	Record json.RawMessage `json:"r"`
	Host   string          `json:"h,omitempty"` // encoded; if several hosts differ only in case, or Exact is set
	Group  []string        `json:"g,omitempty"` // these hosts; other spellings mean the first
	Exact  bool            `json:"x,omitempty"` // only the spelling in Host matches

	names []string
}

func (t *table) add(kind string, names []string, c candidate) error {
	key := keyOf(kind, names)
	if !utf8.ValidString(key) {
		return fmt.Errorf("%q: is not ASCII", key)
	}
	if c.names = names; c.Exact && len(names) > 1 {
		c.Host = string(uri.AppendHost(nil, names[1]))
	}
	t.entries[key] = append(t.entries[key], c)
	return nil
}

// keyOf returns the key of a scheme and names.
func keyOf(kind string, names []string) string {
	b := []byte(kind + ":" + names[0] + "://")
	for i, name := range names[1:] {
		if i == 0 {
			b = uri.AppendHost(b, fold(name))
		} else {
			b = uri.AppendSegment(append(b, '/'), name)
		}
	}
	return string(b)
}

// fold returns the same text for all texts that differ only in case, as the Worker does.
func fold(name string) string { return strings.Map(unicode.ToLower, name) }

// groups marks the candidates whose host differs from another host only in case. Other spellings of
// the host mean the first of these hosts in the scheme.
func (t *table) groups(c *loader.Catalog) {
	type group struct{ scheme, folded string }
	files, folders := make(map[group][]string), make(map[group][]string)
	for _, scheme := range c.Root().Everywhere() {
		for _, r := range scheme.Files() {
			g := group{scheme.Name(), fold(r.Name())}
			files[g] = append(files[g], string(uri.AppendHost(nil, r.Name())))
		}
		for _, f := range scheme.Everywhere() {
			g := group{scheme.Name(), fold(f.Name())}
			folders[g] = append(folders[g], string(uri.AppendHost(nil, f.Name())))
		}
	}
	for key, candidates := range t.entries {
		for i, c := range candidates {
			if len(c.names) < 2 || c.Exact || key[0] == 'o' {
				continue
			}
			g := group{c.names[0], fold(c.names[1])}
			hosts := folders[g]
			if key[0] == 'f' && len(c.names) == 2 {
				hosts = files[g]
			}
			if len(hosts) > 1 {
				candidates[i].Host, candidates[i].Group = string(uri.AppendHost(nil, c.names[1])), hosts
			}
		}
	}
}

// shardBytes is the approximate size of a shard: the Worker parses one for each lookup.
const shardBytes = 8 << 10

// write writes the shards, a power of two of them, and returns their assets.
func (t *table) write(b *Builder) ([]string, error) {
	encoded := make(map[string]json.RawMessage, len(t.entries))
	total := 0
	for key, candidates := range t.entries {
		record, err := jsonwire.Encode(candidates)
		if err != nil {
			return nil, err
		}
		encoded[key] = record
		total += len(key) + len(record)
	}
	count := 1
	for count*shardBytes < total {
		count *= 2
	}
	shards := make([]map[string]json.RawMessage, count)
	for _, key := range slices.Sorted(maps.Keys(encoded)) {
		hash := fnv.New32a()
		hash.Write([]byte(key))
		i := hash.Sum32() % uint32(count)
		if shards[i] == nil {
			shards[i] = make(map[string]json.RawMessage)
		}
		shards[i][key] = encoded[key]
	}
	paths := make([]string, count)
	for i, shard := range shards {
		if shard == nil {
			continue // an empty path means that the shard is empty
		}
		if err := b.addJSON(shard, &paths[i]); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

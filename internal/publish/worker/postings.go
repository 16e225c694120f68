package worker

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// The maximum sizes of shards in bytes: of lists, which the Worker decodes as a whole, and of the search index, of which it mostly decodes only what
// a query needs. A query may read 40 shards, because a request on the free plan may make 50. With a filter, it reads the names of most documents.
const (
	listSize  = 64 << 10
	shardSize = 256 << 10
)

// blockTerms is the number of terms in a block of the vocabulary. The Worker reads whole blocks.
const blockTerms = 32

// A searchHead says where the shards of the search index are. src/documents/index.ts reads them.
type searchHead struct {
	Passages   int      `json:"passages"`
	Counted    int      `json:"counted"`
	Words      int      `json:"words"`
	Terms      int      `json:"terms"`
	Vocabulary []shard  `json:"vocabulary"`
	Postings   []string `json:"postings"`
	Tables     string   `json:"tables"`
	Documents  []shard  `json:"documents"`
	Texts      []shard  `json:"texts"`
	// Languages and versions of documents of sites; empty: no sites.
	Trees []docs.ExportedTree `json:"trees"`
}

// A shard is an asset with items in order. From is the number of its first item, and First the key of that item.
type shard struct {
	Path  string `json:"path"`
	From  int    `json:"from"`
	First string `json:"first,omitempty"`
}

// shards divides items into assets of a size.
type shards struct {
	size   int
	list   []shard
	count  int    // of all items
	data   []byte // of the current shard
	before string // the key of the last item in it
	now    shard
}

// add adds an item: its key, which shares a prefix with the key before it, and what follows it.
func (s *shards) add(b *Builder, key string, item []byte) {
	if len(s.data) > 0 && len(s.data)+len(key)+len(item)+16 > s.size {
		s.flush(b)
	}
	if len(s.data) == 0 {
		s.now = shard{From: s.count, First: key}
	}
	s.data = append(shared(s.data, s.before, key), item...)
	s.before = key
	s.count++
}

func (s *shards) flush(b *Builder) {
	s.now.Path = b.Add(s.data)
	s.list = append(s.list, s.now)
	s.data, s.before = s.data[:0], ""
}

// end returns the shards.
func (s *shards) end(b *Builder) []shard {
	if len(s.data) > 0 {
		s.flush(b)
	}
	return append([]shard{}, s.list...)
}

// A citation is how the tool search names a document or a resource.
type citation struct {
	title string
	cited bool // a client can read the document or resource by its URI
}

// searchIndex writes a search index of the library. cite names the documents that a search finds.
func (b *Builder) searchIndex(ctx context.Context, whole bool, cite func(docs.ExportedDocument) citation) (*searchHead, error) {
	x, err := b.Library.Export(ctx, whole)
	if err != nil {
		return nil, err
	}
	h := &searchHead{
		Passages: len(x.Passages), Counted: x.Counted, Words: x.Words,
		Vocabulary: []shard{}, Postings: []string{}, Texts: []shard{},
		Trees: append([]docs.ExportedTree{}, x.Trees...),
	}
	b.terms(h, x)
	b.passages(h, x)
	b.found(h, x, cite)
	b.texts(h, x)
	return h, nil
}

// number appends a number in base 128, the lowest digit first.
func number(dst []byte, n int) []byte { return binary.AppendUvarint(dst, uint64(n)) }

func text(dst []byte, s string) []byte { return append(number(dst, len(s)), s...) }

// shared appends a string as the length of the prefix that it shares with the string before it, and
// the rest.
func shared(dst []byte, before, s string) []byte {
	n := 0
	for n < len(before) && n < len(s) && before[n] == s[n] {
		n++
	}
	return text(number(dst, n), s[n:])
}

func float(dst []byte, f float32) []byte {
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(f))
}

// terms writes the vocabulary and the postings. The postings of a term are in one shard if they fit
// into one; longer lists begin a shard and continue in the next shards.
func (b *Builder) terms(h *searchHead, x *docs.Export) {
	var postings, list []byte // of the current shard; of a term
	place := func() (length int) {
		if len(postings) > 0 && len(postings)+len(list) > shardSize {
			h.Postings = append(h.Postings, b.Add(postings))
			postings = postings[:0]
		}
		postings = append(postings, list...)
		for len(postings) >= shardSize {
			h.Postings = append(h.Postings, b.Add(postings[:shardSize]))
			postings = slices.Clone(postings[shardSize:])
		}
		return len(list)
	}
	// of the current shard: the offsets of each block and of its first postings; all terms
	var blocks, words []byte
	count, before, first := 0, "", ""
	flush := func() {
		if count == 0 {
			return
		}
		h.Vocabulary = append(h.Vocabulary, shard{b.Add(slices.Concat(number(nil, count), blocks, words)), h.Terms - count, first})
		blocks, words, count = blocks[:0], words[:0], 0
	}
	x.Terms(func(term string, holders int, exported []docs.ExportedPosting) {
		list = list[:0]
		last := 0
		for _, p := range exported {
			distance := 2 * (int(p.Passage) - last)
			last = int(p.Passage)
			if p.Weight == 1 {
				list = number(list, distance)
			} else {
				list = append(number(list, distance+1), p.Weight)
			}
		}
		if len(blocks)+len(words)+len(term)+48 > shardSize {
			flush()
		}
		if count == 0 {
			first = term
		}
		if count%blockTerms == 0 {
			for _, n := range []int{len(words), len(h.Postings), len(postings)} {
				blocks = binary.LittleEndian.AppendUint32(blocks, uint32(n))
			}
			before = ""
		}
		words = shared(words, before, term)
		words = number(number(words, holders), place())
		before = term
		count++
		h.Terms++
	})
	flush()
	if len(postings) > 0 {
		h.Postings = append(h.Postings, b.Add(postings))
	}
}

// passages writes the numbers that ranking needs: the number of passages and of documents, the weight of the heading of each passage; the first
// passage of each document, the weight of its name, the weight of its title and the share of its scores; and the number of words of each
// passage, with the highest bit if it continues a section.
func (b *Builder) passages(h *searchHead, x *docs.Export) {
	var headings, firsts, names, titles, shares, words []byte
	for i, p := range x.Passages {
		if i == 0 || p.Document != x.Passages[i-1].Document {
			firsts = binary.LittleEndian.AppendUint32(firsts, uint32(i))
			names, titles, shares = float(names, p.NameWeight), float(titles, p.TitleWeight), float(shares, x.Documents[p.Document].Share)
		}
		headings = float(headings, p.HeadingWeight)
		count := p.Words
		if p.Later {
			count |= 1 << 15 // a passage has fewer words
		}
		words = binary.LittleEndian.AppendUint16(words, count)
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(words)/2))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(firsts)/4))
	h.Tables = b.Add(slices.Concat(head, headings, firsts, names, titles, shares, words))
}

// Marks of a document that a search finds.
const (
	isResource = 1 << iota
	otherLower
	isCited
	hasTree
	hasSame
)

// found writes the documents that a search finds.
func (b *Builder) found(h *searchHead, x *docs.Export, cite func(docs.ExportedDocument) citation) {
	all := shards{size: shardSize}
	for i, d := range x.Documents {
		c := cite(d)
		marks := byte(0)
		if d.URI != "" {
			marks |= isResource
		}
		if d.Lower != d.Path {
			marks |= otherLower
		}
		if c.cited {
			marks |= isCited
		}
		if d.Tree >= 0 {
			marks |= hasTree
		}
		if d.Same != i {
			marks |= hasSame
		}
		item := []byte{marks}
		if d.URI != "" {
			item = text(item, d.URI)
		}
		if d.Lower != d.Path {
			item = text(item, d.Lower)
		}
		item = text(text(text(item, c.title), d.Title), d.Description)
		if d.Same != i {
			item = number(item, d.Same)
		}
		if d.Tree >= 0 {
			item = number(item, d.Tree)
		}
		all.add(b, d.Path, item)
	}
	h.Documents = all.end(b)
}

// startOf returns where the first of some units begins.
func startOf(units []excerpt.Unit) int {
	if len(units) == 0 {
		return 0
	}
	return units[0].Start
}

// unitMarks returns the kind of a unit, plus 8 if its line begins in fenced code, plus 16 if it is about what comes after it.
func unitMarks(u excerpt.Unit) int {
	marks := int(u.Kind)
	if u.Inside {
		marks += 8
	}
	if u.Announces {
		marks += 16
	}
	return marks
}

// texts writes the passages as clients see them.
func (b *Builder) texts(h *searchHead, x *docs.Export) {
	var sizes, data []byte
	count, from := 0, 0
	flush := func(next int) {
		if count > 0 {
			h.Texts = append(h.Texts, shard{Path: b.Add(slices.Concat(number(nil, count), sizes, data)), From: from})
		}
		sizes, data, count, from = sizes[:0], data[:0], 0, next
	}
	var one []byte
	for i, p := range x.Passages {
		one = number(text(text(number(one[:0], p.Top), p.Heading), p.Front), startOf(p.Units))
		one = number(one, len(p.Units))
		for _, u := range p.Units {
			one = number(one, 32*(u.End-u.Start)+unitMarks(u))
		}
		one = append(one, p.Text...)
		if len(sizes)+len(data)+len(one)+16 > shardSize {
			flush(i)
		}
		sizes = number(sizes, len(one))
		data = append(data, one...)
		count++
	}
	flush(0)
}

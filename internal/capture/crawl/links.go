package crawl

import (
	"encoding/base64"
	"encoding/binary"
	"net/url"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// Past links are the nodes to which a page led in an earlier crawl. The zero value says that they
// are not known.
type pastLinks struct {
	text  string // as the journal has it: how many there are, and the differences between their numbers
	nodes []node
}

// unsettled is the text of a page whose canonical URL was no page. It may be one now, so the page must
// come in full.
const unsettled = "-"

func (p pastLinks) known() bool { return p.text != "" && p.text != unsettled }

// wanted reports whether the page must come in full; followed says that its links are of use.
func (p pastLinks) wanted(followed bool) bool { return p.text == unsettled || followed && p.text == "" }

// linksTo returns the links to nodes, in their order.
func linksTo(numbers []int32) pastLinks {
	b := binary.AppendUvarint(nil, uint64(len(numbers)))
	last := int32(0)
	for _, n := range numbers {
		b = binary.AppendVarint(b, int64(n-last))
		last = n
	}
	return pastLinks{text: base64.RawStdEncoding.EncodeToString(b)}
}

// len returns how many there are.
func (p pastLinks) len() int32 {
	b, _ := base64.RawStdEncoding.DecodeString(p.text)
	n, _ := binary.Uvarint(b)
	return int32(min(n, maxFrontier))
}

// leads returns the links of a page that has not changed; nil: they are not known.
func (p pastLinks) leads() *webpage.Leads {
	if !p.known() {
		return nil
	}
	leads := new(webpage.Leads)
	b, err := base64.RawStdEncoding.DecodeString(p.text)
	if err != nil {
		return leads
	}
	_, size := binary.Uvarint(b)
	last := int64(0)
	for b = b[max(size, 0):]; len(b) > 0; {
		difference, size := binary.Varint(b)
		if size <= 0 {
			break
		}
		b = b[size:]
		if last += difference; last < 0 || last >= int64(len(p.nodes)) {
			break
		}
		if u, err := url.Parse(p.nodes[last].url); err == nil {
			leads.Links = append(leads.Links, webpage.Lead{URL: u})
		}
	}
	return leads
}

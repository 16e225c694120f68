package docs

// A run is the postings of some documents, in the order of their passages, as a writer finds them.
// [merge] sorts them by their terms.
type run struct {
	docs     []*document
	passages []passage
	words    int      // in all passages
	ends     []uint32 // of the postings of each passage
	postings []posting
	stems    []string // by number
}

// A posting is the number of a stem, and in the lowest byte its weight in a passage. It takes 4
// bytes, and 5 in an index.
type posting uint32

func newPosting(stem uint32, weight uint8) posting { return posting(stem<<8 | uint32(weight)) }
func (p posting) stem() uint32                     { return uint32(p >> 8) }
func (p posting) weight() uint8                    { return uint8(p) }

const (
	// maxPostings is the number of postings that a writer collects before it begins another run.
	maxPostings = 1 << 20
	// bytesPerPosting is how much text has one posting, nearly.
	bytesPerPosting = 10
)

// newRun returns a run for about that many bytes of text.
func newRun(size int64) *run {
	return &run{postings: make([]posting, 0, min(size/bytesPerPosting, maxPostings))}
}

// full reports whether another passage should be in another run. A stem has 24 bits in a posting; a
// passage adds some thousands of postings and stems.
func (r *run) full() bool { return len(r.postings) >= maxPostings }

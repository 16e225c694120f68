package docs

// A run is the postings of some documents as a writer finds them. [merge] sorts them by their terms.
type run struct {
	docs     []*document
	passages []passage
	words    int         // in all passages
	postings [][]posting // of each passage
	count    int         // of postings
	stems    []string    // by number
}

// A posting is the number of a stem and, in the lowest byte, its weight in a passage. It takes 4
// bytes, and 5 in an index.
type posting uint32

func (p posting) stem() uint32  { return uint32(p >> 8) }
func (p posting) weight() uint8 { return uint8(p) }

// maxPostings bounds a run, so that the numbers of its stems, with those of one passage more, fit into 24 bits.
const maxPostings = 1 << 20

// full reports whether the next passage should be in another run.
func (r *run) full() bool { return r.count >= maxPostings }

// add adds a passage with its stems and their weights.
func (r *run) add(p passage, stems []uint32, weights []uint8) {
	postings := make([]posting, len(stems))
	for i, n := range stems {
		postings[i] = posting(n<<8 | uint32(weights[n]))
	}
	r.passages, r.postings = append(r.passages, p), append(r.postings, postings)
	r.words, r.count = r.words+int(p.words), r.count+len(stems)
}

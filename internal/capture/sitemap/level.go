package sitemap

import "net/url"

// A file is a sitemap, and the index file that named it; nil: it was given.
type file struct {
	url  *url.URL
	from *file
}

// path returns the files by which a file was found, the one that was given first.
func (f *file) path() (list []*file) {
	if f.from != nil {
		list = f.from.path()
	}
	return append(list, f)
}

// A level is the sitemaps that are as many index files deep.
type level struct {
	most  int
	files []*file
	left  map[*file]int // files that are left out, by the one that was given and leads to them
	full  *file         // an index file that has its share
}

// add adds a file, and returns one for which there is no room then, or nil.
func (l *level) add(f *file) (dropped *file) {
	if f.from == nil || f.from != l.full {
		l.files = append(l.files, f)
		if len(l.files) <= l.most {
			return nil
		}
		index := f.from
		if f = l.drop(); f.from == index {
			l.full = index
		}
	}
	if l.left == nil {
		l.left = make(map[*file]int)
	}
	l.left[f.path()[0]]++
	return f
}

// drop removes the file that costs least: of the files that were given, the one that leads to most
// files of this level gives one away; of the index files that it names, again the one that leads to
// most; and so on.
func (l *level) drop() *file {
	paths := make([][]*file, len(l.files))
	for i, f := range l.files {
		paths[i] = f.path()
	}
	victims := make([]int, len(l.files))
	for i := range victims {
		victims[i] = i
	}
	for depth := range len(paths[0]) {
		by := make(map[*file][]int)
		var most *file
		for _, i := range victims {
			f := paths[i][depth]
			if by[f] = append(by[f], i); len(by[f]) >= len(by[most]) {
				most = f
			}
		}
		victims = by[most]
	}
	at := victims[0]
	f := l.files[at]
	l.files = append(l.files[:at], l.files[at+1:]...)
	return f
}

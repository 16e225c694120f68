package capability

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// resources returns the section of the resources: all of them, or each folder with some of its files.
func (x *Index) resources() section {
	if x.Files.Len() == 0 {
		return section{}
	}
	s := section{head: "\n## Resources\n\nFor `resources/read`.\n\n", weight: 4}
	var all strings.Builder
	for e := range x.each(Resources, "", false) {
		entry := e.entry()
		if s.need += tokens.Estimate(entry); s.need > MaxFull {
			break
		}
		all.WriteString(entry)
	}
	s.fill = func(room int) string {
		if s.need <= room {
			return all.String()
		}
		return x.sample(room)
	}
	return s
}

// A group has the files of a folder, or of a folder and its subfolders.
type group struct {
	uri    string // ends with a slash
	first  int    // index of its first file
	count  int
	below  bool // includes files of subfolders
	closed bool // no more entries fit
	chosen []string
}

func (g *group) line() string {
	where := ""
	if g.below {
		where = " here and below"
	}
	return fmt.Sprintf("- `%s` %s%s\n", g.uri, plural(g.count, "file"), where)
}

// sample lists the folders in half of the room, and some of their files in the rest: one file of each
// folder, then a second one of each, and so on. If there are too many folders, folders below a depth are
// counted with their parents.
func (x *Index) sample(room int) string {
	files := slices.Collect(x.Files.All())
	groups := groupsOf(files)
	rest := fmt.Sprintf("\nNot every file is listed, but each is counted with its folder.%s\n", x.whereFiles())
	room -= tokens.Estimate(rest)
	depth := 0
	for _, g := range groups {
		depth = max(depth, depthOf(g.uri))
	}
	lines := cost(groups)
	for ; lines > room/2 && depth > 0; depth-- {
		groups = merge(groups, depth-1)
		lines = cost(groups)
	}
	if lines > room/2 { // there are very many schemes
		slices.SortStableFunc(groups, func(a, b *group) int { return -cmp.Compare(a.count, b.count) })
		kept := 0
		for lines = 0; kept < len(groups) && lines+tokens.Estimate(groups[kept].line()) <= room/2; kept++ {
			lines += tokens.Estimate(groups[kept].line())
		}
		rest = fmt.Sprintf("\nNot every file is listed, and %s is not counted here.%s\n", plural(len(groups)-kept, "scheme"), x.whereFiles())
		groups = groups[:kept]
		slices.SortFunc(groups, func(a, b *group) int { return cmp.Compare(a.first, b.first) })
	}
	x.choose(files, groups, room-lines)
	var b strings.Builder
	for _, g := range groups {
		b.WriteString(g.line())
		for _, entry := range g.chosen {
			b.WriteString(entry)
		}
	}
	return b.String() + rest
}

func (x *Index) whereFiles() string {
	if !x.exposed.Elements {
		return ""
	}
	return fmt.Sprintf(" `%s` lists all, and with the URI of a folder as `q` those below it.", ElementsURI(Resources, "", 0, ""))
}

// choose chooses one entry of each group in turn while they fit.
func (x *Index) choose(files []loader.Resource, groups []*group, room int) {
	for round, some := 0, true; some && room > 0; round++ {
		some = false
		for _, g := range groups {
			if g.closed || round >= g.count {
				continue
			}
			entry := "  " + x.resourceEntry(files[g.first+round])
			n := tokens.Estimate(entry)
			if n > room {
				g.closed = true
				continue
			}
			room -= n
			some = true
			g.chosen = append(g.chosen, entry)
		}
	}
}

// groupsOf returns the folders of files, which are in canonical order.
func groupsOf(files []loader.Resource) (groups []*group) {
	var buffer []byte
	for i, r := range files {
		buffer = r.AppendURI(buffer[:0])
		folder := buffer[:bytes.LastIndexByte(buffer, '/')+1]
		if n := len(groups); n > 0 && groups[n-1].uri == string(folder) {
			groups[n-1].count++
			continue
		}
		groups = append(groups, &group{uri: string(folder), first: i, count: 1})
	}
	return groups
}

// depthOf returns the number of folders in a URI after its scheme.
func depthOf(folder string) int { return strings.Count(folder, "/") - 2 }

// merge counts the files of deeper folders with their parent at a depth. groups are sorted, so the
// subfolders of a folder are next to each other.
func merge(groups []*group, depth int) (merged []*group) {
	for _, g := range groups {
		end := strings.Index(g.uri, "://") + 3
		for range depth {
			next := strings.IndexByte(g.uri[end:], '/')
			if next < 0 {
				break
			}
			end += next + 1
		}
		if n := len(merged); n > 0 && merged[n-1].uri == g.uri[:end] {
			merged[n-1].count += g.count
			merged[n-1].below = true
			continue
		}
		merged = append(merged, &group{uri: g.uri[:end], first: g.first, count: g.count, below: g.below || end < len(g.uri)})
	}
	return merged
}

func cost(groups []*group) (sum int) {
	for _, g := range groups {
		sum += tokens.Estimate(g.line())
	}
	return sum
}

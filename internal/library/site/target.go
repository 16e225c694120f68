package site

import (
	"slices"
	"strings"
)

// candidates returns the files that a name in a page may mean, below the project folder, the best first. folders are those
// in which a relative name may begin; other names begin at the root of the documents, a static folder or the project
// folder. A name that leaves the project has no candidates.
func (p *Page) candidates(name string, folders []string) (files []string) {
	site, root := p.Tree.site, p.Tree.Root
	if alias := compile(`^(?:@site|@|~@?)/`).FindString(name); alias != "" { // the folder of the site
		name, folders = name[len(alias):], []string{site.Dir, root}
	} else if strings.HasPrefix(name, "/") {
		folders = slices.Concat([]string{root}, site.Static, []string{site.Trees[0].Root, "."})
	}
	for _, dir := range folders {
		if file := clean(dir, name); file != "" {
			files = append(files, file)
		}
	}
	return files
}

// spellings returns the files that a path means which may lack its extension or name a folder, the best first.
func (g *Generator) spellings(base string) (names []string) {
	names = append(names, base)
	for _, ext := range g.Extensions {
		names = append(names, base+ext)
	}
	for _, ext := range g.Extensions {
		for _, index := range []string{"index", "README", "_index", "readme"} {
			names = append(names, join(base, index+ext))
		}
	}
	return names
}

func hiddenPath(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return len(part) > 1 && part[0] == '.' })
}

package frontmatter

import "testing"

// What does reading the title of a document cost, when an index of thousands is built?
func BenchmarkTitles(b *testing.B) {
	block, _ := Find("---\ntitle: \"Setting up\" # short\ndescription: How to begin\nsidebar_position: 3\ntags: [a, b]\n---\n# Setting up\n")
	for b.Loop() {
		if block.Titles().Title != "Setting up" {
			b.Fatal("no title")
		}
	}
}

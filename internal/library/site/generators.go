package site

// generators that a repository may be configured for. If several know a file, the first that
// opens it counts.
var generators = []*Generator{
	mkdocs, docusaurus, vitepress, vuepress, starlight, hugo, zola, mdbook, sphinx, antora, jupyterBook, mintlify, hexo, jekyll,
	nextra, fumadocs, docfx, quarto, docsify, eleventy, exdoc, documenter, gitbook,
}

// draft is [Generator.Publishes] of generators that leave out drafts.
func draft(_ *Site, p *Page) string {
	if p.front.Is("draft") {
		return "is a draft"
	}
	return ""
}

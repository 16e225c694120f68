package site

// generators of which a repository may have the configuration. Where one file can be that of several, the first that
// opens it counts.
var generators = []*Generator{
	mkdocs, docusaurus, vitepress, vuepress, starlight, hugo, zola, mdbook, sphinx, antora, jupyterBook, mintlify, hexo, jekyll,
	nextra, fumadocs, docfx, quarto, docsify, eleventy, exdoc, documenter, gitbook,
}

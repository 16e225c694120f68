package site

import "strings"

// Markup that generators replace when they build a site. The result may have ids that the page does not show.
const (
	// objects are directives of Sphinx, mkdocstrings and Documenter that describe code, and others with parts of their own.
	objects = `(?m)^\s*(?:\x60{3,}|:{3,})\{(?:auto|argparse|click|doxygen|glossary|bibliography|[a-z]+:[a-z])|^\s*\x60{3}@(?:docs|autodocs|eval)|^:::\s+(?:\w+\.|mkdocs-)[\w.-]+\s*$` +
		`|^\s*\.\. (?:auto\w+|click|program-output|include|raw|[\w:]+:(?:function|class|method|module|option|envvar|data|attribute|command)|option|envvar|confval|glossary|function|class|method|data|attribute|module|describe)::`
	// templates are tags of Liquid, Jinja and Nunjucks, partial templates of Hugo, and in AsciiDoc what depends on attributes.
	templates = `\{%-?\s*(?:include|for|render|doc|tab|openapi|swagger)|(?m:^\s*\{\{-?\s*(?:partial|[\w.]+\s*\|))|(?m:^include::|^:idprefix:.*\w|^\[\[?#?[^\]\n]*\{)`
	// elements are components of MDX and Vue, and shortcodes. The groups are names.
	elements = `(?m:^[ \t]*<([A-Z]\w*))|\{\{[<%]\s*([\w/-]+)|\{[{%]\s*(\w+)\(`
	// idless are names of elements that make no ids, or only those that their attributes say.
	idless = `^(?:comment|details|figure|gist|highlight|instagram|param|qr|ref|relref|vimeo|x|youtube|Accordions?|AccordionGroup|Admonition|Aside|Badge|Banner|Bleed|BrowserOnly|Callout|Cards?|CardGr(?:id|oup)|Check|ClientOnly` +
		`|Code|CodeBlock|CodeGroup|CodeGroupItem|Color|Columns?|Danger|DocCard(?:List)?|Expandable|Files?|FileTree|Folder|Frame|GitHub|Head|Icon|Image|ImageZoom|Info|InlineTOC|Latex|Link|LinkButton|LinkCard|Mermaid|Note` +
		`|Panel|ParamField|Picture|Playground|Prompt|Redirect|(?:Request|Response)(?:Example|Field)|RouteLink|Steps?|TabItem|Table|Tabs?|ThemedImage|Tiles?|Tip|TOCInline|Tooltip|Translate|Tree|Update|View|Visibility|VP\w+|Warning|\w*(?i:toc))$`
)

// makes reports whether a text may make ids that nobody can know. bare is the text without code. An element around text of the
// page makes none.
func makes(text, bare string) bool {
	if strings.Contains(text, "eval-rst") && compile(objects).MatchString(text) || compile(objects).MatchString(bare) || compile(templates).MatchString(bare) {
		return true
	}
	bare = compile("(^|[^`])`[^`\n]+`").ReplaceAllString(bare, "$1")
	used := make(map[string]int)
	for _, m := range compile(elements).FindAllStringSubmatch(bare, 5000) {
		if name, ends := strings.CutPrefix(strings.Join(m[1:], ""), "/"); ends {
			used[name]--
		} else {
			used[name]++
		}
	}
	for name, n := range used {
		if !compile(idless).MatchString(name) && strings.Count(bare, "</"+name+">") < n {
			return true
		}
	}
	return false
}

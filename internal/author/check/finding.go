package check

import "sync"

// A Severity says how bad a finding is. Notes are not problems.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// severities are all severities, the worst first.
var severities = []Severity{Error, Warning, Note}

// A Finding is something about a project that its author should know.
type Finding struct {
	Severity Severity `json:"severity"`
	Rule     Rule     `json:"rule"`
	File     string   `json:"file,omitempty"`   // relative to the project folder; "": the finding is about the project
	Line     int      `json:"line,omitempty"`   // from 1; 0: the finding is about the whole file
	Column   int      `json:"column,omitempty"` // in characters from 1; 0: unknown
	URI      string   `json:"uri,omitempty"`    // a URI with the problem
	Message  string   `json:"message"`          // what is wrong
	Fix      string   `json:"fix,omitempty"`    // what to do
}

// A Rule is the name of the rule that a finding breaks.
type Rule string

// The rules, in the order in which findings of one severity are shown.
const (
	Settings   Rule = "settings"
	RoundTrip  Rule = "round-trip"
	Secret     Rule = "publish-secret"
	TooLarge   Rule = "size-unreadable"
	BrokenLink Rule = "link-broken"
	BrokenPart Rule = "anchor-broken"
	Prompt     Rule = "prompt"
	Skill      Rule = "skill"
	Sidecar    Rule = "sidecar"
	NotServed  Rule = "not-served"

	Unmatchable Rule = "template-unmatchable"
	Repeated    Rule = "template-repeated"
	Shadowed    Rule = "template-shadowed"
	Unused      Rule = "template-unused"
	Unmatched   Rule = "file-unmatched"

	PatternUnused Rule = "pattern-unused"

	FrontMatter  Rule = "front-matter"
	PublishSize  Rule = "publish-size"
	Publish      Rule = "publish-settings"
	Unportable   Rule = "name-unportable"
	HostName     Rule = "name-host"
	FileHost     Rule = "file-host"
	SchemeName   Rule = "name-scheme"
	AwkwardName  Rule = "name-awkward"
	LargeAnswer  Rule = "size-frame"
	Empty        Rule = "size-empty"
	Pointer      Rule = "lfs-pointer"
	Elsewhere    Rule = "link-elsewhere"
	Instructions Rule = "instructions-long"
	Dependencies Rule = "dependencies"
	Nothing      Rule = "nothing-served"
)

// A rule holds the properties of all findings of a rule.
type rule struct {
	order    int
	severity Severity
	title    string
	fix      string
}

var rules = sync.OnceValue(func() map[Rule]rule {
	out := make(map[Rule]rule)
	for i, r := range []struct {
		name Rule
		rule
	}{
		{Settings, rule{severity: Error, title: "mistakes in the settings", fix: "correct the file"}},
		{Instructions, rule{severity: Error, title: "instructions that are too long", fix: "shorten \"instructions\" in mcp-docs-server.json"}},
		{RoundTrip, rule{severity: Error, title: "URIs that their own template does not give back", fix: "change the template so that its variables hold all of the name, or rename the file"}},
		{Secret, rule{severity: Error, title: "secrets; publish stops at them, and clients can read them, unless a note replaces them", fix: "take it out; if it is not a secret, publish with --allow FILE"}},
		{TooLarge, rule{severity: Error, title: "files that no client can read", fix: "split the file, hide it, or raise \"limits\" in mcp-docs-server.json"}},
		{BrokenLink, rule{severity: Error, title: "links that lead nowhere", fix: "correct the link"}},
		{BrokenPart, rule{severity: Note, title: "links to headings that are not found", fix: "correct what follows \"#\", unless a build makes the heading"}},
		{Prompt, rule{severity: Error, title: "mistakes in prompts", fix: "correct the file"}},
		{Skill, rule{severity: Error, title: "mistakes in skills", fix: "correct the file"}},
		{Sidecar, rule{severity: Error, title: "mistakes in files that describe others", fix: "correct the file"}},
		{NotServed, rule{severity: Warning, title: "files that are not served", fix: "give it a name and a place that is served, or hide it with a name that begins with a dot"}},
		{Unmatchable, rule{severity: Warning, title: "templates that can match no file", fix: "change the template, or keep it if it is for clients only"}},
		{Repeated, rule{severity: Warning, title: "templates that are repeated", fix: "remove one of them"}},
		{Shadowed, rule{severity: Warning, title: "templates that never win", fix: "make the template more specific than the winner, or remove it"}},
		{Unused, rule{severity: Warning, title: "templates without files", fix: "add a file that it matches, or remove the template"}},
		{Unmatched, rule{severity: Note, title: "resources without a template", fix: "add a template to resources/templates.json, so that clients see what the file is"}},
		{PatternUnused, rule{severity: Note, title: "patterns that match nothing", fix: "correct the pattern, or remove it: include and exclude match paths below resources/, docsExclude paths below the project folder"}},
		{FrontMatter, rule{severity: Warning, title: "front matter that cannot be read", fix: "correct the front matter: YAML stands between lines ---"}},
		{PublishSize, rule{severity: Warning, title: "more bytes than publish allows", fix: "leave files out, or publish with --max-size"}},
		{Publish, rule{severity: Warning, title: "settings that publish refuses", fix: "correct the file before you publish"}},
		{Unportable, rule{severity: Warning, title: "names that some systems cannot hold", fix: "rename the file, so that a package can be unpacked everywhere"}},
		{HostName, rule{severity: Warning, title: "URI hosts that some clients refuse", fix: "rename the file or folder to letters, digits, \"-\", \".\" and \"_\""}},
		{FileHost, rule{severity: Note, title: "files whose names are hosts of URIs"}},
		{SchemeName, rule{severity: Warning, title: "URI schemes that mean something else", fix: "rename the folder"}},
		{AwkwardName, rule{severity: Note, title: "names that cause problems in clients", fix: "use letters, digits, \"-\", \".\" and \"_\""}},
		{LargeAnswer, rule{severity: Warning, title: "files that are too large for common clients", fix: "split the file"}},
		{Empty, rule{severity: Note, title: "empty files", fix: "fill or remove the file"}},
		{Pointer, rule{severity: Warning, title: "files that were not fetched from Git LFS", fix: "run \"git lfs pull\""}},
		{Elsewhere, rule{severity: Note, title: "links that are not resolved", fix: "nothing, if the published site has these pages"}},
		{Dependencies, rule{severity: Note, title: "dependencies whose documents are not served", fix: "nothing, if the package has none"}},
		{Nothing, rule{severity: Note, title: "a project without files to serve", fix: "put Markdown into the folder of your documents, or name another folder: \"--docs FOLDER\"; put other files below resources/SCHEME/HOST/: those in resources/acme/subs/ are acme://subs/..."}},
	} {
		r.order = i
		out[r.name] = r.rule
	}
	return out
})

// Title describes the findings of the rule, in the plural.
func (r Rule) Title() string { return rules()[r].title }

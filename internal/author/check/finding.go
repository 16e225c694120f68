package check

import "slices"

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

// The names of the rules.
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
	name       Rule
	severity   Severity
	title, fix string
}

// rules are all rules, in the order in which findings of one severity are shown.
var rules = []rule{
	{Settings, Error, "mistakes in the settings", "correct the file"},
	{Instructions, Error, "instructions that are too long", "shorten \"instructions\" in mcp-docs-server.json"},
	{RoundTrip, Error, "URIs that their own template does not give back", "change the template so that its variables hold all of the name, or rename the file"},
	{Secret, Error, "secrets; publish stops at them, and clients can read them, unless a note replaces them", "take it out; if it is not a secret, publish with --allow FILE"},
	{TooLarge, Error, "files that no client can read", "split the file, hide it, or raise \"limits\" in mcp-docs-server.json"},
	{BrokenLink, Error, "links that lead nowhere", "correct the link"},
	{BrokenPart, Note, "links to headings that are not found", "correct what follows \"#\", unless a build makes the heading"},
	{Prompt, Error, "mistakes in prompts", "correct the file"},
	{Skill, Error, "mistakes in skills", "correct the file"},
	{Sidecar, Error, "mistakes in files that describe others", "correct the file"},
	{NotServed, Warning, "files that are not served", "give it a name and a place that is served, or hide it with a name that begins with a dot"},
	{Unmatchable, Warning, "templates that can match no file", "change the template, or keep it if it is for clients only"},
	{Repeated, Warning, "templates that are repeated", "remove one of them"},
	{Shadowed, Warning, "templates that never win", "make the template more specific than the winner, or remove it"},
	{Unused, Warning, "templates without files", "add a file that it matches, or remove the template"},
	{Unmatched, Note, "resources without a template", "add a template to resources/templates.json, so that clients see what the file is"},
	{PatternUnused, Note, "patterns that match nothing", "correct the pattern, or remove it: include and exclude match paths below resources/, docsExclude paths below the project folder"},
	{FrontMatter, Warning, "front matter that cannot be read", "correct the front matter: YAML stands between lines ---"},
	{PublishSize, Warning, "more bytes than publish allows", "leave files out, or publish with --max-size"},
	{Publish, Warning, "settings that publish refuses", "correct the file before you publish"},
	{Unportable, Warning, "names that some systems cannot hold", "rename the file, so that a package can be unpacked everywhere"},
	{HostName, Warning, "URI hosts that some clients refuse", "rename the file or folder to letters, digits, \"-\", \".\" and \"_\""},
	{FileHost, Note, "files whose names are hosts of URIs", ""},
	{SchemeName, Warning, "URI schemes that mean something else", "rename the folder"},
	{AwkwardName, Note, "names that cause problems in clients", "use letters, digits, \"-\", \".\" and \"_\""},
	{LargeAnswer, Warning, "files that are too large for common clients", "split the file"},
	{Empty, Note, "empty files", "fill or remove the file"},
	{Pointer, Warning, "files that were not fetched from Git LFS", "run \"git lfs pull\""},
	{Elsewhere, Note, "links that are not resolved", "nothing, if the published site has these pages"},
	{Dependencies, Note, "dependencies whose documents are not served", "nothing, if the package has none"},
	{Nothing, Note, "a project without files to serve", "put Markdown into the folder of your documents, or name another folder: \"--docs FOLDER\"; put other files below resources/SCHEME/HOST/: those in resources/acme/subs/ are acme://subs/..."},
}

// order returns the index of a rule.
func (r Rule) order() int {
	return slices.IndexFunc(rules, func(known rule) bool { return known.name == r })
}

// Title describes the findings of the rule, in the plural.
func (r Rule) Title() string { return rules[r.order()].title }

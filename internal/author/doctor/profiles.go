package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// A check says what facts mean for a client.
type check func(*Facts) []Finding

// A profile describes one client.
type profile struct {
	id, title string
	source    string // where the behaviour is described, or how it was found, and when
	checks    []check
}

// profiles holds the known clients, in display order.
var profiles = []profile{
	{"claude-code", "Claude Code", "https://code.claude.com/docs/en/mcp, November 2026", []check{mentions, tokens, introduction, parsed}},
	{"claude-desktop", "Claude Desktop", "seen in autumn 2026", []check{rows, parsed}},
	{"vscode", "VS Code", "its source code, autumn 2026", []check{rewritten, folders, empties, hosts, narrow}},
	{"cursor", "Cursor", "https://cursor.com/docs/mcp, November 2026", []check{whole}},
	{"gemini-cli", "Gemini CLI", "seen in autumn 2026", []check{listedOnly}},
	{"qwen-code", "Qwen Code", "as Gemini CLI, which it is built on, autumn 2026", []check{listedOnly}},
	{"codex", "Codex", "seen in autumn 2026", []check{probes}},
	{"opencode", "opencode", "seen in autumn 2026", []check{probes, parsed}},
	{"windsurf", "Windsurf", "assumed, autumn 2026", []check{toolsOnly}},
	{"zed", "Zed", "https://zed.dev/docs/ai/mcp, November 2026", []check{withPrompts}},
	{"cline", "Cline", "seen in autumn 2026", []check{probes, unchanging, parsed}},
	{"jetbrains", "JetBrains AI Assistant", "assumed, autumn 2026", []check{toolsOnly}},
	{"lm-studio", "LM Studio", "assumed, autumn 2026", []check{toolsOnly}},
	{"goose", "Goose", "seen in autumn 2026", []check{probes}},
	{"copilot-cli", "Copilot CLI", "assumed, autumn 2026", []check{toolsOnly}},
	{"continue", "Continue", "seen in autumn 2026", []check{firstPage}},
	{"chatgpt", "ChatGPT connectors", "https://platform.openai.com/docs/mcp, autumn 2026", []check{connector}},
}

func works(format string, args ...any) []Finding {
	return []Finding{{Kind: Works, Text: fmt.Sprintf(format, args...)}}
}

func limited(advice, format string, args ...any) []Finding {
	return []Finding{{Kind: Limited, Text: fmt.Sprintf(format, args...), Advice: advice}}
}

func fails(advice, format string, args ...any) []Finding {
	return []Finding{{Kind: Fails, Text: fmt.Sprintf(format, args...), Advice: advice}}
}

// shown is the maximum number of examples in a sentence.
const shown = 3

// some lists the first names, and the number of the others.
func some(all []string) string {
	text := strings.Join(all[:min(len(all), shown)], ", ")
	if more := len(all) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// the returns a number of things with the definite article.
func the(n int, noun string) string {
	if n == 1 {
		return "the " + noun
	}
	return "the " + number(n, noun)
}

// only returns the number of all things of a kind.
func only(n int, noun string) string {
	if n == 1 {
		return "the only " + noun
	}
	return "all " + number(n, noun)
}

// every returns the findings that concern all clients.
func every(f *Facts) []Finding {
	found := works("The server offers %s, %s, %s and %s.", number(f.Resources, "resource"), number(f.Templates, "template"), number(f.Prompts, "prompt"), number(len(f.Tools), "tool"))
	if len(f.Unanswered) > 0 {
		found = append(found, fails("", "A list returns an error: %s.", some(f.Unanswered))...)
	}
	if len(f.Unread) > 0 {
		found = append(found, fails("Split the files, raise limits.maxReadBytes and limits.maxFrameBytes, or exclude the files.",
			"Some listed files cannot be read: %s.", some(f.Unread))...)
	}
	if len(f.LongFrames) > 0 {
		found = append(found, limited("Lower limits.maxFrameBytes to 10485760, or split the files.", "Answers over 10 MiB break common clients: %s.", some(f.LongFrames))...)
	}
	return found
}

// mentions checks @server:uri. Versions before 2.1.147 read one page.
func mentions(f *Facts) []Finding {
	switch {
	case f.Resources == 0:
		return nil
	case f.Pages > 1:
		return limited("Raise limits.pageSize, which may be 10000, or serve fewer files.",
			"Versions before 2.1.147 offer only the first %d of %d resources for @ mentions.", f.FirstPage, f.Resources)
	}
	return works("%s can be mentioned with @: one page lists everything.", plural(f.Resources, "resource"))
}

// tokens checks outputs, which the client cuts at 25,000 tokens.
func tokens(f *Facts) []Finding {
	var found []Finding
	if len(f.LongTexts) > 0 {
		found = limited("Split them, or have the model read them in parts with the tool read_resource.",
			"A model that reads these texts as resources may get only a part, because an output has at most 25,000 tokens: %s.", some(f.LongTexts))
	}
	if len(f.LongCalls) > 0 {
		found = append(found, limited("", "These tools answer with more than 25,000 tokens: %s.", some(f.LongCalls))...)
	}
	if found == nil {
		found = works("No text and no answer of a tool has more than 25,000 tokens.")
	}
	return found
}

// introduction checks instructions and descriptions of tools, which the client cuts at 2 KB.
func introduction(f *Facts) []Finding {
	var found []Finding
	if f.Instructions > maxText {
		found = limited("Shorten the key \"instructions\".", "The instructions have %d bytes, of which the model gets 2048.", f.Instructions)
	}
	if len(f.LongTools) > 0 {
		found = append(found, limited("Shorten the name of the project, or have fewer folders in the folder of the documents.",
			"Descriptions of tools are cut at 2048 bytes: %s.", some(f.LongTools))...)
	}
	return found
}

// rows checks for repeated titles, because the client lists resources by title.
func rows(f *Facts) []Finding {
	switch {
	case f.Resources == 0:
		return nil
	case len(f.SameRows) > 0:
		return limited("Give each file a title of its own: set \"describe\" to true, and write a heading or a front matter title into the file, or NAME.meta.json next to it.",
			"Users who attach a resource see identical rows: %s.", some(f.SameRows))
	}
	return works("Each resource has a distinct row in the list of resources to attach.")
}

// spellings returns the finding about reads with another spelling of URIs.
func spellings(r *Rewrites, what string) []Finding {
	switch {
	case len(r.Failed) > 0:
		return fails("Rename the files, so that their names have no such characters.", "%s: %d of %d reads fail: %s.", what, len(r.Failed), r.Tried, some(r.Failed))
	case r.Tried > 0:
		if r.Tried == 1 {
			return works("%s: the only read works.", what)
		}
		return works("%s: all %d reads work.", what, r.Tried)
	}
	return nil
}

func rewritten(f *Facts) []Finding {
	if found := spellings(&f.Rewritten, "It rewrites characters such as %2B in URIs"); found != nil || f.Resources == 0 {
		return found
	}
	return works("It changes no URI of the project.")
}

func parsed(f *Facts) []Finding {
	return spellings(&f.Parsed, "It sends URIs as JavaScript spells them")
}

func folders(f *Facts) []Finding {
	switch r := &f.Folders; {
	case len(r.Failed) > 0:
		return limited("Split these folders into smaller ones, or raise limits.maxReadBytes.", "%d of %d folders cannot be opened as folders: %s.", len(r.Failed), r.Tried, some(r.Failed))
	case r.Tried > 0:
		return works("%s can be opened, also without the slash at the end.", plural(r.Tried, "folder"))
	}
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "The " + noun
	}
	return fmt.Sprintf("All %d %ss", n, noun)
}

func empties(f *Facts) []Finding {
	if len(f.Empty) == 0 {
		return nil
	}
	return limited("Write something into them, or exclude them.", "Files without bytes look like folders: %s.", some(f.Empty))
}

func hosts(f *Facts) []Finding {
	if len(f.SpacedHosts) == 0 {
		return nil
	}
	return limited("Rename the second folder below resources/, or the project for its documents.", "A URI with a space in the host cannot be opened: %s.", some(f.SpacedHosts))
}

func narrow(f *Facts) []Finding {
	if len(f.NarrowNames) == 0 {
		return nil
	}
	return limited("Write {+name} instead of {name} in templates.json.", "Its picker encodes values outside ASCII wrongly for these templates: %s.", some(f.NarrowNames))
}

// toolsOnly checks tools, because the client uses nothing else.
func toolsOnly(f *Facts) []Finding {
	found := withoutResources(f, "It is assumed to use only tools")
	if f.Prompts > 0 {
		found = append(found, limited("Also write what users need from them into documents.", "It may not show %s.", the(f.Prompts, "prompt"))...)
	}
	return found
}

// withoutResources checks the tools of a client that does not read resources. uses says what it uses.
func withoutResources(f *Facts, uses string) []Finding {
	found := works("%s, and gets %s.", uses, some(f.Tools))
	if len(f.Tools) == 0 {
		found = fails("", "%s, and the server has none.", uses)
	}
	if f.Resources > 0 && !slices.Contains(f.Tools, "read_resource") && !f.Connector {
		found = append(found, limited("Set \"tools\": {\"resources\": true}.", "It does not get %s: there is no tool for that.", the(f.Resources, "resource"))...)
	}
	return found
}

// withPrompts is for a client that shows prompts as slash commands.
func withPrompts(f *Facts) []Finding {
	found := withoutResources(f, "It uses tools and prompts")
	if f.Prompts > 0 {
		found = append(found, works("%s can be used with a slash.", plural(f.Prompts, "prompt"))...)
	}
	return found
}

// whole is for a client whose documentation lists tools, resources and prompts.
func whole(f *Facts) []Finding {
	return works("Its documentation lists tools, resources and prompts, so it gets %s, %s and %s.",
		number(len(f.Tools), "tool"), number(f.Resources, "resource"), number(f.Prompts, "prompt"))
}

// listedOnly checks lists, because the client refuses to read URIs that are not listed.
func listedOnly(f *Facts) []Finding {
	if f.Resources == 0 {
		return toolsOnly(f)
	}
	found := works("It reads only listed resources and follows all pages, so it can read %s.", only(f.Resources, "resource"))
	if f.Templates > 0 {
		found = append(found, limited("", "It never lists %s; the files are listed anyway.", the(f.Templates, "template"))...)
	}
	return found
}

// probes checks lists, because the client gives up on a server if any list returns the error -32601.
func probes(f *Facts) []Finding {
	if len(f.Unanswered) > 0 {
		return fails("", "It may drop the server, because a list returns an error: %s.", some(f.Unanswered))
	}
	return works("All four lists answer, even if they are empty: an error on any list would make it drop the server.")
}

func unchanging(*Facts) []Finding {
	return limited("Users must restart the server in the client after a change.", "It does not follow changes of the lists.")
}

// firstPage checks that lists have one page, because the client reads no other.
func firstPage(f *Facts) []Finding {
	if f.Pages > 1 {
		return limited("Raise limits.pageSize, which may be 10000, or serve fewer files.", "It reads one page of a list: %d of %d resources.", f.FirstPage, f.Resources)
	}
	return works("It reads one page of a list, which has %s.", only(f.Resources, "resource"))
}

func connector(f *Facts) []Finding {
	switch {
	case !f.Connector:
		return limited("Set \"tools\": {\"connector\": true} if the project is for ChatGPT.", "It asks for the tools search and fetch, which are off.")
	case f.ConnectorError != "":
		return fails("", "It searches, and then fetches what it found: %s.", f.ConnectorError)
	case f.ConnectorResult != "":
		return works("It searches, and then fetches what it found: %s.", f.ConnectorResult)
	}
	return works("It has the tools search and fetch.")
}

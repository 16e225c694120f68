package clients

import (
	"fmt"
	"strings"
)

// Readme returns a section of Markdown for the README of the author: how to add the server to each
// client. The server must be a package or remote, so that others can use it; then no value contains
// a backtick or a line end, which could end a block early.
func Readme(s Server) (string, error) {
	if s.URL == "" && (!s.Script || s.scriptArgs > 0) {
		return "", fmt.Errorf("%q is a program on this machine, which others cannot use: give --package or --url", s.Command)
	}
	var links, parts []string
	for _, c := range clients {
		setup, err := c.Setup(s, Linux)
		if err != nil {
			return "", err
		}
		if setup.WebLink != "" {
			links = append(links, fmt.Sprintf("[%s](%s)", c.Title, setup.WebLink))
		}
		parts = append(parts, fmt.Sprintf("<details>\n<summary>%s</summary>\n\n%s\n</details>\n", c.Title, c.readme(setup)))
	}
	text := "## Connect a client\n\n"
	if s.Needs != "" {
		text += "Install the program first: `npm install -g \"" + s.Needs + "\"`\n\n" // PowerShell needs the quotes
	}
	text += "Add it to " + strings.Join(links, ", ") + ", or by hand:\n\n" + strings.Join(parts, "\n")
	if s.Script {
		words := s.words(Windows)
		command, _ := Line(Windows, words...) // a script and its package are plain words for every shell
		text += fmt.Sprintf("\nOn Windows the command is `%s` and its arguments are `%s`; on a command line write `%s`.\n",
			words[0], strings.Join(words[1:], "`, `"), command)
	}
	return text, nil
}

// readme returns the text about one client.
func (c Client) readme(setup Setup) string {
	fence := func(format, text string) string {
		return "```" + format + "\n" + strings.TrimSpace(text) + "\n```\n"
	}
	if setup.Dialog != "" {
		return setup.Dialog + ":\n\n" + fence(setup.Format, setup.Snippet)
	}
	var b strings.Builder
	if setup.Command != "" {
		b.WriteString(fence("sh", setup.Command) + "\nOr in ")
	} else {
		b.WriteString("In ")
	}
	b.WriteString("`" + setup.File + "`")
	if setup.InFolder {
		b.WriteString(" in the folder you work in")
	}
	for _, system := range [][2]string{{"macOS", MacOS}, {"Windows", Windows}} {
		if file := c.file(system[1]); file != setup.File {
			b.WriteString(", on " + system[0] + " `" + file + "`")
		}
	}
	b.WriteString(":\n\n" + fence(setup.Format, setup.Snippet))
	if setup.After != "" {
		b.WriteString("\n" + setup.After + "\n")
	}
	return b.String()
}

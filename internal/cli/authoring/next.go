package authoring

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// nextSteps holds the commands to run after init: to check the project, to see its web UI, and to
// connect a client.
type nextSteps struct {
	install string     // the command that installs the program, if "go run" will delete it; or ""
	inside  bool       // the commands must run in the project folder, because its name cannot be quoted
	steps   []nextStep // three, or none if the program was started from a package of documents
}

// A nextStep is a command and its purpose.
type nextStep struct{ purpose, command string }

// next returns the commands for the project in dir.
func (a *app) next(p *project.Project, dir string) nextSteps {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nextSteps{}
	}
	from := command.OriginOf("docs", command.OnPath(command.Self(), exec.LookPath), abs, []string{"serve", abs})
	if from.Install != "" { // "go run" deletes the running program
		from.Server.Command = command.Name
	}
	if strings.HasPrefix(dir, "-") {
		dir = "." + string(filepath.Separator) + dir // not an option
	}
	client := firstClient()
	next := nextSteps{install: from.Install}
	for _, step := range []struct {
		purpose       string
		before, after []string // the words before and after the folder
	}{
		{"Check it", []string{"check"}, nil},
		{"Look at it in a browser, until Ctrl-C", []string{"serve", "--http", "--open"}, nil},
		{"Connect " + client.Title + "; \"config\" alone lists other clients", []string{"config", client.ID}, []string{"--write"}},
	} {
		words := append([]string{}, step.before...)
		if filepath.Clean(dir) != "." && !next.inside {
			words = append(words, dir)
		}
		line, ok := from.Line(runtime.GOOS, append(words, step.after...)...)
		if !ok || terminal.Line(line) != line {
			next.inside = true
			line, ok = from.Line(runtime.GOOS, append(append([]string{}, step.before...), step.after...)...)
		}
		if ok {
			next.steps = append(next.steps, nextStep{step.purpose, line})
		}
	}
	return next
}

// firstClient returns a client whose file or program is on this computer, or else the first client.
func firstClient() clients.Client {
	all := clients.All()
	home, _ := os.UserHomeDir()
	for _, c := range all {
		if program := map[string]string{"claude-code": "claude", "vscode": "code"}[c.ID]; program != "" {
			if _, err := exec.LookPath(program); err == nil {
				return c
			}
			continue // its file is in the folder of a project
		}
		setup, err := c.Setup(clients.Local("docs", command.Name), runtime.GOOS)
		if err != nil || setup.File == "" || setup.InFolder || setup.Format == "yaml" {
			continue // it has no file that --write can edit
		}
		if file, err := setup.Locate(home, os.Getenv); err == nil {
			if _, err := os.Stat(file); err == nil {
				return c
			}
		}
	}
	return all[0]
}

// show returns the commands as text for the user.
func (n nextSteps) show(out terminal.Output) string {
	if len(n.steps) == 0 {
		return ""
	}
	var b strings.Builder
	if n.install != "" {
		b.WriteString("\n" + out.Bold("Keep this program first, which is deleted when it ends:") + "\n\n    " + n.install + "\n")
	}
	title := "Next:"
	if n.inside {
		title = "Next, in the folder of the project:"
	}
	b.WriteString("\n" + out.Bold(title) + "\n")
	for _, s := range n.steps {
		b.WriteString("\n  " + s.purpose + ":\n    " + s.command + "\n")
	}
	return b.String()
}

// commands returns the commands as lines.
func (n nextSteps) commands() []string {
	lines := []string{}
	for _, s := range n.steps {
		lines = append(lines, s.command)
	}
	return lines
}

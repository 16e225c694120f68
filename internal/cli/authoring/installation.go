package authoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/doctor"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/probe"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
)

// An installation is the project in the configuration of a client on this computer.
type installation struct {
	Client string      `json:"client"`
	Title  string      `json:"title"`
	File   string      `json:"file"`
	Name   string      `json:"name"` // of the entry; "": the file cannot be read
	Kind   doctor.Kind `json:"kind"`
	Text   string      `json:"text"` // the rest of a sentence that begins with the server
	Advice string      `json:"advice,omitempty"`
}

// installations finds the project in the files of clients, and tests each entry.
func (a *app) installations(ctx context.Context, p *project.Project, ids []string) ([]installation, error) {
	found := []installation{}
	name := command.ServerName(p.Config.Package)
	name = strings.Trim(name[:min(len(name), clients.MaxName)], "-")
	server, err := a.start(p, name, connection{remove: true}) // remove avoids the warning about a program of "go run"
	if err != nil {
		return nil, err
	}
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		client, ok := clients.Find(id)
		if !ok {
			continue // the client has no file
		}
		setups, err := client.Setups(server, runtime.GOOS)
		if err != nil {
			return nil, err
		}
		for _, setup := range setups {
			file, err := openClientFile(setup)
			if err != nil || !file.there {
				continue // the client is not on this computer
			}
			one := installation{Client: client.ID, Title: client.Title, File: file.path}
			entries, err := setup.Entries(file.text, folder)
			if err != nil {
				if strings.Contains(string(file.text), name) {
					one.Name, one.Kind, one.Text = name, doctor.Limited, "the file "+err.Error()
					found = append(found, one)
				}
				continue
			}
			for _, e := range entries {
				if !a.isOurs(p, e, server) {
					continue
				}
				one.Name = e.Name
				one.Kind, one.Text, one.Advice = a.try(ctx, p, e, server, setup.InFolder)
				found = append(found, one)
			}
		}
	}
	return found, ctx.Err()
}

// isOurs reports whether an entry is meant to serve the project: it has the name that config gives
// it, or it starts this program or the npm package for the folder.
func (a *app) isOurs(p *project.Project, e clients.Entry, server clients.Server) bool {
	if e.Name == server.Name || strings.EqualFold(e.Name, server.Name) {
		return true
	}
	program := strings.TrimSuffix(filepath.Base(strings.ReplaceAll(e.Command, `\`, "/")), ".exe")
	if p.Configured && (slices.Contains(e.Args, p.Config.Package) || program == (bundle.Info{Package: p.Config.Package}).Slug()) {
		return true
	}
	if program != command.Name && !slices.Contains(e.Args, npm.CLI) {
		return false
	}
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(e.Args, func(arg string) bool {
		return filepath.IsAbs(arg) && (command.SameFile(arg, dir) || command.SameFile(arg, filepath.Join(dir, p.ConfigFile)))
	})
}

// try tests whether a server answers. A file in a project folder may come from somebody else, so try
// starts a program from such a file only if it is this program, serving this project.
func (a *app) try(ctx context.Context, p *project.Project, e clients.Entry, server clients.Server, inFolder bool) (kind doctor.Kind, text, advice string) {
	const checkFile = "Others may have written a file of a folder: look at it, and start the server yourself."
	if e.Off {
		return doctor.Limited, "it is turned off", "Turn it on in the client."
	}
	if e.URL != "" {
		if inFolder {
			return doctor.Limited, "it is not asked", checkFile
		}
		answer, err := probe.Ask(ctx, e.URL)
		switch {
		case errors.Is(err, probe.ErrToken):
			return doctor.Works, err.Error(), ""
		case err != nil:
			return doctor.Fails, err.Error(), "Start the server, or correct the URL."
		}
		return verdict(p, answer)
	}
	program, err := exec.LookPath(e.Command)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		reason := "is not in the PATH"
		if filepath.Base(e.Command) != e.Command {
			reason = "does not exist or cannot be run"
		}
		if errors.Is(err, fs.ErrPermission) {
			reason = "may not be run"
		}
		return doctor.Fails, fmt.Sprintf("the command %s %s", command.Printable(e.Command), reason),
			"Install the program again, or run \"mcp-docs-server config CLIENT --write\"."
	}
	if inFolder && (len(e.Env) > 0 || !slices.Equal(e.Args, server.Args) || !command.SameFile(program, command.Self()) || err != nil) {
		return doctor.Limited, "the command is found; it is not started", checkFile
	}
	answer, err := probe.Start(ctx, program, e.Args, e.Env)
	if err != nil {
		return doctor.Fails, "the command is found, but does not answer: " + err.Error(), "Run the command in a terminal to see why."
	}
	return verdict(p, answer)
}

// verdict says whether an answer comes from the server of this project.
func verdict(p *project.Project, answer probe.Answer) (doctor.Kind, string, string) {
	text := fmt.Sprintf("it starts and answers as %q %s", answer.Name, cmp.Or(answer.Version, "without a version"))
	if answer.Name != p.Config.Name {
		return doctor.Limited, text, fmt.Sprintf("That is another project than %q: take it out, or give one of them another name with --name.", p.Config.Name)
	}
	return doctor.Works, text, ""
}

package authoring

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// NewInit returns the command init.
func NewInit(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Create a project, or the missing parts of one",
		Long: "Create a project in DIR, or in the current folder: settings, and an example of a document, a prompt\n" +
			"and a resource. In a folder with Markdown, write only settings, with which the same is served. For\n" +
			"an existing project, create only the parts that it lacks. No file is ever overwritten.",
		Args:              command.Positional(0, 1, "at most one folder"),
		ValidArgsFunction: command.CompleteFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := cmp.Or(command.Arg(args, 0), a.Project, ".")
			if a.Config != "" || a.Docs != "" {
				return command.Misuse("init takes neither --config nor --docs: it writes mcp-docs-server.json, whose key \"docs\" names the folder of the documents")
			}
			return a.initialize(cmd.Context(), dir)
		},
	}
}

// initialize creates the missing parts of the project in a folder, and the folder if necessary.
func (a *app) initialize(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
			return fmt.Errorf("%s: is a file, must be a folder", dir)
		}
		return project.PathError(dir, err)
	}
	p, warnings, err := project.Open(ctx, project.Options{Dir: dir, Incomplete: true})
	a.Warn(warnings)
	if err != nil {
		return err
	}
	defer p.Close()
	documents := false
	if !p.Config.DocsGiven {
		library, _ := p.Documents(ctx) // planned says what cannot be read
		documents = library.Len() > 0
	}
	missing, there, err := planned(p.Files, p.Config, p.Configured, documents)
	if err != nil {
		return namedError(p, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return project.PathError(dir, err)
	}
	defer root.Close()
	written, err := writeNew(root, missing)
	if err != nil {
		// the files that were written before the error
		_ = a.showInitialized(p, written, nil)
		return namedError(p, err)
	}
	return a.showInitialized(p, written, there)
}

// namedError replaces the path in an error by the path that the user knows.
func namedError(p *project.Project, err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return project.PathError(p.Show(failed.Path), failed.Err)
	}
	return err
}

func (a *app) showInitialized(p *project.Project, written []string, there []part) error {
	out := terminal.Of(a.Streams.Out)
	var b strings.Builder
	for _, name := range written {
		fmt.Fprintf(&b, "%s  %s\n", out.Good("written"), command.Printable(p.Show(name)))
	}
	for _, part := range there {
		fmt.Fprintf(&b, "%s  %s\n", out.Faint("kept   "), command.Printable(p.Show(string(part))))
	}
	dir := ""
	if p.Dir != "." {
		dir = " " + clients.POSIX(terminal.OneLine(p.Dir))
	}
	fmt.Fprintf(&b, "\nNext:\n  look at it        mcp-docs-server serve --http%s\n  find mistakes     mcp-docs-server check%[1]s\n"+
		"  connect a client  mcp-docs-server config claude-code%[1]s --write\n", dir)
	_, err := io.WriteString(out, b.String())
	return err
}

// examples are the first files of a new project. They explain themselves, and authors can delete all of them.
//
//go:embed starter
var examples embed.FS

// schemaFile is the schema of the settings, for editors. It is in a hidden folder, which is neither
// served nor published.
const schemaFile = ".schemas/mcp-docs-server.schema.json"

// embedding begins the last part of the example of a prompt, which embeds a resource.
const embedding = "\n![An example of the settings]"

// A newFile is a file to write into a project.
type newFile struct {
	Name string // relative to the project folder, with slashes
	Data []byte
}

// A part is an existing file or folder of a project.
type part string

// planned returns the files that a project lacks, in the order in which to write them, and the parts that it has: of settings, documents,
// prompts and resources. A folder that is not empty counts as present. project is its folder, and c its settings, or the settings for a folder without settings. A folder that has documents lacks
// only settings: no examples come among what its author has written, and nothing names a package, so that nobody publishes notes by mistake.
func planned(project fs.FS, c config.Config, configured, documents bool) (missing []newFile, present []part, err error) {
	if configured {
		present = append(present, config.File)
	} else {
		settings, err := settingsOf(project, c.Name, !documents)
		if err != nil {
			return nil, nil, err
		}
		missing = append(missing, settings)
		if _, err := fs.Stat(project, schemaFile); errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, newFile{schemaFile, example("mcp-docs-server.schema.json")})
		}
	}
	// init writes no example of a skill.
	if held, err := holds(project, "skills"); err == nil && held {
		present = append(present, "skills/")
	}
	resources, err := holds(project, "resources")
	if err != nil {
		return nil, nil, err
	}
	docs := c.Docs
	if len(c.Sites) > 0 {
		docs = c.Sites[0].Root // an example in docs/ would not be served
	}
	if docs == "." {
		// examples of other parts would be documents
		return missing, append(present, "./"), nil
	}
	for _, p := range []struct {
		folder   string
		examples []string // "docs" is the folder that the settings name
	}{
		{docs, []string{"docs/index.md", "docs/guides/documents.md"}},
		{"prompts", []string{"prompts/explain.md"}},
		// check would warn about a template without files
		{"resources", []string{"resources/config/examples/app.json", "resources/templates.json"}},
	} {
		held, err := holds(project, p.folder)
		if err != nil {
			return nil, nil, err
		}
		if held {
			present = append(present, part(p.folder+"/"))
		}
		if held || documents {
			continue
		}
		for _, name := range p.examples {
			_, rest, _ := strings.Cut(name, "/")
			data := example(name)
			// With resources of its own, the project lacks the resource that the example embeds.
			if resources {
				data, _, _ = bytes.Cut(data, []byte(embedding))
			}
			missing = append(missing, newFile{path.Join(p.folder, rest), data})
		}
	}
	return missing, present, nil
}

// holds reports whether a folder exists and is not empty.
func holds(project fs.FS, folder string) (bool, error) {
	info, err := fs.Stat(project, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !info.IsDir() {
		return false, &fs.PathError{Op: "open", Path: folder, Err: errors.New("is a file, must be a folder: rename it")}
	}
	entries, err := fs.ReadDir(project, folder)
	return len(entries) > 0, err
}

func example(name string) []byte {
	data, err := examples.ReadFile("starter/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}

// settingsOf returns settings for a folder without settings: its name, and the package and version of its package.json or, for a new project,
// made of the name.
func settingsOf(project fs.FS, name string, isNew bool) (newFile, error) {
	settings := struct {
		Schema        string `json:"$schema"`
		Name          string `json:"name"`
		Package       string `json:"package,omitempty"`
		Version       string `json:"version,omitempty"`
		Describe      bool   `json:"describe"`
		DocsResources bool   `json:"docsResources"`
	}{Schema: "./" + schemaFile, Name: strings.ToValidUTF8(name, "-"), Describe: true}
	if isNew {
		settings.Package, settings.Version = cmp.Or(bundle.Slug(name), "docs"), "0.1.0"
	}
	var manifest struct{ Name, Version string }
	if data, err := rootfs.ReadFile(project, "package.json", maxManifest); err == nil && json.Unmarshal(data, &manifest) == nil {
		if bundle.IsNewPackage(manifest.Name) {
			settings.Package = manifest.Name
		}
		if bundle.IsVersion(manifest.Version) {
			settings.Version = manifest.Version
		}
	}
	data, err := jsonwire.EncodeFile(settings)
	return newFile{config.File, data}, err
}

// maxManifest is the number of bytes of a package.json that are read.
const maxManifest = 1 << 20

// writeNew writes files into a folder. It returns the names of the files that it wrote, also with an
// error. A file that already exists is an error, even if it was created after [planned].
func writeNew(root *os.Root, files []newFile) (written []string, err error) {
	for _, file := range files {
		if err := root.MkdirAll(path.Dir(file.Name), 0o755); err != nil {
			return written, err
		}
		f, err := root.OpenFile(file.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return written, err
		}
		_, err = f.Write(file.Data)
		if err = errors.Join(err, f.Close()); err != nil {
			return written, err
		}
		written = append(written, file.Name)
	}
	return written, nil
}

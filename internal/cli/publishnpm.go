package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/rootfs"
)

// publishToNpm makes an npm package of a project.
func (a *app) publishToNpm(ctx context.Context, r *publication, o publishing) error {
	if o.npm.Access == "" && o.npm.Provenance && r.origin.Access() == "restricted" {
		return errors.New("--provenance needs a public package, but publishConfig in package.json says \"restricted\"")
	}
	if err := o.npm.Check(r.info.Package); err != nil {
		return &usageError{err.Error()}
	}
	if o.npm.Provenance && r.info.Repository == "" {
		return fmt.Errorf("--provenance needs the key \"repository\" in %s, which says where the package comes from", r.project.show(npm.ManifestFile))
	}
	var binaries *rootfs.FS
	if o.binaries != "" {
		var err error
		if binaries, err = rootfs.Open(o.binaries); err != nil {
			return pathError(o.binaries, err)
		}
		defer binaries.Close()
	}
	p, err := a.npmPackage(ctx, r, o, binaries)
	if err != nil {
		return err
	}
	switch {
	case o.dryRun:
		return a.showPackage(p, r)
	case strings.HasSuffix(o.output, ".tgz"):
		a.tellLeft(r.contents.Left)
		summary, err := writeFile(o.output, p)
		if err != nil {
			return err
		}
		return a.tellPackage(p, summary)
	case o.output != "":
		a.tellLeft(r.contents.Left)
		files, err := p.All()
		if err != nil {
			return err
		}
		return bundle.WriteFolder(o.output, files)
	}
	a.tellLeft(r.contents.Left)
	dir, err := os.MkdirTemp("", "mcp-docs-server-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tarball := filepath.Join(dir, p.FileName())
	summary, err := writeFile(tarball, p)
	if err != nil {
		return err
	}
	if err := a.tellPackage(p, summary); err != nil {
		return err
	}
	return a.tool(r.project).Publish(ctx, tarball, o.npm)
}

// tool is npm in the project folder, so that it finds the author's .npmrc there.
func (a *app) tool(p *project) npm.Tool {
	return npm.Tool{Dir: p.dir, In: a.streams.In, Out: a.streams.Out, Err: a.streams.Err}
}

func (a *app) npmPackage(ctx context.Context, r *publication, o publishing, binaries *rootfs.FS) (*npm.Package, error) {
	if o.selfContained == "" {
		version, err := cliVersion(o.cliVersion, version())
		if err != nil {
			return nil, err
		}
		return npm.Docs(r.info, r.origin, r.all(), version), nil
	}
	platforms, err := npm.ParsePlatforms(o.selfContained)
	if err != nil {
		return nil, &usageError{"--self-contained: " + err.Error()}
	}
	programs, err := a.programs(ctx, r.project, o, binaries, platforms)
	if err != nil {
		return nil, err
	}
	return npm.SelfContained(r.info, r.origin, r.all(), programs), nil
}

// programs finds the programs of platforms in binaries or, if that is nil, has npm fetch them.
func (a *app) programs(ctx context.Context, p *project, o publishing, binaries *rootfs.FS, platforms []npm.Platform) (map[npm.Platform]bundle.File, error) {
	if binaries != nil {
		programs, err := npm.FindPrograms(binaries, platforms)
		if err != nil {
			return nil, fmt.Errorf("--binaries %s: %w", o.binaries, err)
		}
		return programs, nil
	}
	version, err := cliVersion(o.cliVersion, version())
	if err != nil {
		return nil, err
	}
	tool := a.tool(p)
	tool.Out = io.Discard // the name of what it wrote
	programs := make(map[npm.Platform]bundle.File)
	for _, platform := range platforms {
		if programs[platform], err = tool.Program(ctx, platform, version); err != nil {
			return nil, err
		}
	}
	return programs, nil
}

// commit matches the versions that the Go tool makes of a commit without a tag.
var commit = regexp.MustCompile(`\d{14}-[0-9a-f]{12}$`)

// cliVersion is the version of the package of this program that others depend on: the one given, or that of the program
// itself if it is a released one.
func cliVersion(given, own string) (string, error) {
	if given != "" {
		if err := npm.CheckVersion(given); err != nil {
			return "", &usageError{"--cli-version: " + err.Error()}
		}
		return given, nil
	}
	own = strings.TrimPrefix(own, "v")
	if npm.CheckVersion(own) != nil || strings.Contains(own, "+") || commit.MatchString(own) {
		return "", fmt.Errorf("this program has the version %q, which is not a released one, so that a package cannot depend on the same; say which version of %s it is to depend on, as in --cli-version 1.0.0", own, npm.CLI)
	}
	return own, nil
}

// writeFile writes a tarball, whole or not at all.
func writeFile(name string, p *npm.Package) (summary npm.Summary, err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return summary, err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".publish-*")
	if err != nil {
		return summary, err
	}
	defer os.Remove(f.Name()) // it has another name by then, if all went well
	out := bufio.NewWriterSize(f, 1<<20)
	if summary, err = p.WriteTarball(out); err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return summary, err
	}
	return summary, os.Rename(f.Name(), name)
}

// showPackage is the dry run.
func (a *app) showPackage(p *npm.Package, r *publication) error {
	summary, err := p.WriteTarball(io.Discard)
	if err != nil {
		return err
	}
	files, err := p.All()
	if err != nil {
		return err
	}
	manifest, err := p.Manifest.JSON()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(a.streams.Out)
	for _, f := range files {
		fmt.Fprintf(out, "%12d  %s\n", f.Size, printable(f.Name))
	}
	for _, l := range r.contents.Left {
		fmt.Fprintf(out, "left out: %s\n", describe(l))
	}
	fmt.Fprintf(out, "\n%s\n", manifest)
	if err := out.Flush(); err != nil {
		return err
	}
	return a.tellPackage(p, summary)
}

// tellPackage says what a tarball holds, as npm does.
func (a *app) tellPackage(p *npm.Package, s npm.Summary) error {
	_, err := fmt.Fprintf(a.streams.Out, "package:   %s %s\nfiles:     %d\nunpacked:  %d bytes\npacked:    %d bytes\nshasum:    %s\nintegrity: %s\n",
		p.Manifest.Name, p.Manifest.Version, s.Files, s.Unpacked, s.Packed, s.Shasum, s.Integrity)
	return err
}

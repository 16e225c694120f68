package publishing

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/worker"
)

// A product is a file to publish.
type product struct {
	name     string        // its name without --output
	files    []bundle.File // its contents
	manifest []byte        // npm: package.json, which a dry run shows
	write    func(io.Writer) error
}

// packing is the work while a file or a folder is written.
func packing(files []bundle.File) progress.Work {
	return progress.Work{Name: "packing", Total: bundle.Total(files), Unit: progress.Bytes}
}

// deliver writes a product, or prints it with --dry-run.
func (a *app) deliver(ctx context.Context, r *publication, o publishing, p product) error {
	sum := &meter{Hash: sha256.New()}
	r.result.hold(p.files)
	if o.dryRun {
		if !o.json {
			if err := a.listFiles(p.files, p.manifest, r.contents); err != nil {
				return err
			}
		}
		r.result.Manifest = p.manifest
		if err := r.line.During(packing(p.files), func() error { return p.write(&interruptible{ctx, sum}) }); err != nil {
			return err
		}
		return a.printProduct(r, o, sum)
	}
	a.reportOmitted(r.contents.Omitted, o)
	name := cmp.Or(o.output, p.name)
	if err := r.outside(name); err != nil {
		return err
	}
	if err := r.line.During(packing(p.files), func() error {
		return writeFile(ctx, name, func(w io.Writer) error { return p.write(io.MultiWriter(w, sum)) })
	}); err != nil {
		return err
	}
	r.result.Output = name
	return a.printProduct(r, o, sum)
}

// printProduct prints the contents of a file.
func (a *app) printProduct(r *publication, o publishing, sum *meter) error {
	p := r.result
	p.Packed, p.SHA256 = sum.n, hex.EncodeToString(sum.Sum(nil))
	if o.json {
		return nil // publish prints the result
	}
	if p.Output != "" {
		if _, err := fmt.Fprintf(a.Streams.Out, "file:      %s\n", p.Output); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(a.Streams.Out, "package:   %s %s\nfiles:     %d\nunpacked:  %d bytes\npacked:    %d bytes\nsha256:    %s\n",
		p.Package, p.Version, len(p.Files), p.Unpacked, p.Packed, p.SHA256)
	return err
}

// listFiles prints the packed and the omitted files, for a dry run. Files that documents show or include and that are
// outside of the documents' folders come apart, so that the user sees what else of the repository is published.
func (a *app) listFiles(files []bundle.File, manifest []byte, contents *pack.Contents) error {
	out := bufio.NewWriter(a.Streams.Out)
	isAnswer := func(f bundle.File) bool {
		return strings.HasPrefix(strings.TrimPrefix(f.Name, "project/"), worker.Answers)
	}
	answers := slices.DeleteFunc(slices.Clone(files), func(f bundle.File) bool { return !isAnswer(f) })
	for _, f := range files {
		if isAnswer(f) {
			if f.Name == answers[0].Name {
				fmt.Fprintf(out, "%12d  %s (%s: answers that are not equal to a file)\n", bundle.Total(answers), worker.Answers, command.Count(len(answers), "file"))
			}
			continue
		}
		if _, outside := slices.BinarySearch(contents.Outside, strings.TrimPrefix(f.Name, "project/")); !outside {
			fmt.Fprintf(out, "%12d  %s\n", f.Size, command.Printable(f.Name))
		}
	}
	if len(contents.Outside) > 0 {
		fmt.Fprintf(out, "\noutside of %s, because documents show or include it:\n", command.Printable(contents.Library.Dir()+"/"))
	}
	for _, f := range contents.Files {
		if _, outside := slices.BinarySearch(contents.Outside, f.Name); outside {
			fmt.Fprintf(out, "%12d  %s\n", f.Size, command.Printable(f.Name))
		}
	}
	for _, l := range contents.Omitted {
		fmt.Fprintf(out, "left out: %s\n", describe(l))
	}
	fmt.Fprintln(out)
	if manifest != nil {
		fmt.Fprintf(out, "%s\n", manifest)
	}
	return out.Flush()
}

// A meter is a hash that counts the written bytes.
type meter struct {
	hash.Hash
	n int64
}

func (m *meter) Write(b []byte) (int, error) {
	m.n += int64(len(b))
	return m.Hash.Write(b)
}

// writeFile writes a file completely or not at all: it writes under another name in the same folder
// and renames.
func writeFile(ctx context.Context, name string, write func(io.Writer) error) error {
	info, err := os.Lstat(name)
	switch {
	case err != nil: // the file does not exist, or the steps below report the error
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("--output %s: is a link, must be the file to write: remove the link, or name its target", name)
	case info.IsDir():
		return fmt.Errorf("--output %s: is a folder, must be the file to write", name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("--output %s: is a device or a pipe, must be the file to write", name)
	}
	undo, err := bundle.MakeFolders(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer undo()
	f, err := os.CreateTemp(filepath.Dir(name), ".publish-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // after a success the file has another name
	out := bufio.NewWriterSize(&interruptible{ctx, f}, 1<<20)
	if err = write(out); err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// interruptible is a writer that fails once ctx has ended.
type interruptible struct {
	ctx context.Context
	w   io.Writer
}

func (i *interruptible) Write(b []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.w.Write(b)
}

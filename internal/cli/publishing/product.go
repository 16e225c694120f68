package publishing

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/worker"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A product is a file or a folder to publish.
type product struct {
	name     string // its name without --output; "": a file that is removed after use
	files    []bundle.File
	manifest []byte // npm: package.json, which a dry run shows
	write    func(io.Writer) error
	folder   func(dir string) error  // writes a folder; nil: write writes a file
	use      func(name string) error // uses what is written, instead of a report, or nil
}

// deliver writes a product, or prints it with --dry-run.
func (a *app) deliver(r *publication, o publishing, p product) error {
	sum := &meter{Hash: sha256.New()}
	work := terminal.Work{Name: "packing", Total: bundle.Total(p.files), Unit: terminal.Bytes}
	if err := a.announce(r, o, p.manifest, p.files); err != nil {
		return err
	} else if o.dryRun {
		if p.folder == nil {
			if err := r.line.During(work, func() error { return p.write(sum) }); err != nil {
				return err
			}
			r.result.Packed, r.result.SHA256 = sum.n, hex.EncodeToString(sum.Sum(nil))
		}
		return a.report(r, o)
	}
	name := cmp.Or(o.output, p.name)
	if r.result.Output = name; name == "" {
		dir, err := os.MkdirTemp("", "mcp-docs-server-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		name = filepath.Join(dir, "package.tgz")
	} else if err := r.outside(name); err != nil {
		return err
	}
	if err := r.line.During(work, func() error {
		if p.folder != nil {
			return p.folder(name)
		}
		return writeFile(name, func(w io.Writer) error { return p.write(io.MultiWriter(w, sum)) })
	}); err != nil {
		return err
	}
	if p.folder == nil {
		r.result.Packed, r.result.SHA256 = sum.n, hex.EncodeToString(sum.Sum(nil))
	}
	if p.use == nil {
		return a.report(r, o)
	}
	return p.use(name)
}

// announce prints the files of a product for a dry run, and otherwise those that the user may not expect or may miss.
func (a *app) announce(r *publication, o publishing, manifest []byte, files []bundle.File) error {
	r.result.hold(files)
	if o.dryRun {
		r.result.Manifest = manifest
	}
	if o.json { // the result names them
		return nil
	}
	a.reportOutside(r.contents.Outside)
	if o.dryRun {
		return a.listFiles(r.contents, manifest, files)
	}
	a.reportOmitted(r.contents.Omitted)
	return nil
}

// report prints what is published or written, or would be.
func (a *app) report(r *publication, o publishing) error {
	if o.json {
		return nil // publish prints the result
	}
	p := r.result
	var b strings.Builder
	line := func(given bool, format string, values ...any) {
		if given {
			fmt.Fprintf(&b, format+"\n", values...)
		}
	}
	line(p.Number > 0, "number:    %d", p.Number)
	line(p.Project != "", "project:   %s", p.Project)
	line(p.Output != "" && p.SHA256 != "", "file:      %s", p.Output)
	line(p.Output != "" && p.SHA256 == "", "folder:    %s", p.Output)
	line(true, "package:   %s %s\nfiles:     %d\nunpacked:  %d bytes", p.Package, p.Version, len(p.Files), p.Unpacked)
	line(p.SHA256 != "", "packed:    %d bytes\nsha256:    %s", p.Packed, p.SHA256)
	_, err := io.WriteString(a.Streams.Out, b.String())
	return err
}

// listFiles prints the packed and the omitted files, for a dry run.
func (a *app) listFiles(contents *pack.Contents, manifest []byte, files []bundle.File) error {
	out := bufio.NewWriter(a.Streams.Out)
	var answers []bundle.File
	for _, f := range files {
		if strings.HasPrefix(strings.TrimPrefix(f.Name, "project/"), worker.Answers) {
			answers = append(answers, f)
			continue
		}
		fmt.Fprintf(out, "%12d  %s\n", f.Size, command.Printable(f.Name))
	}
	if answers != nil {
		fmt.Fprintf(out, "%12d  %s (%s: answers that are not equal to a file)\n", bundle.Total(answers), worker.Answers, command.Count(len(answers), "file"))
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
func writeFile(name string, write func(io.Writer) error) error {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("--output %s: is a folder, a link or a device, must be the file to write", name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".publish-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // after a success the file has another name
	out := bufio.NewWriterSize(f, 1<<20)
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

// outside returns an error for an output among the files of the project: it would be served, packed
// the next time, or overwrite a file that configures the package.
func (r *publication) outside(output string) error {
	name, err := command.Below(r.project.Dir, output)
	if err != nil || name == "" {
		return err
	}
	for part := range strings.SplitSeq(name, "/") {
		if walk.Hidden(part) {
			return nil
		}
	}
	if name == r.project.ConfigFile || name == npm.ManifestFile || npm.IsExtra(name) {
		return fmt.Errorf("--output %s: is one of the files that describe the project; name another path", output)
	}
	folders := []string{r.contents.Library.Dir()}
	for _, f := range r.contents.Files {
		// A link leads to one of these folders too.
		folders = append(folders, path.Dir(f.Name))
	}
	folders = slices.DeleteFunc(folders, func(dir string) bool { return dir == "." })
	return command.Outside(r.project, "--output", output, folders...)
}

// A published is the JSON about the package that was published or written, or would be with --dry-run.
type published struct {
	Target    string          `json:"target"`
	Package   string          `json:"package"`
	Version   string          `json:"version"`
	DryRun    bool            `json:"dryRun"`
	Published bool            `json:"published"` // to the npm registry or the store
	Output    string          `json:"output,omitempty"`
	Project   string          `json:"project,omitempty"` // in the store
	Number    int             `json:"number,omitempty"`  // of the version in the store
	Files     []publishedFile `json:"files"`
	// files that documents show, outside of their folders or hidden
	Outside  []string        `json:"outside,omitempty"`
	Omitted  []pack.Unpacked `json:"omitted"`
	Unpacked int64           `json:"unpacked"`         // bytes of all files
	Packed   int64           `json:"packed,omitempty"` // bytes of the product
	// of the product, in hexadecimal
	SHA256   string          `json:"sha256,omitempty"`
	Manifest json.RawMessage `json:"manifest,omitempty"` // package.json or server.json
}

// A publishedFile is a file of a product.
type publishedFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// newPublished returns the values that are known before the product is made.
func newPublished(o publishing, info bundle.Info, contents *pack.Contents) *published {
	p := &published{
		Target: o.target, Package: info.Package, Version: info.Version, DryRun: o.dryRun,
		Files: []publishedFile{}, Omitted: []pack.Unpacked{},
	}
	for _, name := range contents.Outside {
		p.Outside = append(p.Outside, uri.Display(name))
	}
	for _, l := range contents.Omitted {
		p.Omitted = append(p.Omitted, pack.Unpacked{Path: uri.Display(l.Path), Hidden: l.Hidden})
	}
	return p
}

// hold adds the files of the product.
func (p *published) hold(files []bundle.File) {
	for _, f := range files {
		p.Files = append(p.Files, publishedFile{uri.Display(f.Name), f.Size})
		p.Unpacked += f.Size
	}
}

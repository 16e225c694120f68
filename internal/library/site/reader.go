package site

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxRead is the number of bytes of a configuration, an include or a head that is read.
const maxRead = 1 << 20

// A reader reads configuration files of a project.
type reader struct {
	fsys fs.FS
	docs *docsfs.FS

	texts   map[string]string // of files that were read
	left    int               // bytes of configuration that may still be read
	notices []loader.Notice   // what the user should know about configuration
}

// maxConfigured bounds the bytes of the configuration of a project.
const maxConfigured = 64 << 20

func newReader(docs *docsfs.FS) *reader {
	return &reader{fsys: docs.Project(), docs: docs, texts: make(map[string]string), left: maxConfigured}
}

// notice reports something about a file of configuration to the user, once: about the line that has a name, or the last part of
// it that the file has.
func (r *reader) notice(file, name, reason string) {
	n := loader.Notice{Path: file, Reason: reason}
	for rest := name; rest != "" && n.Line == 0 && len(r.notices) < maxNotices; _, rest, _ = strings.Cut(rest, "/") {
		if before, _, ok := strings.Cut(r.text(file), rest); ok {
			n.Line = 1 + strings.Count(before, "\n")
		}
	}
	r.report(n)
}

func (r *reader) report(n loader.Notice) {
	if len(r.notices) < maxNotices && !slices.Contains(r.notices, n) {
		r.notices = append(r.notices, n)
	}
}

// maxNotices bounds what is reported about the configuration of a project.
const maxNotices = 50

// text returns the text of a file of at most 1 MiB, or "". What git ignores and hidden names are not read, except for the folders of
// configuration, and secrets are replaced.
func (r *reader) text(file string) string {
	text, known := r.texts[file]
	if known || r.left < 0 {
		return text
	}
	hidden := func(part string) bool {
		return hiddenPath(part) && !slices.Contains([]string{".vitepress", ".vuepress", ".gitbook.yaml", ".eleventy.js"}, part)
	}
	if data, err := readBounded(r.docs, file); err == nil && !slices.ContainsFunc(strings.Split(file, "/"), hidden) {
		if r.left -= len(data); r.left < 0 {
			r.notice(file, "", fmt.Sprintf("is not read: the configuration of the project has more than %d MiB", maxConfigured>>20))
			return ""
		}
		text = string(data)
	}
	r.texts[file] = text
	return text
}

// config returns the settings in a configuration file. A file that cannot be read has none.
func (r *reader) config(file string) values { return r.parse(file, r.text(file)) }

// parse returns the settings in a text of a configuration file.
func (r *reader) parse(file, text string) values {
	v, err := settings.Parse(file, text)
	if e, ok := errors.AsType[*settings.SyntaxError](err); ok {
		r.report(loader.Notice{Path: file, Line: e.Line, Reason: "cannot be parsed: " + e.Reason + ": its settings are not read"})
	}
	return v
}

// errTooLarge is the error for a file of more bytes than are read.
var errTooLarge = errors.New("is too large")

// readBounded returns a file of at most [maxRead] bytes.
func readBounded(fsys fs.FS, file string) ([]byte, error) { return readAtMost(fsys, file, maxRead) }

func readAtMost(fsys fs.FS, file string, most int64) ([]byte, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	if info.Size() > most {
		return nil, errTooLarge
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = b.ReadFrom(io.LimitReader(rootfs.Reader(fsys, file, f), most+1))
	data := bytes.TrimPrefix(b.Bytes(), []byte("\ufeff"))
	if media.StartsUTF16(data) {
		if c := media.Classify(file, "", data); c.IsText {
			return []byte(c.Text), err
		}
	}
	return data, err
}

type values = settings.Values

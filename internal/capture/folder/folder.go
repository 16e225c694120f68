package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// write writes a file, except in a dry run or after ctx has ended.
func (c *Capturer) write(ctx context.Context, name string, data []byte) error {
	if c.Options.DryRun || ctx.Err() != nil {
		return ctx.Err()
	}
	replace := c.Folder.Replace
	if c.flushLater {
		replace = c.Folder.ReplaceSoon
	}
	if err := replace(name, data); err != nil {
		return &WriteError{name, err}
	}
	return nil
}

// A WriteError reports that a file cannot be written.
type WriteError struct {
	Name string
	Err  error
}

func (e *WriteError) Error() string { return e.Name + ": " + fserr.Reason(e.Err) }
func (e *WriteError) Unwrap() error { return e.Err }

// read reads a captured file, and returns its bytes too; nil if it does not exist.
func (c *Capturer) read(name string) (*File, []byte, error) {
	data, err := c.readAll(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, errors.New(fserr.Reason(err))
	}
	if len(data) == 0 && c.flushLater { // the computer crashed before the file was on disk
		return nil, nil, nil
	}
	f, err := parseFile(string(data))
	return f, data, err
}

// readFor is [Capturer.read] for a file that must have been captured from a URL.
func (c *Capturer) readFor(name, url string) (*File, []byte, error) {
	f, data, err := c.read(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if f != nil && f.URL != url {
		return nil, nil, fmt.Errorf("%s: was captured from %s: rename it", name, f.URL)
	}
	return f, data, nil
}

func (c *Capturer) readAll(name string) ([]byte, error) {
	if c.Folder == nil {
		return nil, fs.ErrNotExist
	}
	f, err := c.Folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a folder")
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(min(info.Size(), maxFile)) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(f, maxFile+1))
	if err == nil && b.Len() > maxFile {
		err = fmt.Errorf("has more than %d MiB", maxFile>>20)
	}
	return b.Bytes(), err
}

// Captured returns the captured pages in a folder, sorted by file.
func Captured(ctx context.Context, folder *rootfs.FS) ([]Target, error) {
	c := &Capturer{Folder: folder}
	var list []Target
	err := walk.Folder(ctx, folder, ".", walk.Visitor{File: func(e walk.Entry) error {
		if path.Ext(e.Loc) != ".md" || !e.Type.IsRegular() {
			return nil
		}
		f, _, err := c.read(e.Loc)
		if f == nil || err != nil {
			return nil // not a captured page
		}
		u, err := url.Parse(f.URL)
		if err != nil {
			return nil
		}
		if canonical, err := crawl.Normalize(u); err == nil && canonical.String() == f.URL {
			list = append(list, Target{canonical, e.Loc, f.Site})
		}
		return nil
	}})
	slices.SortFunc(list, func(a, b Target) int { return strings.Compare(a.File, b.File) })
	return list, err
}

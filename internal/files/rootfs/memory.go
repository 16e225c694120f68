package rootfs

import (
	"bytes"
	"io/fs"
	"time"
)

// InMemory returns an open file whose contents are in memory: a text that differs from the file on the disk, or has none.
func InMemory(data []byte, info fs.FileInfo) fs.File { return &memoryFile{bytes.NewReader(data), info} }

type memoryFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *memoryFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *memoryFile) Close() error               { return nil }

// NewInfo returns the information of a file or folder that is not on the disk under its name.
func NewInfo(name string, size int64, mode fs.FileMode, modified time.Time) fs.FileInfo {
	return memoryInfo{name, size, mode, modified}
}

type memoryInfo struct {
	name     string
	size     int64
	mode     fs.FileMode
	modified time.Time
}

func (i memoryInfo) Name() string       { return i.name }
func (i memoryInfo) Size() int64        { return i.size }
func (i memoryInfo) Mode() fs.FileMode  { return i.mode }
func (i memoryInfo) ModTime() time.Time { return i.modified }
func (i memoryInfo) IsDir() bool        { return i.mode.IsDir() }
func (i memoryInfo) Sys() any           { return nil }

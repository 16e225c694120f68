package oci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// program returns the smallest possible program for Linux.
func program(machine uint16, rest string) bundle.File {
	elf := append([]byte("\x7fELF\x02\x01"), make([]byte, 58)...)
	binary.LittleEndian.PutUint16(elf[18:], machine)
	return bundle.Bytes("binaries/x", bundle.ModePlain, append(elf, rest...))
}

var longName = "docs/" + strings.Repeat("long/", 60) + strings.Repeat("ä", 127) + ".md"

func acme() Image {
	return Image{
		Info: bundle.Info{
			Title: "Acme", Package: "@acme/docs", Version: "1.2.3+4", Description: "All of Acme", License: "MIT", Homepage: "https://acme.example",
			Repository: "git+https://github.com/acme/docs.git", ServerName: "io.github.acme/docs",
		},
		Project: []bundle.File{
			bundle.Bytes("mcp-docs-server.json", bundle.ModePlain, []byte("{}")),
			bundle.Bytes("resources/acme/run.sh", bundle.ModeExecutable, []byte("#!/bin/sh\n")),
			bundle.Bytes("resources/acme/\xff\xfe.txt", bundle.ModePlain, []byte("not UTF-8")),
			bundle.Bytes("resources/acme/日本\n.txt", bundle.ModePlain, nil),
			bundle.Bytes(longName, bundle.ModePlain, []byte("long")),
		},
		Binaries: map[string]bundle.File{"linux-x64": program(62, "x64"), "linux-arm64": program(183, "arm64")},
		Licences: []bundle.File{bundle.Bytes("LICENSE", bundle.ModePlain, []byte("mine"))},
	}
}

func write(t *testing.T, img Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An entry is a file or folder of an archive.
type entry struct {
	mode string
	data []byte
}

// untar reads an archive, and checks the headers that are the same for all entries.
func untar(t *testing.T, data []byte) (names []string, entries map[string]entry) {
	t.Helper()
	entries = map[string]entry{}
	r := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return names, entries
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname != "" || !h.ModTime.Equal(epoch) {
			t.Errorf("%s: %+v", h.Name, h)
		}
		names = append(names, h.Name)
		entries[h.Name] = entry{h.FileInfo().Mode().String(), data}
	}
}

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// A layout is an image that a test reads.
type layout struct {
	t       *testing.T
	entries map[string]entry
	used    map[string]bool
}

// blob returns the blob that a descriptor names.
func (l *layout) blob(d descriptor) []byte {
	l.t.Helper()
	name := "blobs/" + strings.ReplaceAll(d.Digest, ":", "/")
	e, ok := l.entries[name]
	if !ok || int64(len(e.data)) != d.Size || sha(e.data) != d.Digest {
		l.t.Fatalf("%+v names %d bytes of digest %s", d, len(e.data), sha(e.data))
	}
	l.used[name] = true
	return e.data
}

func (l *layout) decode(data []byte, v any) {
	l.t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		l.t.Fatal(err)
	}
}

// layer returns the entries of a layer, whose uncompressed digest must be diffID.
func (l *layout) layer(d descriptor, diffID string) ([]string, map[string]entry) {
	l.t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(l.blob(d)))
	if err != nil {
		l.t.Fatal(err)
	}
	if z.Name+z.Comment != "" || !z.ModTime.IsZero() {
		l.t.Errorf("gzip header %+v", z.Header)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		l.t.Fatal(err)
	}
	if sha(data) != diffID {
		l.t.Errorf("digest %s, the configuration says %s", sha(data), diffID)
	}
	return untar(l.t, data)
}

func TestLayout(t *testing.T) {
	img := acme()
	names, entries := untar(t, write(t, img))
	l := &layout{t, entries, map[string]bool{"blobs/": true, "blobs/sha256/": true, "index.json": true, "oci-layout": true}}
	if got := string(entries["oci-layout"].data); got != `{"imageLayoutVersion":"1.0.0"}` {
		t.Errorf("oci-layout: %s", got)
	}
	var outer, index imageIndex
	l.decode(entries["index.json"].data, &outer)
	if diff := cmp.Diff(annotations{refNameAnnotation: "1.2.3_4"}, outer.Manifests[0].Annotations); diff != "" || len(outer.Manifests) != 1 {
		t.Errorf("index.json: -want +got:\n%s", diff)
	}
	l.decode(l.blob(outer.Manifests[0]), &index)
	labels := annotations{
		"io.modelcontextprotocol.server.name":  "io.github.acme/docs",
		"org.opencontainers.image.title":       "Acme",
		"org.opencontainers.image.description": "All of Acme",
		"org.opencontainers.image.version":     "1.2.3+4",
		"org.opencontainers.image.licenses":    "MIT",
		"org.opencontainers.image.source":      "https://github.com/acme/docs",
		"org.opencontainers.image.url":         "https://acme.example",
	}
	if diff := cmp.Diff(labels, index.Annotations); diff != "" {
		t.Errorf("annotations: -want +got:\n%s", diff)
	}
	var shared []string
	for i, p := range []struct{ arch, platform string }{{"amd64", "linux-x64"}, {"arm64", "linux-arm64"}} {
		d := index.Manifests[i]
		if diff := cmp.Diff(&platform{p.arch, "linux"}, d.Platform); diff != "" {
			t.Errorf("platform: -want +got:\n%s", diff)
		}
		var m manifest
		l.decode(l.blob(d), &m)
		var c imageConfig
		l.decode(l.blob(m.Config), &c)
		want := imageConfig{
			Created:  "1970-01-01T00:00:00Z",
			platform: platform{p.arch, "linux"},
			Config:   runConfig{"65532:65532", []string{"/mcp-docs-server"}, []string{"serve", "/project"}, "/", labels},
			RootFS:   rootFS{"layers", c.RootFS.DiffIDs},
		}
		if diff := cmp.Diff(want, c, cmp.AllowUnexported(imageConfig{})); diff != "" {
			t.Errorf("config: -want +got:\n%s", diff)
		}
		if len(m.Layers) != 2 || len(c.RootFS.DiffIDs) != 2 {
			t.Fatalf("%d layers, %d digests", len(m.Layers), len(c.RootFS.DiffIDs))
		}
		if got, _ := l.layer(m.Layers[0], c.RootFS.DiffIDs[0]); !cmp.Equal(got, []string{"licenses/", "licenses/LICENSE", "mcp-docs-server"}) {
			t.Errorf("first layer: %q", got)
		}
		_, server := l.layer(m.Layers[0], c.RootFS.DiffIDs[0])
		var wantServer bytes.Buffer
		if err := img.Binaries[p.platform].Copy(&wantServer); err != nil {
			t.Fatal(err)
		}
		if got := server["licenses/LICENSE"]; got.mode != "-rw-r--r--" || string(got.data) != "mine" {
			t.Errorf("the licence is %s %q", got.mode, got.data)
		}
		if got := server["mcp-docs-server"]; got.mode != "-rwxr-xr-x" || !bytes.Equal(got.data, wantServer.Bytes()) {
			t.Errorf("the program is %s %q", got.mode, got.data)
		}
		shared = append(shared, m.Layers[1].Digest)
		if i == 0 {
			checkProject(t, img, l, m.Layers[1], c.RootFS.DiffIDs[1])
		}
	}
	if shared[0] != shared[1] {
		t.Error("the layer of the project is not shared")
	}
	for _, name := range names {
		if !l.used[name] {
			t.Errorf("%s is not used", name)
		}
	}
}

// checkProject compares the second layer with the project: every folder comes before its contents.
func checkProject(t *testing.T, img Image, l *layout, d descriptor, diffID string) {
	t.Helper()
	names, entries := l.layer(d, diffID)
	seen := map[string]bool{}
	for _, name := range names {
		folder := name[:strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/')+1]
		if folder != "" && !seen[folder] {
			t.Errorf("%q comes before its folder", name)
		}
		seen[name] = true
		if strings.HasSuffix(name, "/") {
			if entries[name].mode != "drwxr-xr-x" {
				t.Errorf("%s: %s", name, entries[name].mode)
			}
			delete(entries, name)
		}
	}
	for _, f := range img.Project {
		got, ok := entries["project/"+f.Name]
		var want bytes.Buffer
		if err := f.Copy(&want); err != nil {
			t.Fatal(err)
		}
		mode := map[int64]string{bundle.ModePlain: "-rw-r--r--", bundle.ModeExecutable: "-rwxr-xr-x"}[f.Mode]
		if !ok || got.mode != mode || !bytes.Equal(got.data, want.Bytes()) {
			t.Errorf("%q: %s %q", f.Name, got.mode, got.data)
		}
		delete(entries, "project/"+f.Name)
	}
	for name := range entries {
		t.Errorf("%q is surplus", name)
	}
}

func TestSameEachTime(t *testing.T) {
	first := write(t, acme())
	again := acme()
	again.Project[0], again.Project[3] = again.Project[3], again.Project[0]
	if !bytes.Equal(first, write(t, again)) {
		t.Error("the same files in another order give another image")
	}
}

func TestNothingServed(t *testing.T) {
	img := acme()
	img.Project = nil
	write(t, img)
}

// An image that lacks something is not written, and the error names what is missing.
func TestLacks(t *testing.T) {
	for want, change := range map[string]func(*Image){
		`"version"`:                    func(img *Image) { img.Info.Version = "" },
		`"-x" cannot be the tag`:       func(img *Image) { img.Tag = "-x" },
		`no program for linux-x64`:     func(img *Image) { delete(img.Binaries, "linux-x64") },
		`must be one for linux-arm64`:  func(img *Image) { img.Binaries["linux-arm64"] = program(62, "") },
		`an absolute path`:             func(img *Image) { img.Project[0].Name = "/a" },
		`names that begin with ".wh."`: func(img *Image) { img.Project[1].Name = "docs/.wh..wh..opq/x" },
	} {
		img := acme()
		change(&img)
		var b bytes.Buffer
		if err := Write(&b, img); err == nil || b.Len() > 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes are written, want %q: %v", b.Len(), want, err)
		}
	}
}

// TestChanges changes a file between the two reads.
func TestChanges(t *testing.T) {
	for _, second := range []string{"other", "o", "longer than before, and of another digest"} {
		img := acme()
		contents := []string{"first", second}
		img.Project[0].Size = 5
		img.Project[0].Open = func() (io.ReadCloser, error) {
			data := contents[0]
			contents = contents[1:]
			return io.NopCloser(strings.NewReader(data)), nil
		}
		if err := Write(io.Discard, img); err == nil || !strings.Contains(err.Error(), "changed while it was packed; try again") {
			t.Errorf("%q: %v", second, err)
		}
	}
}

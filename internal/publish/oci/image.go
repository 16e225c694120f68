// Package oci writes container images: one tar file with an OCI image layout (OCI image
// specification 1.1) that tools such as skopeo push to a registry, for linux/amd64 and linux/arm64.
//
// An image has no base image and two layers: the server as /mcp-docs-server with its licences in
// /licenses, one layer per processor; and the project in /project, which both processors share.
// It starts "/mcp-docs-server serve /project" as a user who owns no files.
//
// The same input always gives the same bytes: all times are the epoch, all files are owned by user
// and group 0. The package reads only its input, and reads it twice: once for sizes and digests,
// and once to write. So memory does not grow with the project.
package oci

import (
	"archive/tar"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/executable"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// An Image holds the contents of a container image.
type Image struct {
	Info     bundle.Info // Version is required
	Tag      string      // such as 1.2.3; if empty, made from the version by [Tag]
	Project  []bundle.File
	Binaries map[string]bundle.File // the server, by platform; all of [Platforms] are required
	Licences []bundle.File          // of the server
}

// Platforms are the platforms of an image, as [executable.Platform] names them.
var Platforms = []string{"linux-arm64", "linux-x64"}

// architectures are the names of processors in images (the field architecture of the image
// configuration).
var architectures = map[string]string{"linux-arm64": "arm64", "linux-x64": "amd64"}

// epoch is the time of all files.
var epoch = time.Unix(0, 0).UTC()

// User is the number of the user that runs the server: the image has no list of users.
const User = "65532:65532"

const (
	programFile = "mcp-docs-server"
	projectDir  = "project"
)

// LicencesDir is the folder of the licences in an image.
const LicencesDir = "licenses"

// ServerNameLabel is the label by which the MCP registry checks that an image belongs to a server.
const ServerNameLabel = "io.modelcontextprotocol.server.name"

// refNameAnnotation holds the tag.
const refNameAnnotation = "org.opencontainers.image.ref.name"

// tagForm matches the tags that registries accept (OCI distribution specification, "Pulling
// manifests").
var tagForm = lazyregexp.New(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)

// Tag returns the tag of a version. A tag cannot contain the + of 1.0.0+build; an underscore
// replaces it.
func Tag(version string) string { return strings.ReplaceAll(version, "+", "_") }

// Write writes the image to w. It checks its input before it writes the first byte, unless a file
// changes during the call.
func Write(w io.Writer, img Image) error {
	errs := []error{img.Check()}
	for _, platform := range Platforms {
		errs = append(errs, executable.Expect(platform, img.Binaries[platform]))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	blobs, index, err := img.blobs()
	if err != nil {
		return err
	}
	tagged := describe(index, annotations{refNameAnnotation: img.tag()}, nil)
	layout, err := blobOf("", imageIndex{2, typeIndex, []descriptor{tagged}, nil})
	if err != nil {
		return err
	}
	t := tar.NewWriter(w)
	for _, dir := range []string{"blobs/", "blobs/sha256/"} {
		if err := t.WriteHeader(header(dir, 0o755, 0)); err != nil {
			return err
		}
	}
	slices.SortFunc(blobs, func(a, b *blob) int { return strings.Compare(a.digest, b.digest) })
	for _, b := range blobs {
		if err := b.writeTo(t, "blobs/sha256/"+b.digest); err != nil {
			return err
		}
	}
	if err := layout.writeTo(t, "index.json"); err != nil {
		return err
	}
	version := []byte(`{"imageLayoutVersion":"1.0.0"}`)
	if err := t.WriteHeader(header("oci-layout", 0o644, int64(len(version)))); err != nil {
		return err
	}
	if _, err := t.Write(version); err != nil {
		return err
	}
	return t.Close()
}

// tag returns the tag of the image.
func (img Image) tag() string { return cmp.Or(img.Tag, Tag(img.Info.Version)) }

// Check returns an error that lists everything that is wrong with the project. It does not check
// the binaries, which may not exist yet.
func (img Image) Check() error {
	var errs []error
	switch {
	case strings.TrimSpace(img.Info.Version) == "":
		errs = append(errs, errors.New(`an image needs the key "version", which the project does not have; write it into mcp-docs-server.json, such as "version": "1.0.0"`))
	case !tagForm().MatchString(img.tag()):
		errs = append(errs, fmt.Errorf("%q cannot be the tag of an image: a tag has up to 128 ASCII letters, digits, _, . and -, and does not begin with . or -", img.tag()))
	}
	errs = append(errs, bundle.Check(img.Project))
	for _, f := range img.Project {
		for part := range strings.SplitSeq(f.Name, "/") {
			if strings.HasPrefix(part, whiteout) {
				errs = append(errs, fmt.Errorf("%q cannot be in an image, where names that begin with %q mean that a file is deleted; rename it", f.Name, whiteout))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// labels describe the image in the texts that registries show.
func (img Image) labels() annotations {
	labels := annotations{
		"org.opencontainers.image.title":       img.Info.Title,
		"org.opencontainers.image.description": img.Info.Description,
		"org.opencontainers.image.version":     img.Info.Version,
		"org.opencontainers.image.licenses":    img.Info.License,
		"org.opencontainers.image.source":      img.Info.RepositoryPage(),
		"org.opencontainers.image.url":         img.Info.Homepage,
		ServerNameLabel:                        img.Info.ServerName,
	}
	for key, value := range labels {
		if value == "" {
			delete(labels, key)
		}
	}
	return labels
}

// blobs returns all blobs of the image, each once, and the index of its platforms, which is one of
// them.
func (img Image) blobs() ([]*blob, *blob, error) {
	project, err := img.projectLayer()
	if err != nil {
		return nil, nil, err
	}
	blobs := []*blob{project}
	var manifests []descriptor
	labels := img.labels()
	for _, name := range Platforms {
		program := img.Binaries[name]
		program.Name, program.Mode = programFile, bundle.ModeExecutable
		files := []bundle.File{program}
		for _, f := range img.Licences {
			f.Name = path.Join(LicencesDir, f.Name)
			files = append(files, f)
		}
		server, err := layerOf(files, bundle.AllFolders(files))
		if err != nil {
			return nil, nil, err
		}
		p := platform{Architecture: architectures[name], OS: "linux"}
		config, err := blobOf(typeConfig, configOf(p, labels, server, project))
		if err != nil {
			return nil, nil, err
		}
		manifest, err := blobOf(typeManifest, manifestOf(config, labels, server, project))
		if err != nil {
			return nil, nil, err
		}
		manifests = append(manifests, describe(manifest, nil, &p))
		blobs = append(blobs, server, config, manifest)
	}
	slices.SortFunc(manifests, func(a, b descriptor) int { return strings.Compare(a.Platform.Architecture, b.Platform.Architecture) })
	index, err := blobOf(typeIndex, imageIndex{2, typeIndex, manifests, labels})
	if err != nil {
		return nil, nil, err
	}
	return append(blobs, index), index, nil
}

package oci

import "encoding/json"

// Media types of the OCI image specification.
const (
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

type annotations map[string]string

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// A descriptor names a blob.
type descriptor struct {
	MediaType   string      `json:"mediaType"`
	Digest      string      `json:"digest"`
	Size        int64       `json:"size"`
	Annotations annotations `json:"annotations,omitempty"`
	Platform    *platform   `json:"platform,omitempty"`
}

func describe(b *blob, a annotations, p *platform) descriptor {
	return descriptor{b.mediaType, "sha256:" + b.digest, b.size, a, p}
}

// An imageIndex lists the manifests of the platforms, or in index.json the images of the layout.
type imageIndex struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Manifests     []descriptor `json:"manifests"`
	Annotations   annotations  `json:"annotations,omitempty"`
}

// A manifest lists the parts of the image of a platform.
type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
	Annotations   annotations  `json:"annotations,omitempty"`
}

func manifestOf(config *blob, a annotations, layers ...*blob) manifest {
	m := manifest{2, typeManifest, describe(config, nil, nil), nil, a}
	for _, layer := range layers {
		m.Layers = append(m.Layers, describe(layer, nil, nil))
	}
	return m
}

// An imageConfig holds the settings to run an image.
type imageConfig struct {
	Created string `json:"created"` // RFC 3339
	platform
	Config runConfig `json:"config"`
	RootFS rootFS    `json:"rootfs"`
}

type runConfig struct {
	User       string
	Entrypoint []string
	Cmd        []string
	WorkingDir string
	Labels     annotations `json:",omitempty"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"` // digests of the uncompressed layers
}

func configOf(p platform, labels annotations, layers ...*blob) imageConfig {
	c := imageConfig{
		Created:  epoch.Format("2006-01-02T15:04:05Z"),
		platform: p,
		Config:   runConfig{User, []string{"/" + programFile}, []string{"serve", "/" + projectDir}, "/", labels},
		RootFS:   rootFS{Type: "layers"},
	}
	for _, layer := range layers {
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, "sha256:"+layer.diffID)
	}
	return c
}

// blobOf returns the blob of a document.
func blobOf(mediaType string, document any) (*blob, error) {
	data, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	return blobOfBytes(mediaType, data), nil
}

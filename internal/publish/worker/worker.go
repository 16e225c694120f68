// Package worker makes servers in JavaScript from a project: a Cloudflare Worker, and the server of an
// npm package, which Node runs. The Worker gives the same answers as a server over HTTP, and the server
// of a package the same as a server of its folder over standard input and output. Malformed requests get the same status and error code; the message may differ.
// JSON is malformed if an object has several members with the same name, or if a string has half of a
// surrogate pair.
//
// This package computes at publication all answers that do not depend on a request: it serves the
// project to a client inside the process, and writes the answers as assets. The Worker, worker.js, is
// a small second implementation of the rest: it finds the assets for a request. It is written in
// TypeScript, in src, one file for each topic, and bundled into one file that is committed; go
// generate makes it again. Tables of characters that both sides need are generated from Go's tables.
//
// # What is written
//
//	worker.js        the Worker, the same for every project
//	wrangler.jsonc   its configuration: bindings, variables; no secrets
//	assets/b/SHA256  the assets, each named by its digest
//	README.md        how to deploy it
//
// Clients cannot read assets directly: the Worker runs for every path, and checks the caller. Assets
// are named by their digests, so equal contents are stored once, and after a change of the project
// only changed assets are uploaded. One asset is the manifest, which describes the project and names
// the other assets; the variable MANIFEST names it. The same files with the same times of
// modification, which clients get as lastModified, give the same bytes each time.
//
// # The parts
//
// Each part of the answers has a file in this package that writes its assets and members of the
// manifest through a [Builder], and files in src that read them.
package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // worker.js
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

//go:generate node build.mjs

//go:embed worker.js
var script []byte

// A Project is a project that is served to a client inside the process.
type Project struct {
	Client  *protocol.Client
	View    view.View
	Library *docs.Library // indexed
	Prompts *prompts.Set
	Tools   []tools.Tool
	// Whole reads a resource as tools do, without the limit for the size of an answer.
	Whole  func(context.Context, view.Item) (Content, error)
	Config config.Config
}

// A Builder collects the assets of a project.
type Builder struct {
	Project
	most     int  // bytes of an asset
	timeless bool // clients learn no time of a file
	assets   assets
	outlines outlines
	manifest manifest
}

// A manifest describes the project to the Worker; src/manifest.ts has the same members.
type manifest struct {
	Instructions string          `json:"instructions"`
	ServerInfo   json.RawMessage `json:"serverInfo"`
	Capabilities json.RawMessage `json:"capabilities"`
	Limits       limits          `json:"limits"`
	Resources    resources       `json:"resources"`
	Templates    string          `json:"templates"` // asset
	Tools        []tool          `json:"tools"`
	Documents    *documents      `json:"documents,omitempty"`
	Outlines     []shard         `json:"outlines"`
	Prompts      string          `json:"prompts"` // asset
}

type limits struct {
	Page  int `json:"page"`
	Frame int `json:"frame"`
}

// Build returns the files of a Worker.
func Build(ctx context.Context, p Project, o Options) ([]bundle.File, error) {
	if n := p.View.Files.Len(); n > PaidFiles {
		return nil, tooMany(n) // early, before anything is read
	}
	b := newBuilder(p, FileBytes)
	described, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	return o.files(b.assets.add(described), b.assets.files())
}

func newBuilder(p Project, most int) *Builder {
	return &Builder{Project: p, most: most, assets: make(assets), outlines: make(outlines)}
}

// build adds all assets but the manifest, which it returns.
func (b *Builder) build(ctx context.Context) ([]byte, error) {
	b.manifest.Tools = []tool{}
	b.manifest.Limits = limits{b.Config.Limits.PageSize, b.Config.Limits.MaxFrameBytes}
	for _, part := range []func(context.Context) error{b.server, b.resources, b.templates, b.skills, b.tools, b.documents, b.prompts} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	b.manifest.Outlines = b.writeOutlines()
	return json.Marshal(b.manifest)
}

// server writes the answer to server/discover into the manifest.
func (b *Builder) server(ctx context.Context) error {
	result, err := b.Client.Discover(ctx)
	if err != nil {
		return err
	}
	var about struct {
		Instructions string `json:"instructions"`
		Meta         struct {
			ServerInfo json.RawMessage `json:"io.modelcontextprotocol/serverInfo"`
		} `json:"_meta"`
		Capabilities map[string]map[string]json.RawMessage `json:"capabilities"`
	}
	if err := json.Unmarshal(result, &about); err != nil {
		return fmt.Errorf("server/discover: %w", err)
	}
	// A deployed project does not change, so nothing is notified.
	for _, c := range about.Capabilities {
		delete(c, "listChanged")
		delete(c, "subscribe")
	}
	b.manifest.Instructions, b.manifest.ServerInfo, b.manifest.Capabilities = about.Instructions, about.Meta.ServerInfo, encoded(about.Capabilities)
	return nil
}

// encoded returns a value of this package as JSON. All of them can be encoded.
func encoded(v any) json.RawMessage {
	data, err := jsonwire.Encode(v)
	if err != nil {
		panic(err)
	}
	return data
}

// addJSON adds an asset, and returns its path.
func (b *Builder) addJSON(v any) string { return b.Add(encoded(v)) }

// Add adds an asset and returns its path.
func (b *Builder) Add(data []byte) string { return b.assets.add(data) }

// assets holds files by their paths, which contain their digests.
type assets map[string]bundle.File

// add adds an asset that is kept in memory, and returns its path.
func (a assets) add(data []byte) string {
	sum := sha256.Sum256(data)
	data = bytes.Clone(data)
	return a.file(sum, int64(len(data)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
}

// file adds an asset that is read when it is written, and returns its path.
func (a assets) file(sum [sha256.Size]byte, size int64, open func() (io.ReadCloser, error)) string {
	path := assetPath(sum)
	if _, known := a[path]; !known {
		a[path] = bundle.File{Name: path, Mode: bundle.ModePlain, Size: size, Sum: string(sum[:]), Open: open}
	}
	return path
}

// files returns all assets, sorted by path.
func (a assets) files() []bundle.File {
	files := slices.Collect(maps.Values(a))
	bundle.Sort(files)
	return files
}

// assetPath returns the path of the asset with this digest.
func assetPath(sum [sha256.Size]byte) string { return "b/" + hex.EncodeToString(sum[:]) }

//go:embed server.cjs
var server []byte

// Entry is the program of a package, serverFile the code that it runs, and Answers the folder with the assets.
const (
	Entry      = "bin/stdio.js"
	serverFile = "bin/server.cjs"
	Answers    = "bin/answers/"
)

const stdio = "#!/usr/bin/env node\nrequire('./server.cjs').serve(require('node:path').join(__dirname, '..'))\n"

// Server returns the files that make a package of checked files a server for Node: the program, the code, and the
// assets that are not equal to one of the files. p serves these files.
//
//	bin/stdio.js               starts the server
//	bin/server.cjs             the server, the same for every project
//	bin/answers/manifest.json  describes the project
//	bin/answers/files.json     the paths of files, by the assets that they are equal to
//	bin/answers/b/SHA256       the other assets
//
// The package has no times, because npm gives every file the same one.
func Server(ctx context.Context, p Project, files []bundle.File) ([]bundle.File, error) {
	b := newBuilder(p, math.MaxInt)
	b.timeless = true
	described, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	// assets and the files that they are equal to
	packed := make(map[string]string, len(files))
	for _, f := range files {
		packed["b/"+hex.EncodeToString([]byte(f.Sum))] = f.Name
	}
	made := []bundle.File{bundle.Script(Entry, []byte(stdio)), bundle.Bytes(serverFile, server)}
	equal := make(map[string]string)
	for _, f := range b.assets.files() {
		if name, ok := packed[f.Name]; ok {
			equal[f.Name] = name
			continue
		}
		f.Name = Answers + f.Name
		made = append(made, f)
	}
	return append(made, bundle.Bytes(Answers+"files.json", encoded(equal)), bundle.Bytes(Answers+"manifest.json", described)), nil
}

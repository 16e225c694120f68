// Package worker makes a Cloudflare Worker of a project: the same answers as those of a server over
// HTTP, without a machine. Malformed requests get the same status and error code; the message may
// differ. Several members with the same name in an object of JSON are malformed, and so is half of
// a surrogate pair.
//
// What can be computed beforehand is computed here, by the answer layer of the program itself: the
// project is served to a client inside the process, and what it answers becomes assets. The Worker,
// worker.js, is a small second implementation of the rest: it finds what a request asks for among
// the assets. It is written in TypeScript, in src, one file for each topic, and bundled into one
// file that is committed; go generate makes it again. Tables of characters that both sides need are
// generated from Go's.
//
// # What is written
//
//	worker.js        the Worker, the same for every project
//	wrangler.jsonc   its configuration: bindings, variables; no secrets
//	assets/b/SHA256  the assets, each named by its digest
//	README.md        what to do with it
//
// An asset is never served by itself: the Worker comes first for every path, and checks who asks.
// All assets are named by their digests, so the same content is there once, and a change of the
// project uploads what changed. One of them is the manifest, which describes the project and names
// the others; the variable MANIFEST names it. The same files with the same times of modification,
// which clients get as lastModified, give the same bytes each time.
//
// # The parts
//
// Each part of the answers has a file here that writes its assets and members of the manifest, and
// a folder in src that reads them. A part gets a [Builder].
package worker

import (
	"context"
	"encoding/json"
	"fmt"

	_ "embed" // worker.js

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

//go:generate go run ./gen
//go:generate node build.mjs

//go:embed worker.js
var script []byte

// A Client calls the server of the project.
type Client interface {
	Call(ctx context.Context, method string, params any) (result json.RawMessage, failed bool, err error)
	Discover(ctx context.Context) (json.RawMessage, error)
}

// A Project is a project that is served to a client inside the process, and what it has.
type Project struct {
	Client  Client
	View    view.View
	Library *docs.Library // indexed
	Prompts *prompts.Set
	Tools   []tools.Tool
	Index   *capability.Index // nil: there is none
	// Whole reads a file as tools do, whatever the size of an answer.
	Whole func(context.Context, loader.Resource) (Content, error)
	// WholeOther reads a resource that is not a file, likewise.
	WholeOther func(context.Context, *view.Resource) (Content, error)
	Config     config.Config
}

// A Builder collects the assets of a project.
type Builder struct {
	Project
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
	Outlines     []firstShard    `json:"outlines"`
	Prompts      string          `json:"prompts"` // asset
}

type limits struct {
	Page  int `json:"page"`
	Frame int `json:"frame"`
}

// Build returns the files of a Worker.
func Build(ctx context.Context, p Project, o Options) ([]bundle.File, error) {
	b := &Builder{Project: p, manifest: manifest{Tools: []tool{}}}
	b.manifest.Limits = limits{p.Config.Limits.PageSize, p.Config.Limits.MaxFrameBytes}
	if n := p.View.Files.Len(); n > PaidFiles {
		return nil, tooMany(n) // known before anything is read
	}
	for _, part := range []func(context.Context) error{b.server, b.resources, b.index, b.templates, b.skills, b.tools, b.documents, b.prompts} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	b.manifest.Outlines = b.writeOutlines()
	described, err := json.Marshal(b.manifest)
	if err != nil {
		return nil, err
	}
	return o.files(b.assets.add(described), b.assets.files())
}

// server writes what a client learns of the server itself.
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
	// Nothing changes before the next deployment, so nobody is notified.
	for _, of := range about.Capabilities {
		delete(of, "listChanged")
		delete(of, "subscribe")
	}
	capabilities, err := json.Marshal(about.Capabilities)
	if err != nil {
		return err
	}
	b.manifest.Instructions, b.manifest.ServerInfo, b.manifest.Capabilities = about.Instructions, about.Meta.ServerInfo, capabilities
	return nil
}

// call decodes the result of a call.
func (b *Builder) call(ctx context.Context, method string, params, result any) error {
	data, _, err := b.Client.Call(ctx, method, params)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// Add adds an asset and returns its path.
func (b *Builder) Add(data []byte) string { return b.assets.add(data) }

package worker

import (
	"context"
	_ "embed" // server.cjs
	"encoding/hex"
	"math"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

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
	packed := make(map[string]string, len(files)) // assets and the files that they are equal to
	for _, f := range files {
		packed["b/"+hex.EncodeToString([]byte(f.Sum))] = f.Name
	}
	made := []bundle.File{bundle.Bytes(Entry, bundle.ModeExecutable, []byte(stdio)), bundle.Bytes(serverFile, bundle.ModePlain, server)}
	equal := make(map[string]string)
	for _, f := range b.assets.files() {
		if name, ok := packed[f.Name]; ok {
			equal[f.Name] = name
			continue
		}
		f.Name = Answers + f.Name
		made = append(made, f)
	}
	list, err := jsonwire.Encode(equal)
	if err != nil {
		return nil, err
	}
	return append(made, bundle.Bytes(Answers+"files.json", bundle.ModePlain, list), bundle.Bytes(Answers+"manifest.json", bundle.ModePlain, described)), nil
}

package main

import (
	"bytes"
	"path"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
)

// packages makes the npm packages of the program.
func packages(r *release) ([]bundle.File, error) {
	programs := make(map[npm.Platform]bundle.File)
	for _, p := range npm.Platforms {
		if program, ok := r.binaries[p.String()]; ok {
			programs[p] = program
		}
	}
	made, err := npm.Release(r.version, programs)
	if err != nil {
		return nil, err
	}
	var files []bundle.File
	for _, p := range made {
		var b bytes.Buffer
		if err := p.WriteTarball(&b); err != nil {
			return nil, err
		}
		files = append(files, bundle.Bytes(path.Join("npm", p.FileName()), bundle.ModePlain, b.Bytes()))
	}
	return files, nil
}

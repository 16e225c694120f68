// Command generate writes the files of this repository that are made of others. It runs in its own folder:
//
//	npm ci --prefix test && go generate ./internal/dev/generate
package main

import (
	"fmt"
	"os"
)

//go:generate go run .

const root = "../../.." // of the module

func main() {
	for _, write := range []func() error{writeSchemas, copyLexers, writeWords, trimPDFium, writeLicences} {
		if err := write(); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

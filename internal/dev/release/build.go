package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/executable"
)

// A release is a release that is being made.
type release struct {
	version  string
	dist     *folder
	line     *progress.Line         // shows slow work
	binaries map[string]bundle.File // by platform, as executable.Platform spells them
}

// A maker makes files of a release from the binaries. Names are paths in the folder of the release.
type maker func(*release) ([]bundle.File, error)

// makers make all files besides the binaries.
var makers = []maker{archives, components, packages, binLicences}

// A target is a platform for which the program is built.
type target struct{ system, processor, platform string }

var targets = []target{
	{"darwin", "amd64", "darwin-x64"},
	{"darwin", "arm64", "darwin-arm64"},
	{"linux", "amd64", "linux-x64"},
	{"linux", "arm64", "linux-arm64"},
	{"windows", "amd64", "win32-x64"},
	{"windows", "arm64", "win32-arm64"},
}

// A program is a Go program to build.
type program struct {
	dir      string // of the module; empty: the current folder
	pkg      string
	variable string // the linker sets it to the version
}

const module = "github.com/mcp-docs-server/mcp-docs-server"

var server = program{pkg: module + "/cmd/mcp-docs-server", variable: module + "/internal/cli/command.release"}

// settings override environment variables of the machine that would change the output of the compiler.
var settings = []string{
	"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GODEBUG=", "GOFIPS140=off",
}

// build builds the program for each target, into the folder bin.
func (r *release) build(p program, targets []target) error {
	r.binaries = make(map[string]bundle.File, len(targets))
	for _, t := range targets {
		name := path.Join("bin", executable.File(t.platform))
		out, err := r.dist.path(name)
		if err != nil {
			return err
		}
		fmt.Println(name)
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly",
			"-ldflags", "-s -w -X "+p.variable+"="+r.version, "-o", out, p.pkg)
		cmd.Dir = p.dir
		cmd.Env = append(append(os.Environ(), settings...), "GOOS="+t.system, "GOARCH="+t.processor)
		cmd.Stderr = r.line
		if err := r.line.During(progress.Work{Name: "building " + name}, cmd.Run); err != nil {
			return fmt.Errorf("building for %s: %w", t.platform, err)
		}
		f, err := r.dist.file(name, bundle.ModeExecutable)
		if err != nil {
			return err
		}
		if err := executable.Expect(t.platform, f); err != nil {
			return err
		}
		r.binaries[t.platform] = f
	}
	return nil
}

// checkVersion runs the program for this machine, if it was built, and checks the version that it
// prints.
func (r *release) checkVersion() error {
	for _, t := range targets {
		if t.system != runtime.GOOS || t.processor != runtime.GOARCH {
			continue
		}
		file, err := r.dist.path(r.binaries[t.platform].Name)
		if err != nil {
			return err
		}
		out, err := exec.Command(file, "version").Output()
		if err != nil {
			return err
		}
		if got, want := strings.TrimSpace(string(out)), "mcp-docs-server "+r.version; got != want {
			return fmt.Errorf("the program says %q, must say %q: does the linker still set %s?", got, want, server.variable)
		}
	}
	return nil
}

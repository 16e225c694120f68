package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

const (
	module  = "github.com/mcp-docs-server/mcp-docs-server"
	program = module + "/cmd/mcp-docs-server"
)

// targets are the systems and processors of a release.
var targets = [][2]string{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

// writeLicences writes a copy of the module's licence, and the licences of everything that is linked into the programs of a release on any
// system, and of the data in them. The texts come from GOROOT, from the module cache and from the packages mime-db and temml that npm
// installed in test/.
func writeLicences() error {
	to := filepath.Join(root, "internal/publish/bundle/licences")
	licence, err := os.ReadFile(filepath.Join(root, bundle.OwnFile))
	if err != nil {
		return err
	}
	components, err := linked()
	if err != nil {
		return err
	}
	components = append(components,
		component{"PDFium and what it contains, from " + pdftest.GoModule + " " + pdftest.ModuleVersion, filepath.Join(root, "internal", "capture", "pdfium", "licences")},
		component{"the JSON Schema of server.json", filepath.Join(root, "internal", "publish", "listing", "schema")},
		component{"mime-db, the table of MIME types", filepath.Join(root, "test", "node_modules", "mime-db")},
		component{"Temml, which renders formulas in the web UI", filepath.Join(root, "test", "node_modules", "temml")})
	text, err := collect(components)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, bundle.OwnFile), licence, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, bundle.ThirdPartyFile), text, 0o644)
}

// A component is something with licences: its name, and the folder of the licences.
type component struct{ name, dir string }

// linked returns the standard library and the modules that are linked into the program for any
// target, by name.
func linked() ([]component, error) {
	goroot, err := output(nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var components []component
	for _, t := range targets {
		const format = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`
		env := []string{"GOOS=" + t[0], "GOARCH=" + t[1], "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"}
		list, err := output(env, "list", "-deps", "-f", format, program)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			if name, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && !slices.Contains(components, component{name, dir}) {
				components = append(components, component{name, dir})
			}
		}
	}
	slices.SortFunc(components, func(a, b component) int { return strings.Compare(a.name, b.name) })
	return append(components, component{"the Go standard library", strings.TrimSpace(goroot)}), nil
}

// output runs the Go tool with additional environment variables.
func output(env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), nil
}

// collect joins the licences of all components into one text.
func collect(components []component) ([]byte, error) {
	var b bytes.Buffer
	io.WriteString(&b, "The program contains the following components, each under its own licence.\n")
	for _, s := range components {
		names, err := licenceFiles(s.dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(s.dir, name))
			if err != nil {
				return nil, err
			}
			text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
			fmt.Fprintf(&b, "\n%s%s: %s\n\n%s\n", bundle.LicenceHeading, s.name, name, bytes.TrimSpace(text))
		}
	}
	return b.Bytes(), nil
}

// licenceForm matches the names of files with licences and warnings.
var licenceForm = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-_][a-z0-9.-]+)?(\.(txt|md))?$`)

// licenceFiles returns the names of the files with licences in a folder, sorted.
func licenceFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && licenceForm.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, errors.New("there is no licence in " + dir)
	}
	return names, nil
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licencesFile holds the licences of all that is linked into the programs. Most of them want to be handed on with a program.
const licencesFile = "THIRD-PARTY-LICENSES"

// licenceForm is what files with licences and notices are called.
var licenceForm = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-_][a-z0-9.-]+)?(\.(txt|md))?$`)

// licences returns the texts for modules, from the module cache.
func licences(linked map[string]component) ([]byte, error) {
	type source struct{ name, dir string }
	var sources []source
	for _, ref := range slices.Sorted(maps.Keys(linked)) {
		c := linked[ref]
		name, args := c.Name+" "+c.Version, []string{"list", "-m", "-f", "{{.Dir}}", c.Name}
		if c.Name == standard {
			name, args = "the Go standard library "+c.Version, []string{"env", "GOROOT"}
		}
		out, err := exec.Command("go", args...).Output()
		if err != nil {
			return nil, fmt.Errorf("looking for the licence of %s: %w", c.Name, err)
		}
		sources = append(sources, source{name, strings.TrimSpace(string(out))})
	}
	sources = append(sources, source{"the JSON Schema of server.json", filepath.Join("internal", "registry", "schema")})
	var b bytes.Buffer
	b.WriteString("The program is made with what follows, each under its own licence.\n")
	for _, s := range sources {
		names, err := licenceFiles(s.dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(s.dir, name))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "\n==== %s: %s\n\n%s\n", s.name, name, bytes.TrimSpace(text))
		}
	}
	return b.Bytes(), nil
}

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

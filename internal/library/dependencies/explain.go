package dependencies

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// split splits a path in [Folder] into the ecosystem, the name and the version of a package as the caller wrote them, and
// the rest. In a path without a version, the name is the longest prefix that names a package, or else the whole path.
func (s *Set) split(name string) (ecosystem, pkg, version, rest string) {
	ecosystem, name, _ = strings.Cut(name, "/")
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		version, rest, _ = strings.Cut(name[i+1:], "/")
		return ecosystem, name[:i], version, rest
	}
	for end := len(name); end > 0; end = max(0, strings.LastIndexByte(name[:end], '/')) {
		if s.byName[[2]string{ecosystem, name[:end]}] != nil {
			return ecosystem, name[:end], "", strings.TrimPrefix(name[end:], "/")
		}
	}
	return ecosystem, name, "", ""
}

// Versioned returns a path below [Folder] that names no version with the version of the package. It returns false if the
// path has a version, or if the package is not installed in exactly one version that is direct or the only one.
func (s *Set) Versioned(name string) (string, bool) {
	ecosystem, pkg, version, rest := s.split(name)
	if version != "" {
		return "", false
	}
	var found []*Package
	for _, direct := range []bool{true, false} {
		for _, p := range s.byName[[2]string{ecosystem, pkg}] {
			if p.Missing == "" && p.Direct == direct {
				found = append(found, p)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return path.Join(found[0].Path(), rest), true
}

// Explain says why a path in [Folder] names no document.
func (s *Set) Explain(name string) string {
	ecosystem, pkg, version, rest := s.split(name)
	var names, ecosystems []string
	for _, p := range s.packages {
		if !slices.Contains(ecosystems, p.Ecosystem) {
			ecosystems = append(ecosystems, p.Ecosystem)
		}
		if p.Ecosystem == ecosystem {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		if len(ecosystems) == 0 {
			return "The project has no dependencies that are understood."
		}
		return fmt.Sprintf("The dependencies are below %s/%s/.", Folder, strings.Join(ecosystems, "/ and "+Folder+"/"))
	}
	all := s.byName[[2]string{ecosystem, pkg}]
	if len(all) == 0 {
		reason := fmt.Sprintf("%s is not a dependency of this project.", pkg)
		if near := nearest.Of(pkg, names, 5); len(near) > 0 {
			reason += " The nearest names of dependencies: " + strings.Join(near, ", ") + "."
		}
		return reason
	}
	var installed, reasons []string
	for _, p := range all {
		below, asked := Folder+"/"+p.Path()+"/", version == "" || p.Version == version
		switch {
		case p.Missing != "":
			reasons = append(reasons, p.Absence())
		case asked && len(p.Documents) == 0:
			return fmt.Sprintf("%s is installed and has no documents.", p)
		case asked && version != "":
			return fmt.Sprintf("%s has no document %s. Its documents are below %s.", p, rest, below)
		default:
			installed = append(installed, below)
		}
	}
	if len(installed) > 0 && version != "" {
		return fmt.Sprintf("Version %s of %s is not installed. Installed: %s.", version, pkg, strings.Join(installed, ", "))
	}
	if len(installed) > 0 {
		return "Installed: " + strings.Join(installed, ", ") + "."
	}
	return strings.Join(reasons, " ")
}

// Absence says why a package has no folder, and what to do: "npm ai 5.0.1 is not installed: run npm ci."
func (p *Package) Absence() string {
	text := p.String() + " " + p.Missing
	if p.Hint != "" {
		text += ": run " + p.Hint
	}
	return text + "."
}

// Difference says that the lock file has another version than the installed one, or returns "".
func (p *Package) Difference() string {
	if p.Locked == "" || p.Hint == "" {
		return p.Locked
	}
	return p.Locked + "; to install it, run " + p.Hint
}

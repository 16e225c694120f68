package registry

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/semver"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	configFile  = "mcp-docs-server.json"
	packageFile = "package.json"

	maxText    = 100 // characters of a title and of a description
	maxName    = 200
	maxVersion = 255
)

var (
	nameForm  = lazyregexp.New(`^[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]$`)
	sumForm   = lazyregexp.New(`^[a-f0-9]{64}$`)
	imageForm = lazyregexp.New(`^([a-z0-9.-]+\.[a-z0-9.-]+)((?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)+)(?::(\w[\w.-]{0,127}))?(@sha256:[a-f0-9]{64})?$`)

	githubRepository = lazyregexp.New(`^https://(www\.)?github\.com/[\w.-]+/[\w.-]+$`)
	gitlabRepository = lazyregexp.New(`^https://(www\.)?gitlab\.com/[\w.-]+(/[\w.-]+)+$`)
	githubAsset      = lazyregexp.New(`^/[a-zA-Z0-9]([a-zA-Z0-9-]{0,37}[a-zA-Z0-9])?/[\w.-]+/releases/download/[^/]+/[^/]+$`)
	gitlabAsset      = lazyregexp.New(`^/[\w.-]+(/[\w.-]+)*/-/(releases/[^/]+/downloads/[^/]+|package_files/[0-9]+/download)$`)
)

// imageHosts are the container registries from which the MCP registry takes images. A name that
// begins with a dot matches as a suffix.
var imageHosts = []string{"docker.io", "registry-1.docker.io", "index.docker.io", "ghcr.io", "quay.io", "mcr.microsoft.com", ".pkg.dev", ".azurecr.io"}

// check returns an error for everything that the registry would refuse.
func (s Server) check() error {
	errs := []error{s.checkName(), s.checkTexts(), s.checkVersion(), s.checkHomepage()}
	if !s.NPM && s.Image == "" && s.Desktop == (Desktop{}) && s.Remote == "" {
		errs = append(errs, fmt.Errorf("server.json must say how clients get the server: from npm, as an image (%s), as a desktop bundle (%s) or by its URL (%s)",
			FlagImage, FlagDesktopURL, FlagRemote))
	}
	if s.NPM && !bundle.IsNewPackage(s.Info.Package) {
		errs = append(errs, fmt.Errorf("%q is not the name of an npm package, such as @acme/docs; change the key \"package\" in %s", s.Info.Package, configFile))
	}
	if s.Image != "" {
		errs = append(errs, checkImage(s.Image))
	}
	if s.Desktop != (Desktop{}) {
		errs = append(errs, checkDesktop(s.Desktop))
	}
	if s.Remote != "" {
		errs = append(errs, checkRemote(s.Remote))
	}
	return errors.Join(errs...)
}

func (s Server) checkName() error {
	const form = `is two parts of ASCII letters, digits, . and - (in the second also _), joined by one slash, such as io.github.acme/docs`
	switch name := s.Info.ServerName; {
	case name == "":
		return fmt.Errorf("the server has no name in the registry; write \"mcpName\" into %s: it %s", packageFile, form)
	case !nameForm().MatchString(name) || len(name) > maxName:
		return fmt.Errorf("%q cannot be the name of a server: it %s, each with a letter or digit at its ends, and has at most %d characters; change \"mcpName\" in %s",
			name, form, maxName, packageFile)
	}
	return nil
}

func (s Server) checkTexts() error {
	var errs []error
	description := strings.TrimSpace(s.Info.Description)
	if description == "" {
		errs = append(errs, fmt.Errorf("the registry needs a description of the server; write \"description\" into %s, of at most %d characters", packageFile, maxText))
	}
	for _, text := range []struct{ what, value, key, file string }{
		{"description", description, "description", packageFile},
		{"title", strings.TrimSpace(s.Info.Title), "name", configFile},
	} {
		if n := utf8.RuneCountInString(text.value); n > maxText {
			errs = append(errs, fmt.Errorf("the %s has %d characters, and the registry accepts at most %d; shorten %q in %s", text.what, n, maxText, text.key, text.file))
		}
	}
	return errors.Join(errs...)
}

func (s Server) checkVersion() error {
	if build := semver.Build("v" + s.Info.Version); !bundle.IsVersion(strings.TrimSuffix(s.Info.Version, build)) || len(s.Info.Version) > maxVersion {
		return fmt.Errorf("the version is %q, must be exact, such as 1.2.3 or 1.2.3-beta.1; change \"version\" in %s", s.Info.Version, configFile)
	}
	// The registry's check for ranges such as 1.x applies to the whole text.
	if strings.ContainsAny(s.Info.Version, "xX") && !strings.Contains(s.Info.Version, "+") {
		return fmt.Errorf("the version is %q, and the registry treats it as a range because of the x; change \"version\" in %s to one without x, such as 1.2.3-beta.1",
			s.Info.Version, configFile)
	}
	return nil
}

func (s Server) checkHomepage() error {
	if s.Info.Homepage == "" {
		return nil
	}
	if u, err := url.Parse(s.Info.Homepage); err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(s.Info.Homepage, "\"'<> ") {
		return fmt.Errorf("the homepage is %q, must be a URL that begins with https:// and has neither spaces, quotes, < nor >; change \"homepage\" in %s",
			s.Info.Homepage, packageFile)
	}
	return nil
}

func checkImage(reference string) error {
	m := imageForm().FindStringSubmatch(reference)
	switch {
	case m == nil:
		return fmt.Errorf("%s is %q, must be an image with its host, such as ghcr.io/acme/docs:1.2.3", FlagImage, reference)
	case !slices.ContainsFunc(imageHosts, func(host string) bool {
		return m[1] == host || host[0] == '.' && strings.HasSuffix(m[1], host)
	}):
		return fmt.Errorf("%s is %q, and the registry does not accept images from %s; push it to one of %s", FlagImage, reference, m[1], hostList())
	case m[3] == "latest" || m[3] == "" && m[4] == "":
		return fmt.Errorf("%s is %q, must always be the same image: write the tag of its version, such as %s%s:1.2.3", FlagImage, reference, m[1], m[2])
	}
	return nil
}

// hostList names the container registries, with a star before a suffix.
func hostList() string {
	hosts := slices.Clone(imageHosts)
	for i, host := range hosts {
		if host[0] == '.' {
			hosts[i] = "*" + host
		}
	}
	return strings.Join(hosts, ", ")
}

func checkDesktop(d Desktop) error {
	var errs []error
	u, err := url.Parse(d.URL)
	var asset *regexp.Regexp
	if err == nil {
		switch strings.TrimPrefix(strings.ToLower(u.Host), "www.") {
		case "github.com":
			asset = githubAsset()
		case "gitlab.com":
			asset = gitlabAsset()
		}
	}
	switch {
	case asset == nil || u.Scheme != "https" || u.User != nil || !asset.MatchString(u.Path) || strings.ContainsRune(d.URL, ' '):
		errs = append(errs, fmt.Errorf("%s is %q, must be the https URL of an asset of a release on github.com or gitlab.com, such as https://github.com/acme/docs/releases/download/v1.2.3/acme-docs.mcpb",
			FlagDesktopURL, d.URL))
	case !strings.Contains(strings.ToLower(d.URL), "mcp"):
		errs = append(errs, fmt.Errorf("%s is %q, and the registry requires \"mcp\" in it: let the name of the file end in .mcpb", FlagDesktopURL, d.URL))
	}
	if !sumForm().MatchString(d.SHA256) {
		errs = append(errs, fmt.Errorf("the SHA-256 sum of the desktop bundle is %q, must be 64 hexadecimal digits in lower case", d.SHA256))
	}
	return errors.Join(errs...)
}

func checkRemote(remote string) error {
	u, err := url.Parse(remote)
	if err == nil && u.User != nil {
		return fmt.Errorf("%s contains a user or password, which everybody could read; leave it out", FlagRemote)
	}
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "" || strings.ContainsAny(remote, "{} ") {
		return fmt.Errorf("%s is %q, must be a URL that begins with https://, without # and placeholders, such as https://docs.acme.example/mcp", FlagRemote, remote)
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip := net.ParseIP(host); host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return fmt.Errorf("%s is %q, which only this machine can reach; write the public URL of the server", FlagRemote, remote)
	}
	return nil
}

// repositoryOf returns the repository of a page, or nil if the registry does not support it: it
// accepts only GitHub and GitLab.
func repositoryOf(page string) *repository {
	switch {
	case githubRepository().MatchString(page):
		return &repository{page, "github"}
	case gitlabRepository().MatchString(page) && !strings.Contains(page+"/", "/-/"):
		return &repository{page, "gitlab"}
	}
	return nil
}

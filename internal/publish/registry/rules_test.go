package registry

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRules(t *testing.T) {
	const (
		nameRule   = ` cannot be the name of a server: it is two parts of ASCII letters, digits, . and - (in the second also _), joined by one slash, such as io.github.acme/docs, each with a letter or digit at its ends, and has at most 200 characters; change "mcpName" in package.json`
		exact      = `, must be exact, such as 1.2.3 or 1.2.3-beta.1; change "version" in mcp-docs-server.json`
		page       = `, must be a URL that begins with https:// and has neither spaces, quotes, < nor >; change "homepage" in package.json`
		asset      = `, must be the https URL of an asset of a release on github.com or gitlab.com, such as https://github.com/acme/docs/releases/download/v1.2.3/acme-docs.mcpb`
		image      = `, must be an image with its host, such as ghcr.io/acme/docs:1.2.3`
		remote     = `, must be a URL that begins with https://, without # and placeholders, such as https://docs.acme.example/mcp`
		unreached  = `, which only this machine can reach; write the public URL of the server`
		npmPackage = ` is not the name of an npm package, such as @acme/docs; change the key "package" in mcp-docs-server.json`
	)
	for _, test := range []struct {
		field  string
		value  string
		errors string
	}{
		{"name", "", `the server has no name in the registry; write "mcpName" into package.json: it is two parts of ASCII letters, digits, . and - (in the second also _), joined by one slash, such as io.github.acme/docs`},
		{"name", "com.acme.api/my_docs-2", ""},
		{"name", "acme", `"acme"` + nameRule},
		{"name", "a.b/c/d", `"a.b/c/d"` + nameRule},
		{"name", ".a/bb", `".a/bb"` + nameRule},
		{"name", "io.githüb/docs", `"io.githüb/docs"` + nameRule},
		{"name", "io.github.acme/docs\n", `"io.github.acme/docs\n"` + nameRule},
		{"name", "io.github.acme/" + strings.Repeat("d", 186), `"io.github.acme/` + strings.Repeat("d", 186) + `"` + nameRule},

		{"description", strings.Repeat("日", 100), ""},
		{"description", strings.Repeat("日", 101), `the description has 101 characters, and the registry accepts at most 100; shorten "description" in package.json`},
		{"description", " ", `the registry needs a description of the server; write "description" into package.json, of at most 100 characters`},
		{"title", strings.Repeat("日", 101), `the title has 101 characters, and the registry accepts at most 100; shorten "name" in mcp-docs-server.json`},
		{"title", " ", ""},

		{"version", "0.0.0-alpha.1+build.5", ""},
		{"version", "latest", `the version is "latest"` + exact},
		{"version", "^1.2.3", `the version is "^1.2.3"` + exact},
		{"version", "1.x", `the version is "1.x"` + exact},
		{"version", "1.2.*", `the version is "1.2.*"` + exact},
		{"version", "1.0.0 - 2.0.0", `the version is "1.0.0 - 2.0.0"` + exact},
		{"version", ">=1.2.3", `the version is ">=1.2.3"` + exact},
		{"version", "v1.2.3", `the version is "v1.2.3"` + exact},
		{"version", "01.2.3", `the version is "01.2.3"` + exact},
		{"version", "1.2.3-next.1", `the version is "1.2.3-next.1", and the registry treats it as a range because of the x; change "version" in mcp-docs-server.json to one without x, such as 1.2.3-beta.1`},
		{"version", "1.2.3-next.1+build", ""},
		{"version", "", `the version is ""` + exact},
		{"version", "1.2.3-" + strings.Repeat("a", 250), `the version is "1.2.3-` + strings.Repeat("a", 250) + `"` + exact},

		{"homepage", "", ""},
		{"homepage", "http://acme.example", `the homepage is "http://acme.example"` + page},
		{"homepage", "acme.example", `the homepage is "acme.example"` + page},
		{"homepage", "https://acme.example/<x>", `the homepage is "https://acme.example/<x>"` + page},
		{"homepage", "https://acme.example/\n", `the homepage is "https://acme.example/\n"` + page},

		{"package", "docs", ""},
		{"package", "Docs", `"Docs"` + npmPackage},
		{"package", "@acme/", `"@acme/"` + npmPackage},
		{"package", "a/b", `"a/b"` + npmPackage},

		{"image", "docker.io/acme/my_docs/x-y:v1@sha256:" + strings.Repeat("a", 64), ""},
		{"image", "europe-docker.pkg.dev/acme/docs:1", ""},
		{"image", "acme.azurecr.io/docs@sha256:" + strings.Repeat("a", 64), ""},
		{"image", "acme/docs:1.2.3", `--image is "acme/docs:1.2.3"` + image},
		{"image", "ghcr.io/Acme/docs:1", `--image is "ghcr.io/Acme/docs:1"` + image},
		{"image", "https://ghcr.io/acme/docs:1", `--image is "https://ghcr.io/acme/docs:1"` + image},
		{"image", "ghcr.io/acme/docs", `--image is "ghcr.io/acme/docs", must always be the same image: write the tag of its version, such as ghcr.io/acme/docs:1.2.3`},
		{"image", "ghcr.io/acme/docs:latest", `--image is "ghcr.io/acme/docs:latest", must always be the same image: write the tag of its version, such as ghcr.io/acme/docs:1.2.3`},
		{"image", "registry.example/acme/docs:1", `--image is "registry.example/acme/docs:1", and the registry does not accept images from registry.example; push it to one of docker.io, registry-1.docker.io, index.docker.io, ghcr.io, quay.io, mcr.microsoft.com, *.pkg.dev, *.azurecr.io`},
		{"image", "evilghcr.io/acme/docs:1", `--image is "evilghcr.io/acme/docs:1", and the registry does not accept images from evilghcr.io; push it to one of docker.io, registry-1.docker.io, index.docker.io, ghcr.io, quay.io, mcr.microsoft.com, *.pkg.dev, *.azurecr.io`},

		{"bundle", "https://gitlab.com/acme/group/docs/-/releases/v1/downloads/acme.mcpb", ""},
		{"bundle", "https://www.gitlab.com/acme/docs-mcp/-/package_files/12/download", ""},
		{"bundle", "https://github.com/acme/docs/raw/main/acme.mcpb", `--mcpb-url is "https://github.com/acme/docs/raw/main/acme.mcpb"` + asset},
		{"bundle", "http://github.com/acme/docs/releases/download/v1/acme.mcpb", `--mcpb-url is "http://github.com/acme/docs/releases/download/v1/acme.mcpb"` + asset},
		{"bundle", "https://acme.example/acme/docs/releases/download/v1/acme.mcpb", `--mcpb-url is "https://acme.example/acme/docs/releases/download/v1/acme.mcpb"` + asset},
		{"bundle", "https://github.com/acme/docs/releases/download/v1/acme.zip", `--mcpb-url is "https://github.com/acme/docs/releases/download/v1/acme.zip", and the registry requires "mcp" in it: let the name of the file end in .mcpb`},
		{"sum", "", `the SHA-256 sum of the desktop bundle is "", must be 64 hexadecimal digits in lower case`},
		{"sum", strings.Repeat("A", 64), `the SHA-256 sum of the desktop bundle is "` + strings.Repeat("A", 64) + `", must be 64 hexadecimal digits in lower case`},

		{"remote", "https://docs.acme.example:8443/x?y=1", ""},
		{"remote", "http://docs.acme.example/mcp", `--remote is "http://docs.acme.example/mcp"` + remote},
		{"remote", "https://me:secret@acme.example/mcp", `--remote contains a user or password, which everybody could read; leave it out`},
		{"remote", "https://{tenant}.acme.example/mcp", `--remote is "https://{tenant}.acme.example/mcp"` + remote},
		{"remote", "docs.acme.example/mcp", `--remote is "docs.acme.example/mcp"` + remote},
		{"remote", "https://localhost/mcp", `--remote is "https://localhost/mcp"` + unreached},
		{"remote", "https://x.LOCALHOST./mcp", `--remote is "https://x.LOCALHOST./mcp"` + unreached},
		{"remote", "https://127.0.0.2:80/mcp", `--remote is "https://127.0.0.2:80/mcp"` + unreached},
		{"remote", "https://[::1]/mcp", `--remote is "https://[::1]/mcp"` + unreached},
	} {
		s := acme()
		*map[string]*string{
			"name": &s.Info.ServerName, "description": &s.Info.Description, "title": &s.Info.Title, "version": &s.Info.Version,
			"homepage": &s.Info.Homepage, "package": &s.Info.Package, "image": &s.Image, "bundle": &s.Desktop.URL, "sum": &s.Desktop.SHA256,
			"remote": &s.Remote,
		}[test.field] = test.value
		got := ""
		if _, err := s.JSON(); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(test.errors, got); diff != "" {
			t.Errorf("%s %q: -want +got:\n%s", test.field, test.value, diff)
		}
	}
}

func TestAllAtOnce(t *testing.T) {
	_, err := Server{}.JSON()
	if err == nil {
		t.Fatal("an empty server is accepted")
	}
	if got := strings.Count(err.Error(), "\n") + 1; got != 4 {
		t.Errorf("%d lines, want 4:\n%v", got, err)
	}
	const none = "server.json must say how clients get the server: from npm, as an image (--image), as a desktop bundle (--mcpb-url) or by its URL (--remote)"
	if !strings.Contains(err.Error(), none) {
		t.Errorf("%v\nwant %s", err, none)
	}
}

func TestRepository(t *testing.T) {
	for page, want := range map[string]*repository{
		"":                             nil,
		"https://git.example/acme/x":   nil,
		"https://github.com/acme/docs": {"https://github.com/acme/docs", "github"},
		"https://github.com/acme":      nil,
		"https://gitlab.com/a/b/c":     {"https://gitlab.com/a/b/c", "gitlab"},
		"https://gitlab.com/a/b/-/c":   nil,
	} {
		if diff := cmp.Diff(want, repositoryOf(page)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", page, diff)
		}
	}
}

package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// Limits of Cloudflare's plans (https://developers.cloudflare.com/workers/platform/limits/, static
// assets).
const (
	FreeFiles = 20_000
	PaidFiles = 100_000
	FileBytes = 25 << 20
)

// compatibilityDate selects the behaviour of the runtime. The tests use a later release of workerd,
// because npm ci needs a release that has packages for every system.
const compatibilityDate = "2026-10-01"

// Options say how a Worker is configured.
type Options struct {
	Name string // of the Worker: lower-case letters, digits and "-"
	Open bool   // clients need no token
	// hosts that requests may name; none: all hosts that lead to the Worker
	Hosts   []string
	Origins []string // origins of web pages that may send requests
	Version string
}

// maxName is the maximum length of the name of a Worker, which is a label of a host.
const maxName = 63

// Name returns a valid name for a Worker, made from another name.
func Name(slug string) string {
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(slug))
	return strings.Trim(name[:min(len(name), maxName)], "-")
}

// Check returns an error for options that are invalid for every Worker.
func (o Options) Check() error {
	if o.Name == "" || o.Name != Name(o.Name) {
		return fmt.Errorf("--name %q is part of a host: it must have 1 to %d lower-case letters, digits and \"-\", and no \"-\" at its ends", o.Name, maxName)
	}
	// The gate of the server checks hosts and origins.
	_, err := hosts.New(hosts.Options{Listen: "127.0.0.1:0", AllowHosts: o.Hosts, AllowOrigins: o.Origins})
	return err
}

// files returns the files of the Worker with these assets.
func (o Options) files(manifest string, assets []bundle.File) ([]bundle.File, error) {
	if n := len(assets); n > PaidFiles {
		return nil, tooMany(n)
	}
	for _, f := range assets {
		if f.Size > FileBytes {
			return nil, fmt.Errorf("a table of the project has %d bytes, and an asset of a Worker can have at most %d: "+exclude+", or divide the project", f.Size, FileBytes)
		}
	}
	configured, err := o.configuration(manifest)
	if err != nil {
		return nil, err
	}
	files := []bundle.File{
		bundle.Bytes("README.md", []byte(o.readme())),
		bundle.Bytes("worker.js", script),
		bundle.Bytes("wrangler.jsonc", configured),
	}
	for _, f := range assets {
		f.Name = path.Join("assets", f.Name)
		files = append(files, f)
	}
	return files, nil
}

// exclude says how a project becomes smaller.
const exclude = `leave files out with "exclude" in mcp-docs-server.json`

func tooMany(files int) error {
	return fmt.Errorf("the project needs %d assets, and a Worker can have at most %d: "+exclude+", or divide the project", files, PaidFiles)
}

// Notice returns what the user should know before deploying the files, or "".
func Notice(files []bundle.File) string {
	n := 0
	for _, f := range files {
		if strings.HasPrefix(f.Name, "assets/") {
			n++
		}
	}
	if n <= FreeFiles {
		return ""
	}
	return fmt.Sprintf("the Worker has %d assets: Cloudflare's free plan allows %d, the paid plan %d; "+exclude+", or deploy with a paid plan", n, FreeFiles, PaidFiles)
}

// configuration returns wrangler.jsonc, the configuration of wrangler.
func (o Options) configuration(manifest string) ([]byte, error) {
	data, err := json.MarshalIndent(map[string]any{
		"$schema":            "https://unpkg.com/wrangler@4/config-schema.json",
		"name":               o.Name,
		"main":               "worker.js",
		"compatibility_date": compatibilityDate,
		"no_bundle":          true,
		"assets": map[string]any{
			"directory": "assets", "binding": "ASSETS", "run_worker_first": true, "html_handling": "none", "not_found_handling": "none",
		},
		"vars":          o.variables(manifest),
		"observability": map[string]bool{"enabled": true},
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	head := mark + ", which overwrites it each time.\n" +
		"// Do not remove run_worker_first: without it, everybody can read the assets without a token.\n"
	return append([]byte(head), append(data, '\n')...), nil
}

// variables returns the variables of the Worker, none of which is secret. manifest is the path of the
// manifest.
func (o Options) variables(manifest string) map[string]string {
	v := map[string]string{"MANIFEST": manifest, "VERSION": o.Version, "ACCESS": "token"}
	if o.Open {
		v["ACCESS"] = "open"
	}
	if len(o.Hosts) > 0 {
		v["HOSTS"] = strings.Join(o.Hosts, " ")
	}
	if len(o.Origins) > 0 {
		v["ORIGINS"] = strings.Join(o.Origins, " ")
	}
	return v
}

func (o Options) readme() string {
	access := "Clients need a token, which is a secret of the Worker. Set it once, 16 characters or more:\n\n" +
		"```sh\nnpx wrangler secret put MCP_DOCS_TOKEN\n```\n\n" +
		"Until then the Worker answers 503. The secret may hold several tokens, separated by blanks: each of them is accepted,\nso that you can add a new token before you remove the old one.\n"
	if o.Open {
		access = "Everybody can read the project: the Worker was made with `--no-auth`.\n"
	}
	return "# " + o.Name + "\n\nAn MCP server of documents as a Cloudflare Worker, made by `mcp-docs-server publish --target cloudflare`.\n\n" +
		"```sh\nnpx wrangler deploy\n```\n\n" + access +
		"\nThe endpoint is `/mcp`, and `/health` answers probes. After a change of the project, publish and deploy it again: only the\nassets that changed are uploaded.\n"
}

// mark begins every configuration of a Worker that this package writes.
const mark = "// Written by mcp-docs-server publish --target cloudflare"

// Write writes a Worker to a folder. It replaces a Worker that it wrote there before, and refuses a
// folder with other files.
func Write(dir string, files []bundle.File) error {
	written, err := os.ReadFile(filepath.Join(dir, "wrangler.jsonc"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.HasPrefix(written, []byte(mark)) {
		return bundle.WriteFolder(dir, files)
	} else if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Name() {
		case "README.md", "worker.js", "wrangler.jsonc", "assets", ".wrangler":
		default:
			return fmt.Errorf("%s: %s is not a file of the Worker, and the folder is replaced whole: move it away, or name another folder", dir, e.Name())
		}
	}
	complete := filepath.Clean(dir) + ".new"
	if err := bundle.WriteFolder(complete, files); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(complete, dir)
}

package worker

import (
	"bytes"
	_ "embed" // the configuration of workerd
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed dev/workerd.capnp
var workerdConfig string

//go:embed dev/assets.js
var workerdAssets []byte

// WriteLocal adds the files to the folder of a Worker that workerd needs to run it at an address of
// this computer. It returns the name of the configuration file in that folder.
func WriteLocal(dir, address string) (config string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "wrangler.jsonc"))
	if err != nil {
		return "", err
	}
	var c configuration
	if err := json.Unmarshal(data[bytes.IndexByte(data, '{'):], &c); err != nil { // after the comment
		return "", fmt.Errorf("wrangler.jsonc: %w", err)
	}
	assets, err := filepath.Abs(filepath.Join(dir, c.Assets.Directory))
	if err != nil {
		return "", err
	}
	var bindings strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
		fmt.Fprintf(&bindings, "    (name = %s, text = %s),\n", capnp(name), capnp(c.Vars[name]))
	}
	text := strings.NewReplacer("@ASSETS@", capnp(assets), "@ADDRESS@", capnp(address), "@DATE@", capnp(c.CompatibilityDate),
		"@BINDINGS@", bindings.String()).Replace(workerdConfig)
	if err := os.WriteFile(filepath.Join(dir, "assets.js"), workerdAssets, 0o600); err != nil {
		return "", err
	}
	config = "workerd.capnp"
	return config, os.WriteFile(filepath.Join(dir, config), []byte(text), 0o600)
}

// capnp returns a text as a literal of Cap'n Proto.
func capnp(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

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

// WriteLocal writes beside a Worker what workerd needs to run it at an address of this computer,
// and returns the name of the configuration, in the folder.
func WriteLocal(dir, address string) (config string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "wrangler.jsonc"))
	if err != nil {
		return "", err
	}
	var of configuration
	if err := json.Unmarshal(data[bytes.IndexByte(data, '{'):], &of); err != nil { // behind the comment
		return "", fmt.Errorf("wrangler.jsonc: %w", err)
	}
	assets, err := filepath.Abs(filepath.Join(dir, of.Assets.Directory))
	if err != nil {
		return "", err
	}
	var bindings strings.Builder
	for _, name := range slices.Sorted(maps.Keys(of.Vars)) {
		fmt.Fprintf(&bindings, "    (name = %s, text = %s),\n", capnp(name), capnp(of.Vars[name]))
	}
	text := strings.NewReplacer("@ASSETS@", capnp(assets), "@ADDRESS@", capnp(address), "@DATE@", capnp(of.CompatibilityDate),
		"@BINDINGS@", bindings.String()).Replace(workerdConfig)
	if err := os.WriteFile(filepath.Join(dir, "assets.js"), workerdAssets, 0o600); err != nil {
		return "", err
	}
	config = "workerd.capnp"
	return config, os.WriteFile(filepath.Join(dir, config), []byte(text), 0o600)
}

// capnp returns a text as Cap'n Proto writes it.
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

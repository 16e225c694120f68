package capturing

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A permission is what the user has permitted for the captures in a folder. It is kept with the user's settings and not in the
// folder: the author of a repository must not be able to permit a host of this computer.
type permission struct {
	Allow []string `json:"allow,omitempty"` // of --allow
	Typed []string `json:"typed,omitempty"` // rules of URLs, see [webclient.TypedRule]
}

// permissions remembers what the command line permits for the captures in a folder. With --update, it also permits what was
// permitted before for this folder and those in it.
func (a *app) permissions(into string, o *capturing) {
	all := make(map[string]permission) // by the folder, links resolved
	given := permission{o.allow, o.typed}
	settings, err := os.UserConfigDir()
	abs, failure := filepath.Abs(into)
	if err != nil || failure != nil {
		return // without a folder for settings, nothing is remembered
	}
	name, dir := filepath.Join(settings, command.Name, "captures.json"), filepath.ToSlash(command.Existing(abs))
	if data, err := os.ReadFile(name); err == nil {
		_ = json.Unmarshal(data, &all) // what cannot be read must be permitted again
	}
	for below, p := range all {
		if o.update && walk.Holds(dir, below) {
			o.typed = append(o.typed, p.Typed...)
			for _, text := range p.Allow {
				if rule, err := webclient.ParseRule(text); err == nil {
					o.network.Allow = append(o.network.Allow, rule)
				}
			}
		}
		if _, err := os.Stat(below); err != nil {
			delete(all, below)
		}
	}
	if o.capture.DryRun || given.Allow == nil && given.Typed == nil {
		return
	}
	merge := func(old, more []string) []string {
		more = slices.Concat(old, more)
		slices.Sort(more)
		return slices.Compact(more)
	}
	all[dir] = permission{merge(all[dir].Allow, given.Allow), merge(all[dir].Typed, given.Typed)}
	text, err := jsonwire.EncodeFile(all)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		a.Say("warning: --update will need --allow again: %s", strings.TrimSpace(fserr.Words(err)))
	}
}

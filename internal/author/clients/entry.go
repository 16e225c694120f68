package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"
)

// An Entry is a server in the file of a client.
type Entry struct {
	Name    string
	Command string
	Args    []string
	Env     map[string]string
	URL     string // of a running server; "": the client starts the command
	Off     bool   // the user has turned the server off
}

// Setups returns a setup for each file that the client reads, the file of its default scope first. Some
// files are only for [Setup.Entries], because only the client writes them.
func (c Client) Setups(s Server, goos string) ([]Setup, error) {
	first, err := c.Setup(s, goos)
	if err != nil {
		return nil, err
	}
	setups := []Setup{first}
	if c.other != nil {
		scope := User
		if !c.inFolder {
			scope = Project
		}
		scoped, err := c.In(scope)
		if err != nil {
			return nil, err
		}
		other, err := scoped.Setup(s, goos)
		if err != nil {
			return nil, err
		}
		setups = append(setups, other)
	}
	if c.readOnly != nil {
		readOnly := first
		readOnly.File, readOnly.InFolder, readOnly.variable, readOnly.folders = c.readOnly(goos), false, "", "projects"
		setups = append(setups, readOnly)
	}
	return slices.DeleteFunc(setups, func(s Setup) bool { return s.File == "" }), nil
}

// Entries returns the servers in the text of the client's file, sorted by name. folder is the
// absolute path of the folder that the user works in, for which some clients have servers in a file
// of the user. Comments are allowed.
func (s Setup) Entries(text []byte, folder string) ([]Entry, error) {
	if len(text) > MaxFile {
		return nil, fmt.Errorf("has more than %d MiB, which is not a configuration", MaxFile>>20)
	}
	_, body := cutMark(text)
	var root map[string]any
	var err error
	key := s.Key
	switch s.Format {
	case "json":
		var plain []byte
		if plain, err = hujson.Standardize(slices.Clone(body)); err == nil && len(plain) > 0 {
			err = json.Unmarshal(plain, &root)
		}
	case "toml":
		key, err = codexKey, toml.Unmarshal(body, &root)
	case "yaml":
		err = yaml.Unmarshal(body, &root)
	}
	if err != nil && len(body) > 0 {
		return nil, fmt.Errorf("is not %s: %s", strings.ToUpper(s.Format), strings.TrimPrefix(err.Error(), "hujson: "))
	}
	var found []Entry
	add := func(servers map[string]any) {
		if inner, ok := servers[s.deeper].(map[string]any); ok && s.deeper != "" && inner["type"] == nil {
			servers = inner
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			if fields, ok := servers[name].(map[string]any); ok {
				found = append(found, entryOf(name, fields))
			}
		}
	}
	if s.folders != "" {
		folders, _ := root[s.folders].(map[string]any)
		for dir, settings := range folders {
			if filepath.Clean(dir) == folder {
				inner, _ := settings.(map[string]any)
				servers, _ := inner[key].(map[string]any)
				add(servers)
			}
		}
	}
	servers, _ := root[key].(map[string]any)
	add(servers)
	return found, nil
}

// entryOf reads an entry of any client. A value of the wrong type counts as missing.
func entryOf(name string, fields map[string]any) Entry {
	text := func(keys ...string) string {
		for _, key := range keys {
			if s, ok := fields[key].(string); ok {
				return s
			}
		}
		return ""
	}
	words := func(v any) []string {
		var all []string
		list, _ := v.([]any)
		for _, one := range list {
			if s, ok := one.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	e := Entry{Name: name, Command: text("command", "cmd"), Args: words(fields["args"]), URL: text("url", "httpUrl", "serverUrl", "uri")}
	if whole := words(fields["command"]); len(whole) > 0 { // opencode
		e.Command, e.Args = whole[0], whole[1:]
	}
	for _, key := range []string{"env", "environment", "envs"} {
		values, _ := fields[key].(map[string]any)
		for name, value := range values {
			if e.Env == nil {
				e.Env = make(map[string]string)
			}
			e.Env[name] = fmt.Sprint(value)
		}
	}
	e.Off = fields["disabled"] == true || fields["enabled"] == false
	return e
}

package clients

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Locate returns the path of the client's file on this machine, which depends on the home folder
// and the environment of the user, as in the client itself. A file in the folder that the user
// works in stays relative.
func (s Setup) Locate(home string, getenv func(string) string) (string, error) {
	file := s.File
	if s.variable != "" {
		if dir := getenv(s.variable); dir != "" {
			return filepath.Join(dir, filepath.Base(filepath.FromSlash(strings.ReplaceAll(file, `\`, "/")))), nil
		}
	}
	if rest, ok := strings.CutPrefix(file, "%APPDATA%"); ok {
		dir := getenv("APPDATA")
		if dir == "" {
			return "", fmt.Errorf("%s: APPDATA is not set in the environment", file)
		}
		return dir + rest, nil
	}
	if rest, ok := strings.CutPrefix(file, "~/.config/"); ok && s.xdg && filepath.IsAbs(getenv("XDG_CONFIG_HOME")) {
		return filepath.Join(getenv("XDG_CONFIG_HOME"), filepath.FromSlash(rest)), nil
	}
	for _, prefix := range []string{"~", "%USERPROFILE%"} {
		if rest, ok := strings.CutPrefix(file, prefix); ok {
			if home == "" {
				return "", fmt.Errorf("%s: the home folder is not known", file)
			}
			return home + filepath.FromSlash(rest), nil
		}
	}
	return filepath.FromSlash(file), nil
}

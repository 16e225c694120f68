package browser

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// errNone reports that no browser was found.
var errNone = errors.New("no Chromium, Chrome or Edge is found on this computer: install one, or name it with --browser-path")

// find returns the path of a browser on this computer.
func find() (string, error) {
	for _, name := range candidates(runtime.GOOS, os.Getenv) {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", errNone
}

// candidates returns names and paths of browsers that a system may have, the best first.
func candidates(system string, env func(string) string) []string {
	var list []string
	switch system {
	case "windows":
		for _, root := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			if dir := env(root); dir != "" {
				for _, name := range []string{`Google\Chrome\Application\chrome.exe`, `Chromium\Application\chrome.exe`, `Microsoft\Edge\Application\msedge.exe`} {
					list = append(list, dir+`\`+name)
				}
			}
		}
	case "darwin":
		for _, root := range []string{"", env("HOME")} {
			for _, name := range []string{"Chromium", "Google Chrome", "Microsoft Edge"} {
				list = append(list, root+"/Applications/"+name+".app/Contents/MacOS/"+name)
			}
		}
	}
	return append(list, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "microsoft-edge-stable", "msedge")
}

// program returns the executable of a macOS application, which is a folder, and any other path unchanged.
func program(path string) string {
	name, ok := strings.CutSuffix(filepath.Base(path), ".app")
	if info, err := os.Stat(path); !ok || err != nil || !info.IsDir() {
		return path
	}
	return filepath.Join(path, "Contents", "MacOS", name)
}

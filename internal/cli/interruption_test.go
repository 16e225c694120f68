package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/bundle"
)

// A stopper is output that stops the program at a word.
type stopper struct {
	syncBuffer
	word string
	stop func()
}

func (s *stopper) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(s.word)) {
		s.stop()
	}
	return s.syncBuffer.Write(b)
}

// interrupted runs publish until it writes a word, "" for at once, and returns what it says, and what it leaves in the folder of
// its output and in that of temporary files.
func interrupted(t *testing.T, word string, args ...string) (said string, left []string) {
	t.Helper()
	to, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Chdir(to)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if word == "" {
		stop()
	}
	var errs syncBuffer
	code := Run(ctx, append([]string{"publish"}, args...), Streams{Out: &stopper{word: word, stop: stop}, Err: &errs})
	if code != 1 {
		t.Errorf("%q: code %d", args, code)
	}
	for _, dir := range []string{to, temp} {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		hidden, err := filepath.Glob(filepath.Join(dir, ".*"))
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, append(names, hidden...)...)
	}
	return errs.String(), left
}

func TestPublishInterrupted(t *testing.T) {
	dir, binaries := makeProject(t, bundled...), makeBinaries(t)
	for _, args := range [][]string{
		{"--cli-version", "1.0.0", "--no-check", "-o", "new/a.tgz"},
		{"--cli-version", "1.0.0", "--no-check", "-o", "new/folder"},
		{"--cli-version", "1.0.0", "--no-check", "-n"},
		{"--cli-version", "1.0.0", "--no-check"},
		{"--target", "mcpb", "--binaries", binaries, "-o", "new/a.mcpb"},
		{"--target", "oci", "--binaries", binaries, "-o", "new/a.tar"},
		{"--target", "server-json", "-o", "new/server.json"},
	} {
		if said, left := interrupted(t, "", append(args, dir)...); said != "mcp-docs-server: interrupted; nothing is written\n" || len(left) > 0 {
			t.Errorf("%q: %q, %q is left", args, said, left)
		}
	}
}

// An npm that does not end at an interruption is killed, and what it did is not known.
func TestPublishInterruptedInNpm(t *testing.T) {
	dir := makeProject(t, publishable...)
	said, left := interrupted(t, stubborn, "--cli-version", "1.0.0", "--no-check", "--tag", stubborn, dir)
	if !strings.HasSuffix(said, "may be published or not; \"npm view @acme/docs@1.2.3 version\" prints the version if it is\n") || len(left) > 0 {
		t.Errorf("%q, %q is left", said, left)
	}
}

// Folders that were made for a file that is not written go again, and others stay.
func TestWriteFileFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "there"), 0o755); err != nil {
		t.Fatal(err)
	}
	undo, err := bundle.MakeFolders(filepath.Join(dir, "there", "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	undo()
	if names, err := os.ReadDir(filepath.Join(dir, "there")); err != nil || len(names) > 0 {
		t.Errorf("%v, %v", names, err)
	}
}

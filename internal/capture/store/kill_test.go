package store

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// killed is the environment variable with the folder of a process that a test will kill.
const killed = "STORE_TEST_KILLED"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killed); dir != "" {
		if err := churn(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

const killedPages = 12

func killedKey(page int) string { return fmt.Sprintf("page-%d", page) }

// churn puts and deletes captures for ever, and prints each operation before it begins and when it is
// done.
func churn(dir string) error {
	settings := DefaultSettings()
	settings.Kind, settings.Folder, settings.Cleanup = Files, dir, 10*time.Millisecond
	s, err := Open(context.Background(), settings, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	s.Watch(func([]Change) {})
	go s.Run(context.Background())
	for n := 1; ; n++ {
		page := rand.IntN(killedPages)
		key := killedKey(page)
		if rand.IntN(4) == 0 {
			fmt.Printf("delete %d 0\n", page)
			_ = s.Delete(context.Background(), key) // it may not exist
			fmt.Printf("done %d 0\n", page)
			continue
		}
		round := int(time.Now().UnixNano())
		fmt.Printf("put %d %d\n", page, round)
		text := []byte(strconv.Itoa(round) + strings.Repeat(" ", rand.IntN(100_000)))
		m := Meta{Key: key, URL: "https://example.com/" + key, Title: strconv.Itoa(round)}
		if _, err := s.Put(context.Background(), m, Contents{Raw: text, Cleaned: text, Extracted: text}); err != nil {
			return err
		}
		fmt.Printf("done %d %d\n", page, round)
	}
}

// churning starts a process that calls [churn], and returns its output.
func churning(t *testing.T, dir string) (*exec.Cmd, io.Reader) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), killed+"="+dir)
	child.Stderr = os.Stderr
	out := must.Get(child.StdoutPipe())(t)
	must.Do(t, child.Start())
	return child, out
}

// A process that is killed at any point leaves each capture as it was before or after the interrupted
// operation, with tiers of one version, and loses no finished operation.
func TestKilled(t *testing.T) {
	kills := killsOf(t)
	dir := filepath.Join(t.TempDir(), "captures")
	allowed := make(map[int][]int) // rounds that a page may have; 0: it may be missing
	for kill := range kills {
		child, out := churning(t, dir)
		lines := bufio.NewScanner(out)
		steps := 1 + rand.IntN(60)
		for n := 0; lines.Scan(); n++ {
			if n == steps {
				time.Sleep(time.Duration(rand.IntN(3_000_000))) // a moment within an operation
				must.Do(t, child.Process.Kill())
			}
			var what string
			var page, round int
			if _, err := fmt.Sscan(lines.Text(), &what, &page, &round); err != nil {
				continue // cut
			}
			if what == "done" {
				allowed[page] = []int{round}
			} else if len(allowed[page]) == 0 {
				allowed[page] = []int{0, round}
			} else {
				allowed[page] = append(allowed[page], round)
			}
		}
		_ = child.Wait() // it was killed
		s := openFolder(t, dir, nil)
		for page := range killedPages {
			got := 0
			if c, err := s.Get(t.Context(), killedKey(page)); err == nil {
				if got, err = strconv.Atoi(c.Meta.Title); err != nil {
					t.Fatal(err)
				}
				for _, tier := range Tiers() {
					text := content(t, c, tier)
					if strings.TrimSpace(text) != c.Meta.Title || partOf(c.Meta.Parts[tier].MIME, []byte(text)) != c.Meta.Parts[tier] {
						t.Errorf("kill %d: %s of page %d has %.30q of round %s", kill, tier, page, text, c.Meta.Title)
					}
				}
			}
			ok := len(allowed[page]) == 0 && got == 0
			for _, round := range allowed[page] {
				ok = ok || got == round
			}
			if !ok {
				t.Errorf("kill %d: page %d has round %d, want one of %v", kill, page, got, allowed[page])
			}
			allowed[page] = []int{got}
		}
		must.Do(t, s.engine.(*files).folder.Sweep(t.Context(), 0, false))
		entries := must.Get(os.ReadDir(dir))(t)
		for _, e := range entries {
			if temporaryName(e.Name()) {
				t.Errorf("kill %d: %s is there still", kill, e.Name())
			}
		}
		s.Close()
	}
}

// killsOf returns how many processes are killed, see .ci/long.
func killsOf(t *testing.T) int {
	text := os.Getenv("STORE_TEST_KILLS")
	if text == "" {
		return 3
	}
	return must.Get(strconv.Atoi(text))(t)
}

// After processes that share a folder are killed, each capture is whole.
func TestKilledTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "captures")
	for range (killsOf(t) + 2) / 3 {
		var children []*exec.Cmd
		for range 3 {
			child, out := churning(t, dir)
			children = append(children, child)
			lines := bufio.NewScanner(out)
			for n := 0; n < 10 && lines.Scan(); n++ {
			}
			go io.Copy(io.Discard, out)
		}
		for _, child := range children {
			time.Sleep(time.Duration(rand.IntN(20_000_000)))
			must.Do(t, child.Process.Kill())
			_ = child.Wait() // it was killed
		}
		s := openFolder(t, dir, nil)
		keys := make(map[string]bool)
		for _, c := range s.All("") {
			keys[c.Meta.Key] = true
			for _, tier := range Tiers() {
				must.Equal(t, c.Meta.Title, strings.TrimSpace(content(t, c, tier)), tier, " ", c.Meta.Key)
			}
		}
		names := must.Get(s.engine.(*files).folder.Names("."))(t)
		for _, name := range names {
			key, _, ok := splitName(name)
			if !ok {
				continue
			}
			if !keys[key] {
				t.Errorf("%s is there twice, or is not in the store", name)
			}
			delete(keys, key)
		}
		s.Close()
	}
}

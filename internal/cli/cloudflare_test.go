package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/wrangler"
)

// Environment variables of the programs that replace the programs of Node.js.
const (
	nodeVersion = "TEST_NODE_VERSION"
	npxFails    = "TEST_NPX_FAILS"
)

// fakeNpx prints the arguments of wrangler, or answers instead of workerd, in a separate process
// like the one that npx starts.
func fakeNpx(args []string) int {
	if os.Getenv(npxFails) != "" {
		fmt.Fprintln(os.Stderr, "it cannot be fetched")
		return 3
	}
	switch {
	case len(args) == 4 && args[0] == "--yes" && args[1] == "workerd@"+wrangler.Workerd && args[2] == "serve":
		cmd := exec.Command(os.Args[0], "answer", args[3])
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return 1
		}
	case args[0] == "answer":
		config, err := os.ReadFile(args[1])
		address := regexp.MustCompile(`address = "(.*?)"`).FindSubmatch(config)
		if err != nil || address == nil {
			return 1
		}
		pid := []byte(strconv.Itoa(os.Getpid()))
		_ = http.ListenAndServe(string(address[1]), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(pid) }))
	default:
		_, err := os.Stat("wrangler.jsonc")
		fmt.Println(strings.Join(args, " "), os.Getenv("CLOUDFLARE_ACCOUNT_ID"), err)
	}
	return 0
}

// withNode puts programs that replace node and npx first in PATH.
func withNode(t *testing.T, version string, names ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv(nodeVersion, version)
}

func TestCloudflareDeploy(t *testing.T) {
	dir := makeProject(t, publishable...)
	for _, test := range []struct {
		version, args string
		code          int
		out, errs     string // errs is a part of standard error
	}{
		{"v22.12.0", "", 0, "--yes wrangler@" + wrangler.Wrangler + " deploy --config wrangler.jsonc  <nil>\n", "npx wrangler secret put MCP_DOCS_TOKEN"},
		{"v24.1.0", "--no-auth --account-id abc", 0, "--yes wrangler@" + wrangler.Wrangler + " deploy --config wrangler.jsonc abc <nil>\n", ""},
		{"v22.11.0", "", 1, "", "needs Node.js 22.12.0 or later, and 22.11.0 is installed"},
		{"nothing", "", 1, "", "does not say which Node.js it is"},
	} {
		withNode(t, test.version, "node", "npx")
		args := append([]string{"cloudflare", "deploy", "--output", filepath.Join(t.TempDir(), "worker")}, strings.Fields(test.args)...)
		code, out, errs := run(t, strings.NewReader(""), append(args, dir)...)
		if code != test.code || out != test.out || !strings.Contains(errs, test.errs) {
			t.Errorf("Node.js %s, %q: code %d, output %q, errors %q", test.version, test.args, code, out, errs)
		}
	}
	withNode(t, "v22.12.0", "node", "npx")
	t.Setenv(npxFails, "1")
	if code, _, errs := run(t, nil, "cloudflare", "deploy", "--output", filepath.Join(t.TempDir(), "worker"), dir); code != 1 || !strings.Contains(errs, "it cannot be fetched\n") || !strings.Contains(errs, "wrangler ended with code 3") {
		t.Errorf("code %d, errors %q", code, errs)
	}
}

func TestCloudflareDev(t *testing.T) {
	withNode(t, "v20.0.0", "node", "npx")
	ctx, end := context.WithCancel(t.Context())
	defer end()
	out, in := io.Pipe()
	var errs syncBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"cloudflare", "dev", "--port", "0", makeProject(t, publishable...)}, Streams{Out: in, Err: &errs})
		in.Close()
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the command prints no URL: %s", errs.String())
	}
	url = strings.TrimSpace(url)
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(body))
	if err != nil {
		t.Fatal(err)
	}
	end()
	if code := <-ended; code != 0 {
		t.Errorf("code %d, errors %q", code, errs.String())
	}
	for range 500 { // a process that was killed stays until its parent has looked at it
		if _, err := http.Get(url); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d still answers", pid)
}

// If workerd ends by itself, the command ends.
func TestCloudflareDevEnds(t *testing.T) {
	withNode(t, "v20.0.0", "node", "npx")
	t.Setenv(npxFails, "1")
	code, out, errs := run(t, nil, "cloudflare", "dev", "--port", "0", makeProject(t, publishable...))
	if code != 1 || out != "" || !strings.Contains(errs, "workerd ended with code 3") {
		t.Errorf("code %d, output %q, errors %q", code, out, errs)
	}
}

package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// auditedCalls are some calls, of which one has a URI that tries to forge a line.
const auditedCalls = handshakeLines +
	`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://h/a.md"}}` + "\n" +
	`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"x://h/b\ntime=now caller=admin"}}` + "\n" +
	`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_resource","arguments":{"uri":"x://h/a.md"}}}` + "\n"

// auditLines match the lines of auditedCalls from the attributes on. Answers come in any order.
var auditLines = []string{
	`caller="" method=resources/read name="" uri=x://h/a\.md bytes=[1-9][0-9]* took=[^ ]+ outcome=ok`,
	`caller="" method=resources/read name="" uri="x://h/b\\ntime=now caller=admin" bytes=0 took=[^ ]+ outcome="[^\n]+"`,
	`caller="" method=tools/call name=read_resource uri=x://h/a\.md bytes=[1-9][0-9]* took=[^ ]+ outcome=ok`,
}

// checkAudit fails unless text contains each of auditLines as often as times says, and no other
// line.
func checkAudit(t *testing.T, text, prefix string, times int) {
	t.Helper()
	if n := strings.Count(text, "\n"); n != times*len(auditLines) {
		t.Errorf("there are %d lines:\n%s", n, text)
	}
	for _, line := range auditLines {
		whole := regexp.MustCompile(`(?m)^` + prefix + `time=20[0-9T:.+Z-]+ ` + line + `$`)
		if n := len(whole.FindAllString(text, -1)); n != times {
			t.Errorf("%d lines are %s, want %d:\n%s", n, line, times, text)
		}
	}
}

// Each call has a line: in a file that only its owner reads and to which a second start appends, or on standard error.
func TestAudit(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A")
	file := filepath.Join(t.TempDir(), "audit.log")
	for times := 1; times <= 2; times++ {
		if code, _, errs := run(t, strings.NewReader(auditedCalls), "serve", dir, "--audit="+file); code != 0 || strings.Contains(errs, "caller") {
			t.Fatalf("code %d, errors %q", code, errs)
		}
		checkAudit(t, textOf(t, file), "", times)
	}
	if info := must.Get(os.Stat(file))(t); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}
	_, _, errs := run(t, strings.NewReader(auditedCalls), "--project", dir, "--audit")
	other := regexp.MustCompile("(?m)^mcp-docs-server: [^a].*\n")
	checkAudit(t, other.ReplaceAllString(errs, ""), "mcp-docs-server: audit: ", 1)
}

func TestAuditMistakes(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A", "real/a.md=")
	given.In(t, dir).Link("real", "docs")
	for _, test := range []struct{ audit, want string }{
		{"", "--audit= names no file: write --audit=FILE, or --audit for standard error\n"},
		{filepath.Join(dir, "resources", "x", "log"), ": is in the folder " + filepath.Join(dir, "resources") + ", which is served; name a place outside of it\n"},
		{filepath.Join(dir, "real", "log.md"), ": is in the folder " + filepath.Join(dir, "docs") + ", which is served"},
	} {
		code, out, errs := run(t, strings.NewReader(""), "serve", dir, "--audit="+test.audit)
		if code != codeOf(errs) || out != "" || !strings.Contains(errs, test.want) {
			t.Errorf("--audit=%s: code %d, output %q, errors %q, want %q", test.audit, code, out, errs, test.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "real", "log.md")); err == nil {
		t.Error("a file that is refused was made")
	}
}

// A client that has read an answer and ends the server at once finds the line of the answer.
func TestAuditOfTheLastCall(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A")
	for i := range 10 {
		ctx, end := context.WithCancel(t.Context())
		file := filepath.Join(t.TempDir(), "audit.log")
		in, client := io.Pipe()
		out := &lastRead{end: end}
		go io.WriteString(client, handshakeLines+`{"jsonrpc":"2.0","id":"last","method":"resources/read","params":{"uri":"x://h/a.md"}}`+"\n")
		if code := Run(ctx, []string{"serve", dir, "--audit=" + file}, Streams{In: in, Out: out, Err: io.Discard}); code != 0 {
			t.Errorf("the exit code is %d", code)
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), "method=resources/read") {
			t.Fatalf("start %d: %v; the audit is %q", i, err, text)
		}
	}
}

// A lastRead is an output that ends the server when it has the answer to the call "last".
type lastRead struct{ end func() }

func (l *lastRead) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(`"id":"last"`)) {
		l.end()
	}
	return len(p), nil
}

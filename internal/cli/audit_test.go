package cli

import (
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

// Each call has a line: in a file that only its owner reads and to which a second start appends, or on standard error. A URI forges none.
func TestAudit(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A")
	file := filepath.Join(t.TempDir(), "audit.log")
	serve := func(args ...string) string {
		code, _, errs := run(t, strings.NewReader(handshakeLines+
			`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://h/a.md"}}`+"\n"+
			`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"x://h/b\ntime=now caller=admin"}}`+"\n"+
			`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_resource","arguments":{"uri":"x://h/a.md"}}}`+"\n"), args...)
		if code != 0 {
			t.Errorf("%q: code %d, errors %q", args, code, errs)
		}
		return errs
	}
	check := func(text, prefix string, times int) {
		t.Helper()
		if n := strings.Count(text, " took="); n != 3*times {
			t.Errorf("there are %d lines:\n%s", n, text)
		}
		for _, line := range []string{ // from the attributes on; answers come in any order
			`caller="" method=resources/read name="" uri=x://h/a\.md bytes=[1-9][0-9]* took=[^ ]+ outcome=ok`,
			`caller="" method=resources/read name="" uri="x://h/b\\ntime=now caller=admin" bytes=0 took=[^ ]+ outcome="[^\n]+"`,
			`caller="" method=tools/call name=read_resource uri=x://h/a\.md bytes=[1-9][0-9]* took=[^ ]+ outcome=ok`,
		} {
			whole := regexp.MustCompile(`(?m)^` + prefix + `time=20[0-9T:.+Z-]+ ` + line + `$`)
			if n := len(whole.FindAllString(text, -1)); n != times {
				t.Errorf("%d lines are %s, want %d:\n%s", n, line, times, text)
			}
		}
	}
	for times := 1; times <= 2; times++ {
		if errs := serve("serve", dir, "--audit="+file); strings.Contains(errs, "caller") {
			t.Error(errs)
		}
		check(textOf(t, file), "", times)
	}
	if info := must.Get(os.Stat(file))(t); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}
	check(serve("--project", dir, "--audit"), "mcp-docs-server: audit: ", 1)
}

// A client that has read an answer and ends the server at once finds the line of the answer.
func TestAuditOfTheLastCall(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A")
	for i := range 10 {
		ctx, end := context.WithCancel(t.Context())
		file := filepath.Join(t.TempDir(), "audit.log")
		in, client := io.Pipe()
		go io.WriteString(client, handshakeLines+`{"jsonrpc":"2.0","id":"last","method":"resources/read","params":{"uri":"x://h/a.md"}}`+"\n")
		if code := Run(ctx, []string{"serve", dir, "--audit=" + file}, Streams{In: in, Out: &gate{mark: `"id":"last"`, reached: end}, Err: io.Discard}); code != 0 || !strings.Contains(textOf(t, file), "method=resources/read") {
			t.Fatalf("start %d: code %d; the audit is %q", i, code, textOf(t, file))
		}
	}
}

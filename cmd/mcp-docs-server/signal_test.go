//go:build unix

package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestTheSecondSignalEndsTheProgram: the first signal cancels the work; the second ends the program even if the work
// continues.
func TestTheSecondSignalEndsTheProgram(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), asProgram+"=stuck")
		out := must.Get(cmd.StdoutPipe())(t)
		must.Do(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for _, want := range []string{"ready", "cancelled"} {
			if !lines.Scan() || lines.Text() != want {
				t.Fatalf("%v: the program wrote %q, want %q", sig, lines.Text(), want)
			}
			if err := cmd.Process.Signal(sig); err != nil { // the last one may be taken for the first
				t.Fatal(err)
			}
		}
		ended := make(chan struct{})
		go func() {
			for ticks := time.Tick(bounce); ; {
				select {
				case <-ticks:
					_ = cmd.Process.Signal(sig)
				case <-ended:
					return
				}
			}
		}()
		lines.Scan() // to the end of the output
		_ = cmd.Wait()
		close(ended)
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("%v twice: %v, want exit status 130", sig, cmd.ProcessState)
		}
	}
}

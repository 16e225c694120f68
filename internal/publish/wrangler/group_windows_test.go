package wrangler

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestGroupEndsAllProcesses starts a batch file, such as npx is, that starts another process.
func TestGroupEndsAllProcesses(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	batch, sign := filepath.Join(dir, "npx.cmd"), filepath.Join(dir, "there")
	if err := os.WriteFile(batch, []byte("@echo off\r\n\""+self+"\" -test.run TestProcessOfGroup\r\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(batch)
	cmd.Env = append(os.Environ(), signVariable+"="+sign)
	g, err := startGroup(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	// The process that the batch file started has the file open, so the file cannot be renamed.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(sign); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the process did not start")
		}
	}
	if err := os.Rename(sign, sign+"2"); err == nil {
		t.Fatal("no process has the file open")
	}
	g.end()
	if err := cmd.Wait(); err == nil {
		t.Error("the batch file ended by itself")
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err := os.Rename(sign, sign+"2"); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the process that the batch file started is still running")
		}
	}
}

const signVariable = "MCP_DOCS_TEST_SIGN"

// TestProcessOfGroup is the process that the batch file starts.
func TestProcessOfGroup(t *testing.T) {
	sign := os.Getenv(signVariable)
	if sign == "" {
		t.Skip("is started by another test")
	}
	f, err := os.Create(sign)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	time.Sleep(2 * time.Minute)
}

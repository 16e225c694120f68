package main

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A listening is a running server with its address.
type listening struct {
	cmd        *exec.Cmd
	addr, path string
}

// listen starts a server, which prints its URL to standard error.
func listen(c command) (*listening, error) {
	l := &listening{cmd: exec.Command(c[0], c[1:]...)}
	out, err := l.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		_, after, ok := strings.Cut(lines.Text(), "http://")
		if !ok {
			continue
		}
		u, err := url.Parse("http://" + strings.TrimSpace(after))
		if err != nil {
			break
		}
		l.addr, l.path = u.Host, u.Path
		go func() { _, _ = io.Copy(io.Discard, out) }()
		return l, nil
	}
	l.stop()
	return nil, fmt.Errorf("%s prints no URL", c[0])
}

func (l *listening) stop() {
	_ = l.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(10*time.Second, func() { _ = l.cmd.Process.Kill() })
	defer timer.Stop()
	_ = l.cmd.Wait()
}

// session opens a connection with a session.
func (l *listening) session() (*conn, error) {
	c, err := dial(l.addr, l.path)
	if err != nil {
		return nil, err
	}
	if err := c.begin(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// sessions opens n sessions.
func (l *listening) sessions(n int) ([]*conn, error) {
	all := make([]*conn, n)
	for i := range all {
		var err error
		if all[i], err = l.session(); err != nil {
			closeAll(all[:i])
			return nil, err
		}
	}
	return all, nil
}

func closeAll(all []*conn) {
	for _, c := range all {
		c.Close()
	}
}

// cpu returns the processor time of the server, in user mode and in the kernel.
func (l *listening) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", l.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("processor time is measured on Linux only: %w", err)
	}
	// The name of the program, in parentheses, may have blanks.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	var ticks uint64
	for _, field := range fields[11:13] { // utime and stime, of proc(5)
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100, nil // Linux always counts 100 ticks per second here
}

// memory returns a line of /proc/<pid>/status in KB: VmRSS is the memory of the server, VmHWM its peak.
func (l *listening) memory(line string) (float64, error) { return memoryOf(l.cmd.Process.Pid, line) }

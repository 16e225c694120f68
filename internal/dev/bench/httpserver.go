package main

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os/exec"
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

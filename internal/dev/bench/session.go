package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A session is a running server, as its client sees it.
type session struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	long    []byte // a line that is too long for out
	started time.Time
	next    int // id
}

// start starts a server.
func start(c command) *session {
	s := &session{cmd: exec.Command(c[0], c[1:]...)}
	s.in = get(s.cmd.StdinPipe())
	s.out = bufio.NewReaderSize(get(s.cmd.StdoutPipe()), 1<<20)
	s.started = time.Now()
	do(s.cmd.Start())
	return s
}

// handshake begins the session.
func (s *session) handshake() {
	s.ask("initialize", initialize)
	get(io.WriteString(s.in, initialized+"\n"))
}

const (
	version     = "2025-11-25"
	initialize  = `{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func message(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

// stop ends the server.
func (s *session) stop() {
	s.in.Close()
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, s.out)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		_ = s.cmd.Process.Kill()
		<-done
	}
	_ = s.cmd.Wait()
}

func (s *session) send(method, params string) {
	s.next++
	get(io.WriteString(s.in, message(s.next, method, params)+"\n"))
}

// receive returns the line of the next answer, and skips notifications. The line is valid until the next call.
func (s *session) receive() []byte {
	for {
		line, err := s.out.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			// A client that is slower than the server would hide the time of the server.
			for s.long = s.long[:0]; err == bufio.ErrBufferFull; line, err = s.out.ReadSlice('\n') {
				s.long = append(s.long, line...)
			}
			s.long = append(s.long, line...)
			line = s.long
		}
		if err != nil {
			do(fmt.Errorf("the server has ended: %w", err))
		}
		if bytes.Contains(line[:min(len(line), 100)], []byte(`"id":`)) {
			return line
		}
	}
}

// ask sends a request and returns the line of its answer.
func (s *session) ask(method, params string) []byte {
	s.send(method, params)
	return s.receive()
}

// read reads a file and compares its bytes.
func (s *session) read(d document) { check(s.ask("resources/read", readParams(d)), d) }

// list reads all pages of the list, and returns the number of resources.
func (s *session) list() (total int) {
	for params := "{}"; params != ""; {
		line := s.ask("resources/list", params)
		total += bytes.Count(line, []byte(`"uri":"`))
		params = nextPage(line)
	}
	return total
}

// nextPage returns the parameters for the page after an answer, or "".
func nextPage(line []byte) string {
	_, cursor, more := bytes.Cut(line, []byte(`"nextCursor":"`))
	if !more {
		return ""
	}
	cursor, _, _ = bytes.Cut(cursor, []byte(`"`))
	return fmt.Sprintf(`{"cursor":%q}`, cursor)
}

func readParams(d document) string { return fmt.Sprintf(`{"uri":%q}`, d.uri) }

// check compares the contents of an answer with the file.
func check(answer []byte, d document) {
	var a struct {
		Result struct {
			Contents []struct {
				Text string
				Blob []byte
			}
		}
	}
	do(json.Unmarshal(answer, &a))
	if c := a.Result.Contents; len(c) != 1 || c[0].Text+string(c[0].Blob) != string(d.data) {
		do(fmt.Errorf("the contents of %s differ: %.200s", d.uri, answer))
	}
}

// peakOf returns the peak memory of a process in MB, on Linux.
func peakOf(pid int) (kb float64) {
	status := get(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	get(fmt.Sscan(after, &kb))
	return kb / 1024
}

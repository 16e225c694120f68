package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
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
	next    int
}

// start starts a server and sends the first request.
func start(c command) (*session, error) {
	s := &session{cmd: exec.Command(c[0], c[1:]...), next: 1}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	s.started = time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := s.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// ready ends the handshake.
func (s *session) ready() error {
	_, err := io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
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

// send sends a request and returns its id.
func (s *session) send(method, params string) (int, error) {
	id := s.next
	s.next++
	_, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
	return id, err
}

// receive returns the id and the line of the next answer, and skips notifications. The line is valid
// until the next call.
func (s *session) receive() (id int, line []byte, err error) {
	for {
		line, err = s.out.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			// A client that is slower than the server would hide the time of the server.
			for s.long = s.long[:0]; err == bufio.ErrBufferFull; line, err = s.out.ReadSlice('\n') {
				s.long = append(s.long, line...)
			}
			s.long = append(s.long, line...)
			line = s.long
		}
		if err != nil {
			return 0, nil, fmt.Errorf("the server has ended: %w", err)
		}
		_, after, ok := bytes.Cut(line[:min(len(line), 100)], []byte(`"id":`))
		if !ok {
			continue
		}
		digits := 0
		for digits < len(after) && after[digits] >= '0' && after[digits] <= '9' {
			digits++
		}
		if id, err = strconv.Atoi(string(after[:digits])); err != nil {
			return 0, nil, fmt.Errorf("an answer without an id: %.100s", line)
		}
		return id, line, nil
	}
}

// ask sends a request and returns the line of its answer.
func (s *session) ask(method, params string) ([]byte, error) {
	want, err := s.send(method, params)
	if err != nil {
		return nil, err
	}
	id, line, err := s.receive()
	if err == nil && id != want {
		err = fmt.Errorf("answer %d to request %d", id, want)
	}
	return line, err
}

// list reads all pages of the list, and returns the number of resources.
func (s *session) list() (int, error) {
	total, params := 0, "{}"
	for {
		line, err := s.ask("resources/list", params)
		if err != nil {
			return 0, err
		}
		n := bytes.Count(line, []byte(`"uri":"`))
		if n == 0 {
			return 0, fmt.Errorf("an empty page: %.200s", line)
		}
		total += n
		_, cursor, more := bytes.Cut(line, []byte(`"nextCursor":"`))
		if !more {
			return total, nil
		}
		cursor, _, _ = bytes.Cut(cursor, []byte(`"`))
		params = fmt.Sprintf(`{"cursor":%q}`, cursor)
	}
}

func readParams(d document) string { return fmt.Sprintf(`{"uri":%q}`, d.uri) }

// check compares the contents of an answer with the file.
func check(line []byte, d document) error {
	var answer struct {
		Result struct {
			Contents []struct {
				Text *string
				Blob *string
			}
		}
		Error json.RawMessage
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	if len(answer.Result.Contents) != 1 {
		return fmt.Errorf("%s: %s", d.uri, answer.Error)
	}
	c := answer.Result.Contents[0]
	switch {
	case c.Text != nil:
		if *c.Text != string(d.data) {
			return fmt.Errorf("the text of %s differs", d.uri)
		}
	case c.Blob != nil:
		if got, err := base64.StdEncoding.DecodeString(*c.Blob); err != nil || !bytes.Equal(got, d.data) {
			return fmt.Errorf("the bytes of %s differ", d.uri)
		}
	default:
		return fmt.Errorf("%s has neither text nor bytes", d.uri)
	}
	return nil
}

// peakOf returns the peak memory of a process in MB.
func peakOf(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("memory is measured on Linux only: %w", err)
	}
	var kb float64
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(after, &kb)
	return kb / 1024, err
}

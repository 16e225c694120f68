package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A listening is a running server over HTTP.
type listening struct {
	cmd *exec.Cmd
	url string
}

func overHTTP(measure func(*bench, *listening) (float64, error)) func(*bench) (float64, error) {
	return func(b *bench) (float64, error) {
		return listen(b, command{b.server, "serve", "--http=127.0.0.1:0", b.project.dir}, measure)
	}
}

func bare(measure func(*bench, *listening) (float64, error)) func(*bench) (float64, error) {
	return func(b *bench) (float64, error) { return listen(b, command{b.self, bareCommand, b.recorded()}, measure) }
}

// listen starts a server, which prints its URL to standard error, and measures it.
func listen(b *bench, c command, measure func(*bench, *listening) (float64, error)) (float64, error) {
	l := &listening{cmd: exec.Command(c[0], c[1:]...)}
	out, err := l.cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := l.cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = l.cmd.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(10*time.Second, func() { _ = l.cmd.Process.Kill() })
		defer timer.Stop()
		_ = l.cmd.Wait()
	}()
	lines := bufio.NewScanner(out)
	for l.url == "" && lines.Scan() {
		if _, after, ok := strings.Cut(lines.Text(), "http://"); ok {
			l.url = "http://" + strings.TrimSpace(after)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return measure(b, l)
}

// request returns a request in a session, or outside of sessions.
func (l *listening) request(session, body string) *http.Request {
	r, err := http.NewRequest(http.MethodPost, l.url, strings.NewReader(body))
	if err != nil {
		panic(err) // the server prints its URL
	}
	r.Header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	if session != "" {
		r.Header["Mcp-Session-Id"], r.Header["Mcp-Protocol-Version"] = []string{session}, []string{version}
	}
	return r
}

// ask sends a message, and returns the answer and the id of a session that it begins.
func (l *listening) ask(session, body string) (answer []byte, id string, err error) {
	r, err := http.DefaultClient.Do(l.request(session, body))
	if err != nil {
		return nil, "", err
	}
	defer r.Body.Close()
	if r.StatusCode >= 300 {
		return nil, "", errors.New(r.Status)
	}
	answer, err = io.ReadAll(r.Body)
	return answer, r.Header.Get("Mcp-Session-Id"), err
}

// begin begins a session, and returns its id.
func (l *listening) begin() (session string, err error) {
	if _, session, err = l.ask("", message(1, "initialize", initialize)); err == nil {
		_, _, err = l.ask(session, initialized)
	}
	return session, err
}

func readMessage(d document) string { return message(2, "resources/read", readParams(d)) }

// together calls do at the same time for the numbers below n.
func together(n int, do func(i int) error) error {
	var work sync.WaitGroup
	failures := make([]error, n)
	for i := range n {
		work.Go(func() { failures[i] = do(i) })
	}
	work.Wait()
	return errors.Join(failures...)
}

// heavy returns the peak memory of the server while many clients read a large file, in MB.
func heavy(b *bench, l *listening) (float64, error) {
	err := together(largeReads, func(int) error {
		session, err := l.begin()
		for range 4 {
			if err != nil {
				break
			}
			var body []byte
			body, _, err = l.ask(session, readMessage(b.project.blob))
			if err == nil {
				err = check(body, b.project.blob)
			}
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return peakOf(l.cmd.Process.Pid)
}

// crowd returns the rate of reads on many connections at the same time. Clients do as little work as possible, since they share
// the processors with the server.
func crowd(b *bench, l *listening) (float64, error) {
	const n = 40_000
	all := make([]*conn, manyConns)
	for i, d := range b.project.equal {
		session, err := l.begin()
		if err != nil {
			return 0, err
		}
		r := l.request(session, readMessage(d))
		c, err := net.Dial("tcp", r.Host)
		if err != nil {
			return 0, err
		}
		defer c.Close()
		all[i] = &conn{Conn: c, in: bufio.NewReaderSize(c, 64<<10)}
		if err := r.Write(&all[i].request); err != nil {
			return 0, err
		}
	}
	each := func(n int) error {
		return together(len(all), func(i int) error {
			for range n / len(all) {
				if err := all[i].repeat(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := each(n / 10); err != nil { // warms up the server
		return 0, err
	}
	start := time.Now()
	err := each(n)
	return n / time.Since(start).Seconds(), err
}

// A conn is a connection of HTTP/1.1, on which one request is sent again and again.
type conn struct {
	net.Conn
	request bytes.Buffer
	in      *bufio.Reader
}

// repeat sends the request, and skips the answer, whose head has a Content-Length of a file of 4 KB or more.
func (c *conn) repeat() error {
	if _, err := c.Write(c.request.Bytes()); err != nil {
		return err
	}
	length := 0
	for line := []byte{' '}; len(line) > 0; {
		var err error
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return fmt.Errorf("the server has ended the connection: %w", err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok { // the server writes canonical names
			length, _ = strconv.Atoi(string(value))
		}
	}
	if length < 4<<10 {
		return errors.New("the server does not answer with the file")
	}
	_, err := c.in.Discard(length)
	return err
}

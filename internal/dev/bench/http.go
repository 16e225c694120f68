package main

import (
	"bufio"
	"bytes"
	"errors"
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

func overHTTP(measure func(*bench, *listening) float64) func(*bench) float64 {
	return func(b *bench) float64 {
		return listen(b, command{b.server, "serve", "--http=127.0.0.1:0", b.project.dir}, measure)
	}
}

func bare(measure func(*bench, *listening) float64) func(*bench) float64 {
	return func(b *bench) float64 { return listen(b, command{b.self, bareCommand, b.recorded()}, measure) }
}

// listen starts a server, which prints its URL to standard error, and measures it.
func listen(b *bench, c command, measure func(*bench, *listening) float64) float64 {
	l := &listening{cmd: exec.Command(c[0], c[1:]...)}
	out := get(l.cmd.StderrPipe())
	do(l.cmd.Start())
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
	r := get(http.NewRequest(http.MethodPost, l.url, strings.NewReader(body)))
	r.Header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	if session != "" {
		r.Header["Mcp-Session-Id"], r.Header["Mcp-Protocol-Version"] = []string{session}, []string{version}
	}
	return r
}

// ask sends a message, and returns the answer and the id of a session that it begins.
func (l *listening) ask(session, body string) (answer []byte, id string) {
	r := get(http.DefaultClient.Do(l.request(session, body)))
	defer r.Body.Close()
	if r.StatusCode >= 300 {
		do(errors.New(r.Status))
	}
	return get(io.ReadAll(r.Body)), r.Header.Get("Mcp-Session-Id")
}

// begin begins a session, and returns its id.
func (l *listening) begin() (session string) {
	_, session = l.ask("", message(1, "initialize", initialize))
	l.ask(session, initialized)
	return session
}

func readMessage(d document) string { return message(2, "resources/read", readParams(d)) }

// together calls f at the same time for the numbers below n.
func together(n int, f func(i int)) {
	var work sync.WaitGroup
	failures := make([]error, n)
	for i := range n {
		work.Go(func() { failures[i] = try(func() { f(i) }) })
	}
	work.Wait()
	do(errors.Join(failures...))
}

// heavy returns the peak memory of the server while many clients read a large file, in MB.
func heavy(b *bench, l *listening) float64 {
	together(largeReads, func(int) {
		session := l.begin()
		for range 4 {
			body, _ := l.ask(session, readMessage(b.project.blob))
			check(body, b.project.blob)
		}
	})
	return peakOf(l.cmd.Process.Pid)
}

// crowd returns the rate of reads on many connections at the same time. Clients do as little work as possible, since they share
// the processors with the server.
func crowd(b *bench, l *listening) float64 {
	const n = 40_000
	all := make([]*conn, manyConns)
	for i, d := range b.project.equal {
		r := l.request(l.begin(), readMessage(d))
		c := get(net.Dial("tcp", r.Host))
		defer c.Close()
		all[i] = &conn{Conn: c, in: bufio.NewReaderSize(c, 64<<10)}
		do(r.Write(&all[i].request))
	}
	each := func(n int) {
		together(len(all), func(i int) {
			for range n / len(all) {
				all[i].repeat()
			}
		})
	}
	each(n / 10) // warms up the server
	start := time.Now()
	each(n)
	return n / time.Since(start).Seconds()
}

// A conn is a connection of HTTP/1.1, on which one request is sent again and again.
type conn struct {
	net.Conn
	request bytes.Buffer
	in      *bufio.Reader
}

// repeat sends the request, and skips the answer, whose head has a Content-Length of a file of 4 KB or more.
func (c *conn) repeat() {
	get(c.Write(c.request.Bytes()))
	length := 0
	for line := []byte{' '}; len(line) > 0; {
		line = bytes.TrimRight(get(c.in.ReadSlice('\n')), "\r\n")
		// The server writes canonical names of headers.
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(value))
		}
	}
	if length < 4<<10 {
		do(errors.New("the server does not answer with the file"))
	}
	get(c.in.Discard(length))
}

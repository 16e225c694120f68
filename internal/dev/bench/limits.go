package main

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sync/errgroup"
)

// Commands that make this program a server with all answers in memory. No server can be faster on this machine.
const (
	memoryCommand = "serve-from-memory"
	bareCommand   = "serve-bytes-over-http"
)

var servers = map[string]func(recorded string){
	memoryCommand: serveFromMemory,
	bareCommand:   serveBytes,
}

// A recording is results by the method and the parameters of their requests, and a whole answer for the bare server.
type recording map[string][]byte

func (b *bench) recorded() string { return filepath.Join(b.dir, "recorded") }

// record writes the results of the requests of the figures to a file.
func (b *bench) record() {
	s := start(b.command())
	defer s.stop()
	s.handshake()
	results := recording{"initialize " + initialize: []byte("{}}\n")}
	keep := func(method, params string) []byte {
		line := s.ask(method, params)
		_, result, ok := bytes.Cut(line, []byte(`"result":`))
		if !ok {
			do(fmt.Errorf("%s %s: %.200s", method, params, line))
		}
		results[method+" "+params] = bytes.Clone(result)
		return line
	}
	for params := "{}"; params != ""; {
		params = nextPage(keep("resources/list", params))
	}
	keep("resources/read", readParams(b.project.text))
	results[bareCommand] = bytes.Clone(s.ask("resources/read", readParams(b.project.equal[0])))
	file := get(os.Create(b.recorded()))
	defer file.Close()
	do(gob.NewEncoder(file).Encode(results))
}

func load(recorded string) (results recording) {
	file := get(os.Open(recorded))
	defer file.Close()
	do(gob.NewDecoder(file).Decode(&results))
	return results
}

// serveFromMemory answers lines with recorded results. One goroutine reads and writes, since answers need no waiting.
func serveFromMemory(recorded string) {
	results := load(recorded)
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			return
		}
		do(err)
		var request struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		do(json.Unmarshal(line, &request))
		if request.ID == nil {
			continue
		}
		result := results[request.Method+" "+string(request.Params)]
		if result == nil {
			do(fmt.Errorf("no answer to %.200s", line))
		}
		head := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":`, request.ID)
		// One system call is faster; copying more bytes would take longer than a second call.
		if len(result) < 1<<16 {
			head, result = append(head, result...), nil
		}
		get(os.Stdout.Write(head))
		get(os.Stdout.Write(result))
	}
}

// serveBytes answers each request over HTTP with the answer to a small read.
func serveBytes(recorded string) {
	answer := load(recorded)[bareCommand]
	listener := get(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Fprintf(os.Stderr, "http://%s/mcp\n", listener.Addr())
	do(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	})))
}

// walk measures how long this machine takes to read the tree with the size and time of each file, on all processors.
func walk(b *bench) float64 {
	var group errgroup.Group
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	var read func(dir string) error
	read = func(dir string) error {
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			if !e.IsDir() {
				if _, failed := e.Info(); failed != nil {
					err = failed
				}
				continue
			}
			below := func() error { return read(filepath.Join(dir, e.Name())) }
			if !group.TryGo(below) {
				err = errors.Join(err, below())
			}
		}
		return err
	}
	return repeated(1, func() { do(errors.Join(read(filepath.Join(b.project.dir, "resources")), group.Wait())) })
}

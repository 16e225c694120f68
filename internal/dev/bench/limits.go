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

var servers = map[string]func(recorded string) error{
	memoryCommand: serveFromMemory,
	bareCommand:   serveBytes,
}

// A recording is results by the method and the parameters of their requests, and a whole answer for the bare server.
type recording map[string][]byte

func (b *bench) recorded() string { return filepath.Join(b.dir, "recorded") }

// record writes the results of the requests of the figures to a file.
func (b *bench) record() error {
	s, err := start(b.command())
	if err != nil {
		return err
	}
	defer s.stop()
	results := recording{"initialize " + initialize: []byte("{}}\n")}
	keep := func(method, params string) ([]byte, error) {
		line, err := s.ask(method, params)
		if _, result, ok := bytes.Cut(line, []byte(`"result":`)); ok {
			results[method+" "+params] = bytes.Clone(result)
		} else if err == nil {
			err = fmt.Errorf("%s %s: %.200s", method, params, line)
		}
		return line, err
	}
	for params := "{}"; params != ""; {
		line, err := keep("resources/list", params)
		if err != nil {
			return err
		}
		params = nextPage(line)
	}
	if _, err := keep("resources/read", readParams(b.project.text)); err != nil {
		return err
	}
	small, err := s.ask("resources/read", readParams(b.project.equal[0]))
	if err != nil {
		return err
	}
	results[bareCommand] = bytes.Clone(small)
	file, err := os.Create(b.recorded())
	if err != nil {
		return err
	}
	defer file.Close()
	return gob.NewEncoder(file).Encode(results)
}

func load(recorded string) (results recording, err error) {
	file, err := os.Open(recorded)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = gob.NewDecoder(file).Decode(&results)
	return results, err
}

// serveFromMemory answers lines with recorded results. One goroutine reads and writes, since answers need no waiting.
func serveFromMemory(recorded string) error {
	results, err := load(recorded)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var request struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if err := json.Unmarshal(line, &request); err != nil {
			return err
		}
		if request.ID == nil {
			continue
		}
		result := results[request.Method+" "+string(request.Params)]
		if result == nil {
			return fmt.Errorf("no answer to %.200s", line)
		}
		head := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":`, request.ID)
		if len(result) < 1<<16 { // one system call; copying more bytes takes longer than a second call
			head, result = append(head, result...), nil
		}
		for _, part := range [][]byte{head, result} {
			if _, err := os.Stdout.Write(part); err != nil {
				return err
			}
		}
	}
}

// serveBytes answers each request over HTTP with the answer to a small read.
func serveBytes(recorded string) error {
	results, err := load(recorded)
	if err != nil {
		return err
	}
	answer := results[bareCommand]
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "http://%s/mcp\n", listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	}))
}

// walk measures how long this machine takes to read the tree with the size and time of each file, on all processors.
func walk(b *bench) (float64, error) {
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
	return repeated(1, func() error { return errors.Join(read(filepath.Join(b.project.dir, "resources")), group.Wait()) })
}

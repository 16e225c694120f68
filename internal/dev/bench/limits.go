package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// memoryCommand makes this program a server with all answers in memory. No server can be faster on this
// machine.
const memoryCommand = "serve-from-memory"

// keyOf returns the key of the answer to a request.
func keyOf(method string, params []byte) []byte {
	return append(append([]byte(method), ' '), params...)
}

// record writes the answers of the program to the requests of the figures to a file.
func (b *bench) record(c command, name string) error {
	s, err := start(c)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.ready(); err != nil {
		return err
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	keep := func(method, params string) ([]byte, error) {
		line, err := s.ask(method, params)
		if err != nil {
			return nil, err
		}
		_, result, ok := bytes.Cut(line, []byte(`"result":`))
		if !ok {
			return nil, fmt.Errorf("%s %s: %.200s", method, params, line)
		}
		for _, part := range [][]byte{keyOf(method, []byte(params)), result} {
			if err := binary.Write(out, binary.LittleEndian, uint32(len(part))); err != nil {
				return nil, err
			}
			if _, err := out.Write(part); err != nil {
				return nil, err
			}
		}
		return line, nil
	}
	for params := "{}"; params != ""; {
		line, err := keep("resources/list", params)
		if err != nil {
			return err
		}
		params = ""
		if _, cursor, more := bytes.Cut(line, []byte(`"nextCursor":"`)); more {
			cursor, _, _ = bytes.Cut(cursor, []byte(`"`))
			params = fmt.Sprintf(`{"cursor":%q}`, cursor)
		}
	}
	if _, err := keep("resources/read", readParams(b.project.text)); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// serveFromMemory answers lines with the answers that record wrote. One goroutine reads and writes,
// since answers need no waiting.
func serveFromMemory(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	answers := make(map[string][]byte)
	next := func() []byte {
		n := binary.LittleEndian.Uint32(data)
		part := data[4 : 4+n]
		data = data[4+n:]
		return part
	}
	for len(data) > 0 {
		key := next()
		answers[string(key)] = next()
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
		result := answers[string(keyOf(request.Method, request.Params))]
		if request.Method == "initialize" {
			result = []byte("{}}\n")
		}
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

// limit prints how long this machine takes to read the tree with the size and time of each file.
func (b *bench) limit() error {
	const name = "limit: a walk with the size and time of each file"
	if !b.wanted(name) {
		return nil
	}
	took, err := repeated(b.rounds, func() error {
		return parallelWalk(filepath.Join(b.project.dir, "resources"), func(entries []fs.DirEntry) error {
			for _, e := range entries {
				if _, err := e.Info(); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(b.out, "%s\t\t%s\t\n", name, show(took, "ms"))
	return b.out.Flush()
}

// parallelWalk calls visit with the entries of each folder, on all processors.
func parallelWalk(root string, visit func([]fs.DirEntry) error) error {
	var group sync.WaitGroup
	var once sync.Once
	var failed error
	places := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := os.ReadDir(dir)
		if err == nil {
			err = visit(entries)
		}
		if err != nil {
			once.Do(func() { failed = err })
			return
		}
		for _, e := range entries {
			if !e.IsDir() {
				continue
			}
			below := filepath.Join(dir, e.Name())
			select {
			case places <- struct{}{}:
				group.Go(func() {
					walk(below)
					<-places
				})
			default:
				walk(below)
			}
		}
	}
	walk(root)
	group.Wait()
	return failed
}

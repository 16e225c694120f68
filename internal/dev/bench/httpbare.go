package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

// bareCommand makes this program the server that HTTP is compared with.
const bareCommand = "serve-bytes-over-http"

// serveBytes answers each request from memory with the bytes of the file that its path names. No server
// on net/http can be faster.
func serveBytes(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	answers := make(map[string][]byte)
	for _, name := range names {
		answer, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		answers["/"+filepath.Base(name)] = answer
	}
	return listenAndServe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		answer := answers[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	}))
}

func listenAndServe(handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	path := "/mcp"
	if len(os.Args) > 3 {
		path = os.Args[3]
	}
	fmt.Fprintf(os.Stderr, "http://%s%s\n", listener.Addr(), path)
	return http.Serve(listener, handler)
}

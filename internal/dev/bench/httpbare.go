package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
)

// bareCommand makes this program the server that HTTP is compared with.
const bareCommand = "serve-bytes-over-http"

// serveBytes answers each request from memory with the bytes of a file. No server on net/http can be
// faster.
func serveBytes(name string) error {
	answer, err := os.ReadFile(name)
	if err != nil {
		return err
	}
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

package web

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
)

// A certificate is the certificate of a server with TLS and its key, in two files.
//
// The files are read again when one of them changes. A pair that cannot be read, does not match
// or has expired is refused: at the start with an error, later with a line in the log, and the old
// pair stays in use. Open connections keep their certificate.
type certificate struct {
	certFile, keyFile string
	files             *auth.FileGroup
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]
}

// loadCertificate reads the two PEM files. Both names are required.
func loadCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	if certFile == "" || keyFile == "" {
		return nil, fmt.Errorf("TLS needs a certificate and its key: give --tls-cert and --tls-key together, each with a file")
	}
	c := &certificate{certFile: certFile, keyFile: keyFile, files: auth.FollowFile(certFile, keyFile), log: log}
	pair, err := c.read()
	if err != nil {
		return nil, err
	}
	c.current.Store(pair)
	return c, nil
}

// config returns settings for a server that uses the pair, with TLS 1.2 or later.
func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil }}
}

// run follows the files until ctx ends.
func (c *certificate) run(ctx context.Context) {
	c.files.Run(ctx, func() {
		pair, err := c.read()
		if err != nil {
			c.log.Error("the changed TLS certificate is refused; the old one stays in use", "error", err)
			return
		}
		c.current.Store(pair)
		c.log.Info("the TLS certificate was read again", "file", c.certFile, "expires", pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	})
}

func (c *certificate) read() (*tls.Certificate, error) {
	cert, err := auth.ReadFile(c.certFile, slog.New(slog.DiscardHandler)) // everybody may read a certificate
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %w", err)
	}
	key, err := auth.ReadFile(c.keyFile, c.log)
	if err != nil {
		return nil, fmt.Errorf("TLS key %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %q with key %q: they must be a certificate and its key in the form PEM: %s", c.certFile, c.keyFile, strings.TrimPrefix(err.Error(), "tls: "))
	}
	if end := pair.Leaf.NotAfter; time.Now().After(end) {
		return nil, fmt.Errorf("TLS certificate %q expired on %s", c.certFile, end.UTC().Format(time.RFC3339))
	}
	return &pair, nil
}

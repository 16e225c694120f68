// Package certificate keeps the certificate of a TLS server up to date with its files.
//
// The two files are read again when one of them changes. A pair that cannot be read, does not match
// or has expired is refused: at the start with an error, later with a line in the log, and the old
// pair stays in use. Open connections keep their certificate.
package certificate

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/secretfile"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/follow"
)

// A Pair is a certificate and its key in two files.
type Pair struct {
	certFile, keyFile string
	files             *follow.Group
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]
}

// Load reads the two PEM files. Both names are required.
func Load(certFile, keyFile string, log *slog.Logger) (*Pair, error) {
	if certFile == "" || keyFile == "" {
		return nil, fmt.Errorf("TLS needs a certificate and its key: give --tls-cert and --tls-key together, each with a file")
	}
	p := &Pair{certFile: certFile, keyFile: keyFile, files: follow.New(certFile, keyFile), log: log}
	pair, err := p.read()
	if err != nil {
		return nil, err
	}
	p.current.Store(pair)
	return p, nil
}

// Config returns settings for a server that uses the pair, with TLS 1.2 or later.
func (p *Pair) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.current.Load(), nil }}
}

// Run follows the files until ctx ends.
func (p *Pair) Run(ctx context.Context) {
	p.files.Run(ctx, func() {
		pair, err := p.read()
		if err != nil {
			p.log.Error("the changed TLS certificate is refused; the old one stays in use", "error", err)
			return
		}
		p.current.Store(pair)
		p.log.Info("the TLS certificate was read again", "file", p.certFile, "expires", pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	})
}

func (p *Pair) read() (*tls.Certificate, error) {
	cert, err := secretfile.Read(p.certFile, slog.New(slog.DiscardHandler)) // everybody may read a certificate
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %w", err)
	}
	key, err := secretfile.Read(p.keyFile, p.log)
	if err != nil {
		return nil, fmt.Errorf("TLS key %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %q with key %q: they must be a certificate and its key in the form PEM: %s", p.certFile, p.keyFile, strings.TrimPrefix(err.Error(), "tls: "))
	}
	if end := pair.Leaf.NotAfter; time.Now().After(end) {
		return nil, fmt.Errorf("TLS certificate %q expired on %s", p.certFile, end.UTC().Format(time.RFC3339))
	}
	return &pair, nil
}

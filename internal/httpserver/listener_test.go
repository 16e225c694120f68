package httpserver

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
)

// limited serves at most some connections, and returns a function that connects from an address and returns the status of a request.
// closed, which may be nil, gets a value when a connection is closed.
func limited(t *testing.T, most int, log io.Writer, closed chan<- struct{}) (get func(from string) (net.Conn, string)) {
	t.Helper()
	tcp := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	l := newListener(tcp, Options{MaxConnections: most, Logger: slog.New(slog.NewTextHandler(log, nil))})
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed && closed != nil {
			closed <- struct{}{}
		}
	}}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { s.Close() })
	return func(from string) (net.Conn, string) {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.Dial("tcp", tcp.Addr().String())
		if err != nil {
			t.Skip("the system has no further address: ", err)
		}
		t.Cleanup(func() { c.Close() })
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: test\r\n\r\n")
		line, _ := bufio.NewReader(c).ReadString('\n') // a refused connection may be reset
		return c, strings.TrimSpace(line)
	}
}

// Connections beyond the limit are refused until one is closed.
func TestTooManyConnections(t *testing.T) {
	log, closed := make(lines, 10), make(chan struct{}, 10)
	get := limited(t, 2, log, closed)
	const from = "127.0.0.1"
	first, answer := get(from)
	if answer != "HTTP/1.1 200 OK" {
		t.Fatal(answer)
	}
	if _, answer = get(from); answer != "HTTP/1.1 200 OK" {
		t.Fatal(answer)
	}
	for range 3 {
		c, answer := get(from)
		if answer != "" && answer != "HTTP/1.1 503 Service Unavailable" {
			t.Errorf("one connection too many gets %q", answer)
		}
		c.Close()
	}
	first.Close()
	<-closed
	if _, answer = get(from); answer != "HTTP/1.1 200 OK" {
		t.Errorf("when there is room again, a connection gets %q", answer)
	}
	if n := len(log); n != 1 {
		t.Errorf("%d lines are logged", n)
	}
}

// An address with very many connections does not keep others out.
func TestConnectionsOfOneAddress(t *testing.T) {
	get := limited(t, 20, io.Discard, nil)
	for range 50 { // idle connections
		get("127.0.0.5")
	}
	for i := range 10 {
		if _, answer := get("127.0.0.6"); answer != "HTTP/1.1 200 OK" {
			t.Fatalf("connection %d of another address gets %q", i, answer)
		}
	}
	if _, answer := get("127.0.0.6"); answer == "HTTP/1.1 200 OK" {
		t.Error("an address gets more than its share")
	}
}

// issueCertificate writes a self-signed certificate for a name, and its key.
func issueCertificate(t *testing.T, certFile, keyFile, name string, end time.Time) {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: end.Add(-time.Hour), NotAfter: end}
	cert := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	der := must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: der}} {
		must.Write(t, file, string(pem.EncodeToMemory(block)))
	}
}

func nameOf(t *testing.T, p *certificate) string {
	t.Helper()
	c := must.Get(p.config().GetCertificate(nil))(t)
	return c.Leaf.Subject.CommonName
}

func TestCertificateFollowsItsFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	synctest.Test(t, func(t *testing.T) {
		soon := time.Now().Add(30 * time.Minute)
		issueCertificate(t, cert, key, "first", soon)
		var log bytes.Buffer
		p := must.Get(loadCertificate(cert, key, slog.New(slog.NewTextHandler(&log, nil))))(t)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); p.run(ctx) }()
		settle := func() { time.Sleep(3 * auth.FileInterval); synctest.Wait() }

		issueCertificate(t, cert, key, "second", soon)
		settle()
		must.Equal(t, "second", nameOf(t, p), "after a change")

		issueCertificate(t, cert, filepath.Join(dir, "other.pem"), "no match", soon)
		settle()
		must.Equal(t, "second", nameOf(t, p), "with a key that does not match")
		if !strings.Contains(log.String(), "private key does not match public key") {
			t.Errorf("log: %s", &log)
		}

		issueCertificate(t, cert, key, "past", time.Now().Add(-time.Minute))
		settle()
		if got := nameOf(t, p); got != "second" || !strings.Contains(log.String(), "expired on") {
			t.Errorf("with an expired one: %q, log %s", got, &log)
		}

		issueCertificate(t, cert, key, "third", soon)
		settle()
		must.Equal(t, "third", nameOf(t, p), "after a good one again")
		cancel()
		<-done
	})
}

func TestCertificateRefusedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	cert, key, none := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "none")
	issueCertificate(t, cert, key, "old", time.Now().Add(-time.Hour))
	for _, test := range []struct{ cert, key, want string }{
		{cert, "", "--tls-cert and --tls-key together"},
		{"", key, "--tls-cert and --tls-key together"},
		{none, key, "none"},
		{key, key, "key.pem"},
		{cert, key, "expired on"},
	} {
		if _, err := loadCertificate(test.cert, test.key, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("loadCertificate(%q, %q) = %v, want an error with %q", test.cert, test.key, err, test.want)
		}
	}
}

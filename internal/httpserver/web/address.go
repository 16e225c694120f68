package web

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// DefaultAddr is the address that a server listens on if no option names another.
const DefaultAddr = "127.0.0.1:3060"

// urls returns the URLs of the endpoints.
func (s *server) urls(addr net.Addr, secure bool) []string {
	host := addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = append(s.options.Hosts.AllowHosts, "localhost")[0] // an allowed host is what clients on other computers can use
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(tcp.Port))
		}
	}
	base := "http://" + host
	if secure {
		base = "https://" + host
	}
	if s.options.Hosts.PublicURL != "" {
		base = strings.TrimSuffix(s.options.Hosts.PublicURL, "/")
	}
	urls := []string{base + mcpPath}
	if len(s.options.Sites) > 1 {
		for _, site := range s.options.Sites {
			urls = append(urls, base+"/"+site.Name+mcpPath)
		}
	}
	return urls
}

// checkAuth refuses to serve a network without authentication, unless the options say so
// explicitly.
func checkAuth(o Options) error {
	asked := o.Auth.TokenFile != nil || o.Auth.Token != nil || o.Auth.Issuer != nil
	if asked && o.NoAuth {
		return errors.New("--no-auth contradicts --token-file, --oauth-issuer and " + auth.TokenVariable + ": leave one side out")
	}
	if asked || o.NoAuth || isLoopback(o.Addr) {
		return nil
	}
	return fmt.Errorf("%s can be reached from other computers, and the server has no authentication: "+
		"give --token-file FILE or --oauth-issuer URL, or --no-auth if everybody may", o.Addr)
}

// isLoopback reports whether only this computer can reach a listening address.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && hosts.IsLocal(host)
}

// Private reports whether only programs of this computer can reach the server, so that it may show
// what is only for its author and operator. A proxy on this computer can make a loopback address
// public, so the options that a proxy needs count too.
func (o Options) Private() bool { return isLoopback(o.Addr) && !o.Hosts.ForeignNames() }

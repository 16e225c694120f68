package web

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
)

// DefaultAddr is where a server listens unless an option names another address.
const DefaultAddr = "127.0.0.1:3060"

// urls are those of the endpoints.
func (s *server) urls(addr net.Addr, secure bool) []string {
	base := "http://" + reachable(addr)
	if secure {
		base = "https://" + reachable(addr)
	}
	if s.options.PublicURL != "" {
		base = strings.TrimSuffix(s.options.PublicURL, "/")
	}
	urls := []string{base + mcpPath}
	if len(s.options.Sites) > 1 {
		for _, site := range s.options.Sites {
			urls = append(urls, base+"/"+site.Name+mcpPath)
		}
	}
	return urls
}

// reachable is an address to listen on as this computer reaches it: one that stands for all
// addresses is none to connect to.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}

// checkAuth refuses to serve a network without authentication, unless that is what was asked for.
func checkAuth(o Options) error {
	asked := o.TokenFile != nil || o.Token != nil || o.Issuer != nil
	if asked && o.NoAuth {
		return errors.New("--no-auth contradicts --token-file, --oauth-issuer and " + auth.TokenVariable + ": leave one side out")
	}
	if o.Issuer == nil && (len(o.Audience) > 0 || len(o.Scopes) > 0) {
		return errors.New("--oauth-audience and --oauth-scope need --oauth-issuer")
	}
	if asked || o.NoAuth || isLoopback(o.Addr) {
		return nil
	}
	return fmt.Errorf("%s can be reached from other computers, and nothing says who may read the project: "+
		"give --token-file FILE or --oauth-issuer URL, or --no-auth if everybody may", o.Addr)
}

// isLoopback reports whether an address to listen on is reached from this computer only.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// Private reports whether only programs of this computer reach the server. It is then shown what
// is for its author and operator alone. A proxy on this computer can make a loopback address
// public, so options that a proxy needs count as well.
func (o Options) Private() bool { return isLoopback(o.Addr) && !o.gate().ForeignNames() }

// gate returns the options that the gate decides by, without the address that the server listens on.
func (o Options) gate() gate.Options {
	return gate.Options{
		PublicURL: o.PublicURL, AllowHosts: o.AllowHosts, AllowOrigins: o.AllowOrigins, TrustedProxies: o.TrustedProxies, Logger: o.Logger,
	}
}

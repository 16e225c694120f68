package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

var errURL = errors.New("is not the URL of a PostgreSQL database, such as postgres://user@db.example.com/docs")

// CheckURL returns an error if a text is not the URL of a database, and reports whether it contains a password. The error
// does not repeat the text.
func CheckURL(text string) (password bool, err error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return false, errURL
	}
	_, password = u.User.Password()
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return false, errURL
	}
	return password || query.Has("password") || query.Has("sslpassword"), nil
}

// parse returns the configuration for a URL. Beyond this computer, the certificate of the database is verified unless the
// URL has an sslmode.
func parse(text string) (*pgxpool.Config, error) {
	text = strings.TrimSpace(text)
	if _, err := CheckURL(text); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(text)
	u, _ := url.Parse(text)
	if query := u.Query(); err == nil && !query.Has("sslmode") && !local(config.ConnConfig) {
		query.Set("sslmode", "verify-full")
		u.RawQuery = query.Encode()
		config, err = pgxpool.ParseConfig(u.String())
	}
	if err != nil {
		return nil, fmt.Errorf("the URL of the store cannot be used: %s", reason(err))
	}
	config.ConnConfig.ConnectTimeout = connectTimeout
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // has no named statements, which PgBouncer would mix up
	if _, ok := config.ConnConfig.RuntimeParams["application_name"]; !ok {
		config.ConnConfig.RuntimeParams["application_name"] = "mcp-docs-server"
	}
	return config, nil
}

// local reports whether all hosts of a configuration are this computer.
func local(c *pgx.ConnConfig) bool {
	hosts := []string{c.Host}
	for _, f := range c.Fallbacks {
		hosts = append(hosts, f.Host)
	}
	for _, host := range hosts {
		addr, err := netip.ParseAddr(host)
		if !strings.HasPrefix(host, "/") && !strings.HasPrefix(host, "@") && host != "localhost" && (err != nil || !addr.IsLoopback()) {
			return false
		}
	}
	return true
}

// network reports whether an error is one of the network.
func network(err error) bool {
	var n net.Error
	return errors.As(err, &n) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, context.DeadlineExceeded) || pgconn.SafeToRetry(err)
}

// reason returns the innermost error as text: the outer ones repeat the URL, or name the user.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it does not answer"
	}
	for {
		inner := errors.Unwrap(err)
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			inner = joined.Unwrap()[len(joined.Unwrap())-1]
		}
		if _, ok := err.(*net.OpError); ok || inner == nil { // an OpError names the address
			return fserr.Words(err)
		}
		err = inner
	}
}

//go:build !unix

package outbound

import (
	"errors"
	"net"
	"os"
	"time"
)

// arrived reports whether there is something to read from a connection, be it its end.
func arrived(conn net.Conn) bool {
	_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := conn.Read(make([]byte, 1))
	return conn.SetReadDeadline(time.Time{}) != nil || !errors.Is(err, os.ErrDeadlineExceeded)
}

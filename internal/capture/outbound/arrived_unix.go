//go:build unix

package outbound

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// arrived reports whether there is something to read from a connection, be it its end.
func arrived(conn net.Conn) bool {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return true
	}
	var b [1]byte
	var peeked error
	err = raw.Read(func(fd uintptr) bool {
		for {
			if _, _, peeked = unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK); peeked != unix.EINTR {
				return true // it does not wait
			}
		}
	})
	return err != nil || peeked != unix.EAGAIN
}

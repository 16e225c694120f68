package fserr

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestReason(t *testing.T) {
	notInFolder := "is not a folder, or is not in one"
	if runtime.GOOS == "windows" { // it has one error for this and for a folder that does not exist
		notInFolder = "no such file or folder"
	}
	open := &fs.PathError{Op: "open", Path: "/srv/a.md", Err: fs.ErrPermission}
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New("is odd"), "is odd"},
		{open, "permission denied"},
		{fmt.Errorf("is not served: %w", open), "is not served: permission denied"},
		{&fs.PathError{Op: "stat", Path: "/srv", Err: open}, "permission denied"},
		{fmt.Errorf("move: %w", &os.LinkError{Op: "rename", Old: "/srv/a", New: "/srv/b", Err: fs.ErrExist}), "move: file already exists"},
		{&fs.PathError{Op: "open", Path: "/srv/a", Err: syscall.ENOENT}, "no such file or folder"},
		{&fs.PathError{Op: "mkdir", Path: "/srv/a", Err: syscall.ENOTDIR}, notInFolder},
		{errors.Join(open, &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}, Err: &os.SyscallError{Syscall: "connect", Err: syscall.ECONNREFUSED}}), "permission denied\n127.0.0.1:9: connection refused"},
		{&exec.Error{Name: "x", Err: exec.ErrNotFound}, "no such program"},
		{fmt.Errorf("is wrong: %w", &net.DNSError{Err: "no such host", Name: "a.example", Server: "10.0.0.1", IsNotFound: true}), "is wrong: there is no host a.example"},
	} {
		must.Equal(t, test.want, Reason(test.err), "Reason ", test.err)
	}
}

func TestFull(t *testing.T) {
	for _, err := range full {
		if !Full(&fs.PathError{Op: "write", Path: "/srv/a.md", Err: err}) {
			t.Errorf("%v is not an error of the disk", err)
		}
	}
	for _, err := range []error{nil, fs.ErrPermission, fs.ErrNotExist, errors.New("is odd")} {
		if Full(err) {
			t.Errorf("%v is an error of the disk", err)
		}
	}
}

package project

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A mount is a file system in user space with one file, a.md. While it hangs, it answers nothing. Another process serves it, because a
// call of this process that waits for an answer may stop all of its goroutines.
type mount struct {
	dev  *os.File
	mu   sync.Mutex // held while the file system hangs
	text string
}

// mountVariable has the folders of the mounts, in the process that serves them.
const mountVariable = "MCP_DOCS_TEST_MOUNTS"

// TestMountServer is the process that serves mounts. It hangs and answers as its input says, which ends with the test.
func TestMountServer(t *testing.T) {
	dirs := filepath.SplitList(os.Getenv(mountVariable))
	if len(dirs) == 0 {
		return // this is the process of all other tests
	}
	var mounts []*mount
	for _, dir := range dirs {
		fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
		if err == nil {
			err = syscall.Mount("test", dir, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd))
		}
		if err != nil {
			fmt.Println("no", err)
			return
		}
		m := &mount{dev: os.NewFile(uintptr(fd), "fuse"), text: "# Remote\n"}
		mounts = append(mounts, m)
		defer m.dev.Close()
		defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
		go m.serve()
	}
	fmt.Println("ok")
	for commands := bufio.NewScanner(os.Stdin); commands.Scan(); fmt.Println("ok") {
		for _, m := range mounts {
			if commands.Text() == "hang" {
				m.mu.Lock()
			} else {
				m.mu.Unlock()
			}
		}
	}
}

// serveMounts starts the process that serves mounts, and returns a function that makes them hang or answer.
func serveMounts(t *testing.T, dirs ...string) (hang func(bool)) {
	t.Helper()
	for _, dir := range dirs {
		must.Do(t, os.MkdirAll(dir, 0o700))
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMountServer$")
	cmd.Env = append(os.Environ(), mountVariable+"="+strings.Join(dirs, string(filepath.ListSeparator)))
	in, err := cmd.StdinPipe()
	must.Do(t, err)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	must.Do(t, err)
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	answers := bufio.NewScanner(out)
	if answers.Scan(); answers.Text() != "ok" {
		t.Skip("this user cannot mount a file system in user space: ", answers.Text())
	}
	for _, dir := range dirs {
		// The kernel asks each file system once whether files can be polled. It must not ask while the file system hangs: that call keeps a
		// processor of Go.
		file := must.Get(syscall.Open(filepath.Join(dir, "a.md"), syscall.O_RDONLY|syscall.O_CLOEXEC, 0))(t)
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(file), Events: unix.POLLIN}}, 0)
		syscall.Close(file)
	}
	return func(hang bool) {
		t.Helper()
		fmt.Fprintln(in, map[bool]string{true: "hang", false: "answer"}[hang])
		if answers.Scan(); answers.Text() != "ok" {
			t.Fatal("the process that serves the mounts has ended")
		}
	}
}

// serve answers requests (linux/fuse.h) until the file system is gone.
func (m *mount) serve() {
	var pool sync.WaitGroup
	defer pool.Wait()
	for {
		request := make([]byte, 1<<20)
		n, err := syscall.Read(int(m.dev.Fd()), request)
		if err == syscall.EINTR || err == syscall.ENOENT {
			continue
		}
		if err != nil {
			return
		}
		pool.Go(func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.answer(request[:n])
		})
	}
}

func (m *mount) answer(request []byte) {
	native := binary.NativeEndian
	attr := func(file bool) []byte {
		b := make([]byte, 88)
		native.PutUint64(b, 1)
		native.PutUint32(b[60:], syscall.S_IFDIR|0o755)
		if file {
			native.PutUint64(b, 2)
			native.PutUint64(b[8:], uint64(len(m.text)))
			native.PutUint32(b[60:], syscall.S_IFREG|0o644)
		}
		native.PutUint32(b[64:], 1)
		return b
	}
	node := native.Uint64(request[16:])
	body, errno := []byte{}, syscall.Errno(0)
	switch opcode := native.Uint32(request[4:]); opcode {
	case 1: // LOOKUP
		if string(request[40:]) != "a.md\x00" {
			errno = syscall.ENOENT
			break
		}
		body = make([]byte, 40)
		native.PutUint64(body, 2)
		body = append(body, attr(true)...)
	case 3: // GETATTR
		body = append(make([]byte, 16), attr(node == 2)...)
	case 14, 27: // OPEN, OPENDIR
		body = make([]byte, 16)
	case 15: // READ
		if offset := native.Uint64(request[48:]); offset < uint64(len(m.text)) {
			body = []byte(m.text[offset:])
		}
	case 26: // INIT
		body = make([]byte, 64)
		native.PutUint32(body, 7)
		native.PutUint32(body[4:], 31)
		native.PutUint32(body[20:], 1<<16)
	case 28: // READDIR
		if native.Uint64(request[48:]) == 0 {
			body = make([]byte, 32)
			native.PutUint64(body, 2)
			native.PutUint64(body[8:], 1)
			native.PutUint32(body[16:], 4)
			copy(body[24:], "a.md")
		}
	case 17, 18, 25, 29: // STATFS, RELEASE, FLUSH, RELEASEDIR
		if opcode == 17 {
			body = make([]byte, 80)
		}
	case 2, 36, 42: // FORGET, INTERRUPT, BATCH_FORGET
		return
	default:
		errno = syscall.ENOSYS
	}
	reply := make([]byte, 16, 16+len(body))
	native.PutUint32(reply, uint32(16+len(body)))
	native.PutUint32(reply[4:], uint32(-int32(errno)))
	copy(reply[8:16], request[8:16])
	_, _ = syscall.Write(int(m.dev.Fd()), append(reply, body...))
}

// A file system that hangs is left out until it answers, and everything else of the project is served and followed.
func TestMountThatHangs(t *testing.T) {
	dir := given.Folder(t, "docs/b.md=# Bell\n", "resources/x/h/b=b", "prompts/b.md=b")
	write := given.In(t, dir).Write
	hang := serveMounts(t, filepath.Join(dir, "docs/remote"), filepath.Join(dir, "resources/x/h/remote"), filepath.Join(dir, "prompts/remote"))
	hang(true)
	p, _, err := Locate(t.Context(), Options{Dir: dir})
	must.Do(t, err)
	t.Cleanup(p.Close)
	var logged strings.Builder
	var mu sync.Mutex
	live, err := p.Live(LiveOptions{Logger: slog.New(slog.NewTextHandler(writer(func(b []byte) { mu.Lock(); defer mu.Unlock(); logged.Write(b) }), nil))})
	must.Do(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- live.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	serves := func(want string) {
		t.Helper()
		got := ""
		for deadline := time.Now().Add(2 * time.Minute); got != want; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				mu.Lock()
				defer mu.Unlock()
				t.Fatalf("it serves %s, want %s; log:\n%s", got, want, &logged)
			}
			if catalog := live.catalog.Peek(); catalog != nil {
				got = fmt.Sprint(live.documents.Peek().Len(), catalog.Len(), len(live.prompts.Peek().Prompts()))
			}
		}
	}
	serves("1 1 1")
	write("docs/c.md", "# C\n")
	write("resources/x/h/c", "c")
	write("prompts/c.md", "c")
	serves("2 2 2")
	hang(false)
	serves("3 3 3")
	hang(true) // a mount that stalls later
	write("docs/d.md", "# D\n")
	write("resources/x/h/d", "d")
	write("prompts/d.md", "d")
	must.Do(t, os.Remove(filepath.Join(dir, "docs/b.md")))
	if text, err := fs.ReadFile(p.Files, "docs/d.md"); string(text) != "# D\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	must.Until(t, "changes", func() bool {
		_, resource := live.catalog.Peek().Lookup("x://h/d")
		_, prompt := live.prompts.Peek().Get("d")
		return resource && prompt && live.documents.Peek().Len() <= 3
	})
	hang(false)
	serves("3 4 4")
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

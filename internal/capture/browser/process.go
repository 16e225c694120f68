package browser

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

const (
	folderPrefix = "mcp-docs-server-browser-"
	lockName     = "owner"
	// newFolder is how long a folder may have no lock: its owner may have just made it.
	newFolder = 10 * time.Minute
	// removeTime is how long killed processes may still write to the folder.
	removeTime = 3 * time.Second
)

// flagList has the arguments of every browser.
//
//go:embed flags.txt
var flagList string

// kept are the environment variables that a browser gets. Keys of services are not among them.
var kept = []string{
	"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH", "CHROME_DEVEL_SANDBOX",
	"SystemRoot", "SystemDrive", "windir", "ComSpec", "TEMP", "TMP", "ProgramFiles", "ProgramFiles(x86)", "ProgramData", "LOCALAPPDATA", "APPDATA", "USERPROFILE",
}

// A process is a browser that this program has started, with a folder for all its files.
type process struct {
	cmd    *exec.Cmd
	folder *folder
	output *output
	unbind func() // nil: the system has no bound
	exited chan struct{}
	err    error // of [exec.Cmd.Wait]; read after exited is closed
}

// errRoot is the error for a browser that refuses to start as root.
var errRoot = errors.New("a browser has no sandbox when root starts it: run the server as another user, or pass --browser-no-sandbox if every page may do what root may")

// locate returns the path of the browser to start, or why there is none.
func locate(path string, noSandbox bool) (string, error) {
	var err error
	if path == "" {
		path, err = find()
	} else if path, err = exec.LookPath(program(path)); err != nil {
		err = fmt.Errorf("--browser-path: %w", err)
	} else {
		path, err = filepath.Abs(path)
	}
	if err == nil && isRoot() && !noSandbox {
		err = errRoot
	}
	return path, err
}

func start(o Options) (*process, *pipe, error) {
	path, err := locate(o.Path, o.NoSandbox)
	if err != nil {
		return nil, nil, err
	}
	sweep(os.TempDir())
	f, err := newFolderIn(os.TempDir())
	if err != nil {
		return nil, nil, fmt.Errorf("a folder for the browser: %w", err)
	}
	p := &process{folder: f, output: &output{}, exited: make(chan struct{})}
	p.cmd = exec.Command(path, append(linesOf(flagList), "--headless", "--user-data-dir="+f.path, "--remote-debugging-pipe")...)
	if o.NoSandbox {
		p.cmd.Args = append(p.cmd.Args, "--no-sandbox")
	}
	p.cmd.Args = append(p.cmd.Args, "about:blank")
	p.cmd.Dir = f.path
	p.cmd.Env = environment(f.path)
	p.cmd.Stderr = p.output
	p.cmd.WaitDelay = time.Second // for processes that hold standard error
	in, out, err := p.run()
	if err != nil {
		f.remove()
		return nil, nil, fmt.Errorf("the browser %s: %w", path, err)
	}
	if p.unbind, err = bound(p.cmd.Process.Pid, o.memory()); err != nil {
		o.Logger.Warn("the system does not bound the memory of the browser", "error", err)
	}
	return p, newPipe(in, out), nil
}

func environment(home string) []string {
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home, "XDG_RUNTIME_DIR=" + home}
	// The browser makes a socket there, whose path may have about 100 bytes.
	inside := runtime.GOOS == "linux" && len(home) <= 64
	if inside {
		env = append(env, "TMPDIR="+home)
	}
	for _, name := range kept {
		if value, ok := os.LookupEnv(name); ok && !(inside && name == "TMPDIR") {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// run starts the process, and returns our ends of its pipes.
func (p *process) run() (in, out *os.File, err error) {
	commands, out, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer commands.Close()
	in, answers, err := os.Pipe()
	if err != nil {
		out.Close()
		return nil, nil, err
	}
	defer answers.Close()
	attach(p.cmd, commands, answers)
	started := make(chan error)
	go func() {
		// On Linux the browser ends with the thread that started it, not with the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		in.Close()
		out.Close()
		return nil, nil, err
	}
	return in, out, nil
}

// stop kills the browser, and removes its files.
func (p *process) stop() {
	kill(p.cmd)
	<-p.exited
	if p.unbind != nil {
		p.unbind()
	}
	p.folder.remove()
}

// An output keeps the beginning of what a process writes to standard error. It is read when the process has ended.
type output struct{ text bytes.Buffer }

func (o *output) Write(p []byte) (int, error) {
	o.text.Write(p[:min(len(p), max(0, 8<<10-o.text.Len()))])
	return len(p), nil
}

// reason returns the first lines, which say why a browser did not start, or "".
func (o *output) reason() string {
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(o.text.String(), "")) {
		if line = strings.TrimSpace(line); line != "" && len(lines) < 3 {
			lines = append(lines, line[:min(len(line), 300)])
		}
	}
	return strings.Join(lines, "; ")
}

// A folder is for the files of a browser. Its lock shows that its owner is alive; a folder without a lock is removed
// by the next server that starts a browser.
type folder struct {
	path    string
	release func()
}

func newFolderIn(parent string) (*folder, error) {
	path, err := os.MkdirTemp(parent, folderPrefix)
	if err != nil {
		return nil, err
	}
	release, err := lockFolder(path)
	if err != nil {
		os.RemoveAll(path)
		return nil, err
	}
	return &folder{path, release}, nil
}

// lockFolder locks a folder, unless another process has locked it.
func lockFolder(path string) (release func(), err error) {
	files, err := rootfs.Open(path)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	return files.Lock(lockName)
}

func (f *folder) remove() {
	f.release()
	for deadline := time.Now().Add(removeTime); os.RemoveAll(f.path) != nil && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
}

// sweep removes folders whose owners have ended without removing them.
func sweep(parent string) {
	found, _ := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	for _, path := range found {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || rootfs.Foreign(info) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(path, lockName)); err != nil {
			if errors.Is(err, os.ErrNotExist) && time.Since(info.ModTime()) > newFolder {
				os.RemoveAll(path)
			}
		} else if release, err := lockFolder(path); err == nil {
			release()
			os.RemoveAll(path)
		}
	}
}

// errNone reports that no browser was found.
var errNone = errors.New("no Chromium, Chrome or Edge is found on this computer: install one, or name it with --browser-path")

// find returns the path of a browser on this computer.
func find() (string, error) {
	for _, name := range candidates(runtime.GOOS, os.Getenv) {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", errNone
}

// candidates returns names and paths of browsers that a system may have, the best first.
func candidates(system string, env func(string) string) []string {
	var list []string
	switch system {
	case "windows":
		for _, root := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			if dir := env(root); dir != "" {
				for _, name := range []string{`Google\Chrome\Application\chrome.exe`, `Chromium\Application\chrome.exe`, `Microsoft\Edge\Application\msedge.exe`} {
					list = append(list, dir+`\`+name)
				}
			}
		}
	case "darwin":
		for _, root := range []string{"", env("HOME")} {
			for _, name := range []string{"Chromium", "Google Chrome", "Microsoft Edge"} {
				list = append(list, root+"/Applications/"+name+".app/Contents/MacOS/"+name)
			}
		}
	}
	return append(list, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "microsoft-edge-stable", "msedge")
}

// program returns the executable of a macOS application, which is a folder, and any other path unchanged.
func program(path string) string {
	name, ok := strings.CutSuffix(filepath.Base(path), ".app")
	if info, err := os.Stat(path); !ok || err != nil || !info.IsDir() {
		return path
	}
	return filepath.Join(path, "Contents", "MacOS", name)
}

const (
	// memoryEvery is how often the memory of the browser is measured while a page is open.
	memoryEvery = 100 * time.Millisecond
	// usualMemory bounds the memory of all processes of the browser together, with up to DefaultMaxPages pages, in
	// bytes; pageMemory is added for each further page.
	usualMemory = 1 << 30
	pageMemory  = 256 << 20
	// crashWithin is how long after the end of its process a tab may be reported as crashed, on a computer with much to do.
	crashWithin = 30 * time.Second
)

// memory returns how many bytes all processes of the browser together may use.
func (o *Options) memory() int64 {
	return usualMemory + pageMemory*int64(max(0, o.MaxPages-DefaultMaxPages))
}

// A usage is the memory of a process.
type usage struct {
	pid   int
	bytes int64 // private and shared memory
}

// watchMemory checks the memory of the browser until it ends. If it is too high, it kills the largest process, which
// ends that page. If the largest process is the browser itself, all pages end.
func (e *engine) watchMemory() {
	ticker := time.NewTicker(memoryEvery)
	defer ticker.Stop()
	var c census
	for {
		select {
		case <-ticker.C:
		case <-e.process.exited:
			return
		}
		e.mu.Lock()
		idle := len(e.pages) == 0
		e.mu.Unlock()
		if idle {
			continue
		}
		browser := e.process.cmd.Process.Pid
		all := c.members(browser)
		var sum int64
		for _, u := range all {
			sum += u.bytes
		}
		limit := e.options.memory()
		if sum > limit/4*3 {
			e.mu.Lock()
			e.full = time.Now()
			e.mu.Unlock()
		}
		if sum <= limit {
			continue
		}
		largest := slices.MaxFunc(all, func(a, b usage) int { return cmp.Compare(a.bytes, b.bytes) })
		e.options.Logger.Warn("the browser takes too much memory, so its largest process is killed", "MiB", sum>>20, "limit", limit>>20, "largest", largest.bytes>>20)
		if largest.pid == browser {
			e.fail(e.memoryError())
			return
		}
		endProcess(largest.pid)
	}
}

func (e *engine) memoryError() error {
	return fmt.Errorf("%w: the browser would take more than %d MiB of memory", webclient.ErrExhausted, e.options.memory()>>20)
}

// crash returns why a tab has crashed. The caller holds e.mu.
func (e *engine) crash(p *page) error {
	if time.Since(e.full) < crashWithin {
		return fmt.Errorf("%s: %w", p.name(), e.memoryError())
	}
	return fmt.Errorf("%s: crashes the browser's tab", p.name())
}

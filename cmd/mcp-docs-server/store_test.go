//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// patience is how long tests wait for something that takes milliseconds on a quiet machine.
const patience = time.Minute

// command returns the program with arguments and a store.
func command(t *testing.T, store string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "MCP_DOCS_STORE="+store)
	cmd.Dir = t.TempDir()
	return cmd
}

// publish publishes a folder to the store.
func publish(t *testing.T, store, dir string) {
	t.Helper()
	succeed(t, store, "publish", "--target", "store", "--to", "handbook", dir)
}

func succeed(t *testing.T, store string, args ...string) string {
	t.Helper()
	out, err := command(t, store, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// A replica is a running server.
type replica struct {
	t    *testing.T
	base string // its URL
	cmd  *exec.Cmd
	log  must.Output
}

// serve starts a server of the project "handbook" in the store.
func serve(t *testing.T, store, cache string, args ...string) *replica {
	t.Helper()
	return serveAs(t, store, cache, func(*exec.Cmd) {}, args...)
}

// serveAs is serve with a command that was changed.
func serveAs(t *testing.T, store, cache string, change func(*exec.Cmd), args ...string) *replica {
	t.Helper()
	r := &replica{t: t, cmd: command(t, store, append([]string{"serve", "--http=127.0.0.1:0", "--from", "handbook", "--cache-dir", cache}, args...)...)}
	change(r.cmd)
	r.cmd.Stderr = &r.log
	must.Do(t, r.cmd.Start())
	t.Cleanup(func() {
		r.kill()
		if t.Failed() {
			t.Logf("%s", &r.log)
		}
	})
	must.Until(t, "serve", func() (found bool) {
		_, rest, _ := strings.Cut(r.log.String(), "serving over HTTP at ")
		r.base, _, found = strings.Cut(rest, "/mcp")
		return found
	})
	return r
}

func (r *replica) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// post sends a request of 2026-07-28. name is the subject of the method, if it has one.
func (r *replica) post(method, params, name string) (*http.Response, error) {
	body := `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.base+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for key, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name} {
		if value != "" {
			request.Header.Set(key, value)
		}
	}
	return http.DefaultClient.Do(request)
}

// read returns the text of a resource, or the answer if it is an error.
func (r *replica) read(uri string) string {
	r.t.Helper()
	response := must.Get(r.post("resources/read", `"uri":"`+uri+`",`, uri))(r.t)
	defer response.Body.Close()
	data := must.Get(io.ReadAll(response.Body))(r.t)
	var answer struct {
		Result struct {
			Contents []struct {
				Text string
				Blob []byte
			}
		}
	}
	if err := json.Unmarshal(data, &answer); err != nil || len(answer.Result.Contents) != 1 {
		return string(data)
	}
	return answer.Result.Contents[0].Text + string(answer.Result.Contents[0].Blob)
}

// listen returns the notifications about resources.
func (r *replica) listen(uris ...string) <-chan string {
	r.t.Helper()
	quoted, _ := json.Marshal(uris)
	response, err := r.post("subscriptions/listen", `"notifications":{"resourcesListChanged":true,"resourceSubscriptions":`+string(quoted)+`},`, "")
	if err != nil || response.StatusCode != http.StatusOK {
		r.t.Fatal(response, err)
	}
	r.t.Cleanup(func() { response.Body.Close() })
	found := make(chan string, 100)
	acknowledged := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(response.Body)
		for first := true; lines.Scan(); {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			switch {
			case !ok || data == "":
			case first:
				first = false
				close(acknowledged)
			default:
				found <- data
			}
		}
	}()
	<-acknowledged
	return found
}

func notified(t *testing.T, from <-chan string, want ...string) {
	t.Helper()
	missing := make(map[string]bool)
	for _, w := range want {
		missing[w] = true
	}
	deadline := time.After(patience)
	for len(missing) > 0 {
		select {
		case got := <-from:
			for w := range missing {
				if strings.Contains(got, w) {
					delete(missing, w)
				}
			}
		case <-deadline:
			t.Fatalf("no notification of %v", missing)
		}
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		must.Write(t, filepath.Join(dir, name), text)
	}
}

const handbook = `{"name": "Handbook", "package": "@acme/handbook", "version": "1.0.0"}`

// Three replicas serve what is published, tell their clients what changed, and follow a rollback.
func TestReplicasServeOneTree(t *testing.T) {
	store := postgres.URL(t)
	dir := t.TempDir()
	files := map[string]string{
		"mcp-docs-server.json": handbook, "docs/index.md": "# Index\n", "prompts/p.md": "Do it.",
		"resources/x/h/a.md": "A1", "resources/x/h/same.md": "A1", "resources/x/h/sub/b.bin": "\x00\xff\x01", "resources/x/h/gone.md": "gone", "resources/x/h/é ?#%.md": "odd",
	}
	odd := "x://h/%C3%A9%20%3F%23%25.md"
	if runtime.GOOS == "linux" {
		files["resources/x/h/\xff\xfe.md"] = "not UTF-8"
	}
	write(t, dir, files)
	stamp := time.Date(2024, 2, 3, 4, 5, 6, 123456789, time.UTC)
	must.Do(t, os.Chtimes(filepath.Join(dir, "resources/x/h/same.md"), stamp, stamp))
	publish(t, store, dir)
	var replicas []*replica
	var listening []<-chan string
	var caches []string
	for range 3 {
		caches = append(caches, filepath.Join(t.TempDir(), "cache"))
		replicas = append(replicas, serve(t, store, caches[len(caches)-1]))
	}
	for _, r := range replicas {
		if line := regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z mcp-docs-server: serving over HTTP at `); !line.MatchString(r.log.String()) {
			t.Errorf("lines in a file have no time: %s", r.log.String())
		}
		for uri, want := range map[string]string{"x://h/a.md": "A1", "x://h/same.md": "A1", "x://h/sub/b.bin": "\x00\xff\x01", odd: "odd", "x://h/gone.md": "gone"} {
			must.Equal(t, want, r.read(uri), uri)
		}
		if runtime.GOOS == "linux" {
			must.Equal(t, "not UTF-8", r.read("x://h/%FF%FE.md"))
		}
		response := must.Get(r.post("resources/list", "", ""))(t)
		list, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if !strings.Contains(string(list), "2024-02-03T04:05:06") {
			t.Errorf("no published time in %s", list)
		}
		listening = append(listening, r.listen("x://h/a.md", "x://h/same.md"))
	}

	write(t, dir, map[string]string{"resources/x/h/a.md": "A2", "resources/x/new/c.md": "C", "docs/more.md": "# More\n\nplatypus\n"})
	must.Do(t, os.Remove(filepath.Join(dir, "resources/x/h/gone.md")))
	publish(t, store, dir)
	began := time.Now()
	for i, r := range replicas {
		notified(t, listening[i], `"x://h/a.md"`, "list_changed")
		if a, c, gone := r.read("x://h/a.md"), r.read("x://new/c.md"), r.read("x://h/gone.md"); a != "A2" || c != "C" || !strings.Contains(gone, "error") {
			t.Errorf("got %q, %q and %q", a, c, gone)
		}
	}
	t.Logf("all clients knew after %v", time.Since(began))
	for _, r := range replicas { // documents are read after resources
		must.Until(t, "the new document is found", func() bool {
			response := must.Get(r.post("tools/call", `"name":"searchHandbook","arguments":{"query":"platypus"},`, "searchHandbook"))(t)
			defer response.Body.Close()
			found, _ := io.ReadAll(response.Body)
			return strings.Contains(string(found), "more.md")
		})
	}
	must.Equal(t, "serving:   handbook 1\n", succeed(t, store, "store", "rollback", "handbook"))
	for i, r := range replicas {
		notified(t, listening[i], `"x://h/a.md"`, "list_changed")
		if a, gone := r.read("x://h/a.md"), r.read("x://h/gone.md"); a != "A1" || gone != "gone" {
			t.Errorf("got %q and %q", a, gone)
		}
	}

	// A start without the store.
	replicas[0].kill()
	nowhere := "postgres://u@127.0.0.1:1/d"
	if r := serve(t, nowhere, caches[0]); r.read("x://h/a.md") != "A1" || !strings.Contains(r.log.String(), "serving version 1 of 2") || !strings.Contains(r.log.String(), "from the cache") {
		t.Errorf("it does not serve what it has: %s", r.log.String())
	}
}

// Everything that a version holds follows three publications, at each replica, under clients that read it all the time: documents as
// answers, as resources and as pages, files, prompts, skills and the capability index. Each answer is of one version, and none is of an
// earlier version than the answer before. No setting differs, because a new setting makes everything again.
func TestAllOfAVersionIsReplaced(t *testing.T) {
	store := postgres.URL(t)
	dir := t.TempDir()
	version := func(n int) {
		v := fmt.Sprintf("version%d", n)
		write(t, dir, map[string]string{
			"mcp-docs-server.json": `{"name": "Handbook", "package": "@acme/handbook", "version": "1.0.0", "docsResources": true, "index": true}`,
			"docs/index.md":        "# Index\n\nplatypus " + v + "\n", "docs/" + v + ".md": "# Only " + v + "\n", "prompts/p.md": "---\ndescription: About " + v + "\n---\nSay " + v + ".",
			"skills/s/SKILL.md": "---\nname: s\ndescription: About " + v + "\n---\n# " + v + "\n", "resources/x/h/a.md": v,
		})
		must.Do(t, os.RemoveAll(filepath.Join(dir, fmt.Sprintf("docs/version%d.md", n-1))))
		publish(t, store, dir)
	}
	version(1)
	var replicas []*replica
	for range 2 {
		replicas = append(replicas, serve(t, store, filepath.Join(t.TempDir(), "cache"), "--log-level=warn"))
	}
	type question struct{ what, method, params, name string }                                 // a method that begins with a slash is the path of a page
	lists := []string{"the list of resources", "the list for models", "the capability index"} // of several kinds: each kind is of one version
	read := func(what, uri string) question { return question{what, "resources/read", `"uri":"` + uri + `",`, uri} }
	questions := []question{
		read("a file", "x://h/a.md"), read("a document as a resource", "docs://Handbook/docs/index.md"), read("a skill", "skill://s/SKILL.md"), read("the capability index", "capability-index://full"),
		{"the list of resources", "resources/list", "", ""}, {"the list of prompts", "prompts/list", "", ""}, {"a prompt", "prompts/get", `"name":"p",`, "p"},
		{"a search", "tools/call", `"name":"searchHandbook","arguments":{"query":"platypus"},`, "searchHandbook"},
		{"a document", "tools/call", `"name":"searchHandbook","arguments":{"paths":["index.md"]},`, "searchHandbook"},
		{"the page of a document", "/docs/index", "", ""}, {"the overview", "/", "", ""}, {"the list for models", "/llms.txt", "", ""}, {"the page of a search", "/search?q=platypus", "", ""},
	}
	versions := regexp.MustCompile("version[1-3]")
	ask := func(r *replica, q question) (answer string, of []string) {
		response, err := (*http.Response)(nil), error(nil)
		if strings.HasPrefix(q.method, "/") {
			response, err = http.Get(r.base + q.method)
		} else {
			response, err = r.post(q.method, q.params, q.name)
		}
		if err != nil {
			return err.Error(), nil
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		of = versions.FindAllString(string(text), -1)
		slices.Sort(of)
		return string(text), slices.Compact(of)
	}
	ended := make(chan struct{})
	var readers sync.WaitGroup
	defer readers.Wait()
	stop := sync.OnceFunc(func() { close(ended) })
	defer stop()
	for i, r := range replicas {
		for _, q := range questions {
			readers.Go(func() {
				for last := "version1"; ; time.Sleep(10 * time.Millisecond) {
					select {
					case <-ended:
						return
					default:
					}
					answer, of := ask(r, q)
					if len(of) == 0 || len(of) > 1 && !slices.Contains(lists, q.what) || of[0] < last {
						t.Errorf("replica %d, %s, after %s: %q in %s", i, q.what, last, of, answer)
						return
					}
					last = of[0]
				}
			})
		}
	}
	for n := 1; n <= 3; n++ {
		if n > 1 {
			version(n)
		}
		v := fmt.Sprintf("version%d", n)
		for i, r := range replicas {
			for _, q := range append(questions, read("a new document as a resource", "docs://Handbook/docs/"+v+".md")) {
				var answer string
				var of []string
				for end := time.Now().Add(patience); time.Now().Before(end) && !slices.Equal(of, []string{v}); time.Sleep(20 * time.Millisecond) {
					answer, of = ask(r, q)
				}
				if !slices.Equal(of, []string{v}) {
					t.Errorf("replica %d, %s, %s: %s", i, q.what, v, answer)
				}
			}
		}
	}
	stop()
}

// Three replicas behind PgBouncer, whose database becomes an older copy twice: from a backup, and by a standby that was late. All
// serve what the copy has, and then what is published next, without a start.
func TestFailoverOfReplicas(t *testing.T) {
	cluster := postgres.NewCluster(t)
	pooler := postgres.NewPooler(t, cluster)
	dir, store := t.TempDir(), pooler.URL()
	publish := func(text string) {
		t.Helper()
		write(t, dir, map[string]string{"mcp-docs-server.json": handbook, "resources/x/h/a.md": text})
		must.Until(t, "publish", func() bool { // the database may just start
			return command(t, store, "publish", "--target", "store", "--to", "handbook", dir).Run() == nil
		})
	}
	var replicas []*replica
	serves := func(text string) {
		t.Helper()
		began := time.Now()
		for _, r := range replicas {
			must.Until(t, text, func() bool { return r.read("x://h/a.md") == text })
		}
		t.Logf("all serve %q after %v", text, time.Since(began).Round(time.Millisecond))
	}
	publish("one")
	cache := t.TempDir()
	for _, cache := range []string{cache, t.TempDir(), t.TempDir()} {
		replicas = append(replicas, serve(t, store, cache))
	}
	serves("one")
	backup := cluster.Backup()
	publish("two, which is lost")
	serves("two, which is lost")
	cluster.Restore(backup)
	serves("one")
	publish("another two, with the same number")
	serves("another two, with the same number")
	standby := cluster.Standby()
	standby.Detach()
	publish("three, which is lost")
	serves("three, which is lost")
	standby.Promote()
	pooler.Switch(standby)
	serves("another two, with the same number")
	publish("another three")
	serves("another three")
	// A replica that starts while the database is down serves what its cache has, and then what the database has.
	standby.Stop()
	replicas[0].kill()
	replicas[0] = serve(t, store, cache)
	serves("another three")
	if !strings.Contains(replicas[0].log.String(), "from the cache") {
		t.Errorf("%s", replicas[0].log.String())
	}
	standby.Start()
	publish("four")
	serves("four")
}

// An emptyDir of Kubernetes with fsGroup belongs to root, and all may write to it. The container runs as another user.
func TestCacheInAVolume(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
	store, dir := postgres.URL(t), t.TempDir()
	write(t, dir, map[string]string{"mcp-docs-server.json": handbook, "resources/x/h/a.md": "text"})
	publish(t, store, dir)
	config := must.Get(pgx.ParseConfig(store))(t)
	if err := os.Chmod(config.Host, 0o755); err != nil { // the folder of the socket
		t.Fatal(err)
	}
	program := must.Get(os.ReadFile(os.Args[0]))(t)
	shared := t.TempDir()
	volume := filepath.Join(shared, "cache")
	copied := filepath.Join(shared, "program")
	must.Do(t, errors.Join(os.Chmod(filepath.Dir(shared), 0o755), os.WriteFile(copied, program, 0o755), os.Mkdir(volume, 0o777), os.Chown(volume, 0, 65532), os.Chmod(volume, 0o777|os.ModeSetgid)))
	for range 2 { // a container is started again with its volume
		r := serveAs(t, store, volume, func(cmd *exec.Cmd) {
			cmd.Path, cmd.Dir = copied, "/"
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		})
		must.Equal(t, "text", r.read("x://h/a.md"))
		r.kill()
	}
	if info, err := os.Stat(filepath.Join(volume, "mcp-docs-server")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}

// bulk returns files of a project, of 8 MB together.
func bulk(version string) map[string]string {
	files := map[string]string{"mcp-docs-server.json": handbook}
	for i := range 40 {
		files[fmt.Sprintf("resources/x/h/%d.md", i)] = strings.Repeat(fmt.Sprintf("%s of %d. ", version, i), 15_000)
	}
	return files
}

// whole returns the version of which a replica serves all files.
func whole(t *testing.T, r *replica, versions ...string) string {
	t.Helper()
	first := r.read("x://h/0.md")
	for _, version := range versions {
		files := bulk(version)
		if first != files["resources/x/h/0.md"] {
			continue
		}
		for i := range 40 {
			if got := r.read(fmt.Sprintf("x://h/%d.md", i)); got != files[fmt.Sprintf("resources/x/h/%d.md", i)] {
				t.Errorf("file %d of %s is %.60q", i, version, got)
			}
		}
		return version
	}
	t.Fatalf("it serves %.60q", first)
	return ""
}

// Publications that are killed at any moment change nothing or everything.
func TestKilledPublication(t *testing.T) {
	store := postgres.URL(t)
	dir := t.TempDir()
	write(t, dir, bulk("first"))
	publish(t, store, dir)
	began := time.Now()
	write(t, dir, bulk("warm"))
	publish(t, store, dir)
	usual := time.Since(began)
	r := serve(t, store, filepath.Join(t.TempDir(), "cache"))
	last := whole(t, r, "warm")
	for i := range 5 {
		version := fmt.Sprint("version ", i)
		write(t, dir, bulk(version))
		cmd := command(t, store, "publish", "--target", "store", "--to", "handbook", dir)
		must.Do(t, cmd.Start())
		time.Sleep(rand.N(usual)) // any moment will do
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		other := serve(t, store, filepath.Join(t.TempDir(), "cache"))
		last = whole(t, other, last, version)
		other.kill()
	}
	write(t, dir, bulk("last"))
	publish(t, store, dir)
	must.Until(t, "the last version", func() bool { return strings.HasPrefix(r.read("x://h/0.md"), "last") })
	whole(t, r, "last")
}

// A replica that is killed while it fetches starts again with what it has.
func TestKilledFetch(t *testing.T) {
	store := postgres.URL(t)
	dir := t.TempDir()
	write(t, dir, bulk("first"))
	publish(t, store, dir)
	began := time.Now()
	cache := filepath.Join(t.TempDir(), "cache")
	whole(t, serve(t, store, filepath.Join(t.TempDir(), "cache")), "first")
	usual := time.Since(began)
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(usual)) // any moment will do
		cmd := command(t, store, "serve", "--http=127.0.0.1:0", "--from", "handbook", "--cache-dir", cache)
		cmd = exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
		cmd.Env = append(os.Environ(), asProgram+"=1", "MCP_DOCS_STORE="+store)
		_ = cmd.Run() // it is killed
		cancel()
	}
	r := serve(t, store, cache)
	whole(t, r, "first")
	// Killed during a switch.
	for i := range 4 {
		version := fmt.Sprint("version ", i)
		write(t, dir, bulk(version))
		publish(t, store, dir)
		time.Sleep(rand.N(200 * time.Millisecond)) // any moment will do
		r.kill()
		r = serve(t, store, cache)
		whole(t, r, version)
	}
}

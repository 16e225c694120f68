package examples

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// httpPages describe serving over HTTP.
var httpPages = []string{"../docs/serve/http.md", "../docs/serve/operations.md"}

var (
	fence     = regexp.MustCompile("(?ms)^```([a-z]+[a-z ]*)\n(.*?)^```$")
	curlURL   = regexp.MustCompile(`curl (http://127\.0\.0\.1:3060\S*)`)
	curlField = regexp.MustCompile(`-H '([^':]+): ([^']*)'`)
	curlBody  = regexp.MustCompile(`(?s)-d '([^']*)'`)
	option    = regexp.MustCompile(`(?m)^ +(?:-., )?(--[a-z-]+)`)
)

// blocks returns the code blocks of the pages whose info string is info.
func blocks(t *testing.T, info string) []string {
	t.Helper()
	var found []string
	for _, page := range httpPages {
		text := must.Get(os.ReadFile(page))(t)
		for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
			if m[1] == info {
				found = append(found, m[2])
			}
		}
	}
	if found == nil {
		t.Fatalf("%s have no example %q", httpPages, info)
	}
	return found
}

// A site holds the files and the issuer that the examples name.
type site struct{ dir, issuer string }

func newSite(t *testing.T) site {
	t.Helper()
	issuer := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(issuer.Close)
	s := site{t.TempDir(), issuer.URL}
	s.write(t, "tokens", blocks(t, "text tokens")[0])
	s.write(t, "project/mcp-docs-server.json", `{"name": "Acme", "package": "@acme/docs", "version": "1.0.0"}`)
	s.write(t, "project/resources/x/h/a.txt", "text")
	s.write(t, "other/mcp-docs-server.json", `{"name": "Other", "package": "@acme/other", "version": "1.0.0"}`)
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"docs.example.com"}}
	cert := must.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
	private := must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	s.write(t, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	s.write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	return s
}

func (s site) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(s.dir, name)
	must.Write(t, name, text)
}

// adapted returns the arguments of an example with the files of the site and with a free port.
func (s site) adapted(args []string) []string {
	files := map[string]string{
		"tokens": "tokens", "%d/tokens": "tokens", "/run/tokens": "tokens", "/run/secrets/tokens": "tokens", "/run/secrets/acme-docs/tokens": "tokens",
		"/path/to/project": "project", "/srv/docs": "project", "/project": "project", "/path/to/other": "other",
		"cert.pem": "cert.pem", "key.pem": "key.pem",
	}
	adapted := make([]string, 0, len(args))
	for _, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		if !joined {
			name, value = "", arg
		}
		switch {
		case arg == "--http":
			name, value, joined = arg, "127.0.0.1:0", true
		case name == "--http":
			value = value[:strings.LastIndexByte(value, ':')] + ":0"
		case value == "https://login.example.com":
			value = s.issuer
		case files[value] != "":
			value = filepath.Join(s.dir, files[value])
		}
		if joined {
			value = name + "=" + value
		}
		adapted = append(adapted, value)
	}
	return adapted
}

// run starts a command of the pages, calls use when it serves, ends it, and returns its output.
func (s site) run(t *testing.T, args []string, use func(base string)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	printed := &must.Output{}
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, s.adapted(args), cli.Streams{In: strings.NewReader(""), Out: printed, Err: printed})
	}()
	if slices.Contains(args, "--print-config") {
		if code := <-ended; code != 0 {
			t.Errorf("%s: code %d: %s", args, code, printed)
		}
		return
	}
	must.Until(t, "serve", func() bool { // the endpoints and the project are reported in any order
		text := printed.String()
		return strings.Contains(text, "/mcp\n") && strings.Contains(text, "serving 1 resource") || len(ended) > 0
	})
	if len(ended) > 0 {
		t.Errorf("%s: code %d: %s", args, <-ended, printed)
		return
	}
	_, rest, _ := strings.Cut(printed.String(), "serving over HTTP at ")
	if base, _, _ := strings.Cut(rest, "/mcp\n"); use != nil {
		use(base)
	}
	stop()
	if code := <-ended; code != 0 || strings.Contains(printed.String(), "error:") {
		t.Errorf("%s: code %d: %s", args, code, printed)
	}
}

// serveCommands returns the arguments of each command of the pages that serves.
func serveCommands(t *testing.T) [][]string {
	t.Helper()
	var commands [][]string
	for _, block := range blocks(t, "sh") {
		for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", "")) {
			switch fields := strings.Fields(line); {
			case fields[0] == "mcp-docs-server" && fields[1] == "serve":
				commands = append(commands, fields[1:])
			case fields[0] == "docker":
				commands = append(commands, fields[slices.Index(fields, "serve"):])
			}
		}
	}
	if len(commands) < 8 {
		t.Fatalf("%s have only %d commands", httpPages, len(commands))
	}
	return commands
}

// TestHTTPCommands runs each command of the pages that serves.
func TestHTTPCommands(t *testing.T) {
	s := newSite(t)
	for _, args := range serveCommands(t) {
		s.run(t, args, nil)
	}
}

// TestHTTPRequest sends the request of the pages to the first of its commands, and the probes.
func TestHTTPRequest(t *testing.T) {
	example := blocks(t, "sh curl")[0]
	newSite(t).run(t, serveCommands(t)[0], func(base string) {
		path := strings.TrimPrefix(curlURL.FindStringSubmatch(example)[1], "http://127.0.0.1:3060")
		r := must.Get(http.NewRequest(http.MethodPost, base+path, strings.NewReader(curlBody.FindStringSubmatch(example)[1])))(t)
		for _, m := range curlField.FindAllStringSubmatch(example, -1) {
			r.Header.Set(m[1], m[2])
		}
		if status, body := do(t, r); status != http.StatusOK || !strings.Contains(body, `"uri":"x://h/a.txt"`) {
			t.Errorf("status %d, %s", status, body)
		}
		r = must.Get(http.NewRequest(http.MethodGet, base+"/health", nil))(t)
		r.Host = "10.1.2.3:3060" // as kubelet sends it
		status, body := do(t, r)
		var got, documented map[string]any
		if json.Unmarshal([]byte(body), &got) != nil || json.Unmarshal([]byte(blocks(t, "json")[1]), &documented) != nil {
			t.Fatal(body)
		}
		if status != http.StatusOK || got["status"] != documented["status"] || len(got) != len(documented) {
			t.Errorf("status %d, %s", status, body)
		}
	})
}

func do(t *testing.T, r *http.Request) (status int, body string) {
	t.Helper()
	response := must.Get(http.DefaultClient.Do(r))(t)
	defer response.Body.Close()
	data := must.Get(io.ReadAll(response.Body))(t)
	return response.StatusCode, string(data)
}

// A manifest holds the fields of Kubernetes objects that the test reads.
type manifest struct {
	Kind       string
	Metadata   struct{ Name string }
	StringData map[string]string `yaml:"stringData"`
	Spec       struct {
		Selector map[string]any
		Ports    []struct {
			TargetPort string `yaml:"targetPort"`
		}
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Containers []container
				Volumes    []volume
			}
		}
	}
}

type volume struct {
	Name   string
	Secret struct {
		SecretName string `yaml:"secretName"`
	}
}

type container struct {
	Args  []string
	Ports []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
	StartupProbe   probe `yaml:"startupProbe"`
	ReadinessProbe probe `yaml:"readinessProbe"`
	LivenessProbe  probe `yaml:"livenessProbe"`
	VolumeMounts   []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// TestHTTPKubernetes checks that the manifest of one server is consistent: names that refer to
// each other, the port, the probes, the file of tokens, and the arguments.
func TestHTTPKubernetes(t *testing.T) {
	objects := map[string]manifest{}
	decoder := yaml.NewDecoder(strings.NewReader(packaged(t, "kubernetes.yaml")))
	for {
		var m manifest
		err := decoder.Decode(&m)
		if err == io.EOF {
			break
		}
		must.Do(t, err)
		objects[m.Kind] = m
	}
	c := checkManifests(t, objects["Secret"], objects["Deployment"], objects["Service"])
	s := newSite(t)
	placeholder := regexp.MustCompile(`replace-this\S*`)
	s.write(t, "tokens", placeholder.ReplaceAllString(objects["Secret"].StringData["tokens"], rand.Text()))
	s.run(t, c.Args, nil)
}

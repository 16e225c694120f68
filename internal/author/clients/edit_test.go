package clients

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func setupOf(t testing.TB, id string, s Server) Setup {
	t.Helper()
	c, ok := Find(id)
	if !ok {
		t.Fatalf("client %q is unknown", id)
	}
	return must.Get(c.Setup(s, Linux))(t)
}

var (
	acme   = Local("acme", "/bin/m", "serve", "/a b")
	remote = Remote("acme", "https://a.example/mcp")
)

// Put keeps the other content of the file and its comments, in the layout of the file.
func TestPut(t *testing.T) {
	withToken := remote
	withToken.Headers = []Header{Bearer("TOKEN")}
	for _, test := range []struct {
		name, id  string
		s         Server
		old, want string
	}{
		{"a new file", "cursor", remote, " \n", "{\n  \"mcpServers\": {\n    \"acme\": {\n      \"url\": \"https://a.example/mcp\"\n    }\n  }\n}\n"},
		{"an empty object", "cursor", remote, "{}", "{\n  \"mcpServers\": {\n    \"acme\": {\n      \"url\": \"https://a.example/mcp\"\n    }\n  }\n}"},
		{"a comment without a line end", "cursor", remote, "{} // x", "{\n  \"mcpServers\": {\n    \"acme\": {\n      \"url\": \"https://a.example/mcp\"\n    }\n  }\n} // x"},
		{"four blanks, order and numbers", "gemini-cli", acme, `{
    "z": 1.50,
    "mcpServers": {
        "other": {"command": "x"}
    },
    "a":   [1,2]
}
`, `{
    "z": 1.50,
    "mcpServers": {
        "acme": {
            "command": "/bin/m",
            "args": ["serve", "/a b"]
        },
        "other": {"command": "x"}
    },
    "a":   [1,2]
}
`},
		{"tabs and comments", "zed", remote, "// settings\n{\n\t// ours\n\t\"theme\": \"x\", /* dark */\n}\n",
			"// settings\n{\n\t\"context_servers\": {\n\t\t\"acme\": {\n\t\t\t\"url\": \"https://a.example/mcp\"\n\t\t}\n\t},\n\t// ours\n\t\"theme\": \"x\", /* dark */\n}\n"},
		{"lines and a mark of Windows", "cursor", remote, "\ufeff{\r\n  \"a\": 1\r\n}\r\n",
			"\ufeff{\r\n  \"mcpServers\": {\r\n    \"acme\": {\r\n      \"url\": \"https://a.example/mcp\"\r\n    }\r\n  },\r\n  \"a\": 1\r\n}\r\n"},
		{"one line", "cursor", remote, `{"mcpServers": {"x": {}}}`, `{"mcpServers": {
    "acme": {
      "url": "https://a.example/mcp"
    },
    "x": {}}}`},
		{"nothing differs", "cursor", acme, `{"mcpServers": {"acme": {"args": [ "serve","/a b" ], "type": "stdio", "command": "\u002fbin/m" /* ours */}}}`,
			`{"mcpServers": {"acme": {"args": [ "serve","/a b" ], "type": "stdio", "command": "\u002fbin/m" /* ours */}}}`},
		{"an input", "vscode", withToken, `{
  "inputs": [
    {"id": "x"}
  ]
}`, `{
  "servers": {
    "acme": {
      "type": "http",
      "url": "https://a.example/mcp",
      "headers": {"Authorization": "Bearer ${input:TOKEN}"}
    }
  },
  "inputs": [
    {"type": "promptString", "id": "TOKEN", "description": "Authorization for acme", "password": true},
    {"id": "x"}
  ]
}`},
		{"an input that exists, and an entry of the user", "vscode", withToken, `{"inputs": [{"id": "TOKEN"}], "servers": {"acme": {"type": "http", "url": "https://a.example/mcp", "headers": {"Authorization": "Bearer ${input:TOKEN}"}, "dev": 1}}}`,
			`{"inputs": [{"id": "TOKEN"}], "servers": {"acme": {"type": "http", "url": "https://a.example/mcp", "headers": {"Authorization": "Bearer ${input:TOKEN}"}, "dev": 1}}}`},
		{"no inputs", "vscode", withToken, "{\n\t\"servers\": {}\n}\n",
			"{\n\t\"inputs\": [\n\t\t{\"type\": \"promptString\", \"id\": \"TOKEN\", \"description\": \"Authorization for acme\", \"password\": true}\n\t],\n" +
				"\t\"servers\": {\n\t\t\"acme\": {\n\t\t\t\"type\": \"http\",\n\t\t\t\"url\": \"https://a.example/mcp\",\n\t\t\t\"headers\": {\"Authorization\": \"Bearer ${input:TOKEN}\"}\n\t\t}\n\t}\n}\n"},
		{"opencode 1", "opencode", remote, `{"mcp": {"servers": {"type": "local"}}}`, `{"mcp": {
    "acme": {
      "type": "remote",
      "url": "https://a.example/mcp"
    },
    "servers": {"type": "local"}}}`},
		{"opencode 2", "opencode", remote, `{"mcp": {"servers": {}}}`, `{"mcp": {"servers": {
      "acme": {
        "type": "remote",
        "url": "https://a.example/mcp"
      }
    }}}`},
		{"toml", "codex", remote, "# mine\r\na = 1", "# mine\r\na = 1\r\n\r\n[mcp_servers.acme]\r\nurl = \"https://a.example/mcp\"\r\n"},
		{"toml, nothing differs", "codex", acme, "[mcp_servers.acme] # ours\nargs = ['serve', '/a b']\ncommand = '/bin/m'\nenabled = false", "[mcp_servers.acme] # ours\nargs = ['serve', '/a b']\ncommand = '/bin/m'\nenabled = false"},
	} {
		setup := setupOf(t, test.id, test.s)
		got, err := setup.Put([]byte(test.old))
		if diff := cmp.Diff(test.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
			continue
		}
		if again, err := setup.Put(got); err != nil || string(again) != string(got) {
			t.Errorf("%s: the second time, %v:\n%s", test.name, err, again)
		}
	}
}

func TestTake(t *testing.T) {
	for _, test := range []struct{ id, old, want string }{
		{"cursor", "{\n  \"mcpServers\": {\n    \"x\": {}, // x\n    \"acme\": {\n      \"command\": \"y\"\n    }\n  }\n}\n", "{\n  \"mcpServers\": {\n    \"x\": {} // x\n    }\n}\n"},
		{"cursor", "{\n  \"mcpServers\": {\n    // ours\n    \"acme\": {}, // added\n    \"x\": {},\n  }\n}\n", "{\n  \"mcpServers\": {\n    \"x\": {},\n  }\n}\n"},
		{"cursor", "{\"a\": 1, \"mcpServers\": { \"acme\": {} }}", "{\"a\": 1, \"mcpServers\": { }}"},
		{"opencode", `{"mcp": {"servers": {"acme": {}}, "acme": {}}}`, `{"mcp": {"servers": {}, "acme": {}}}`},
		{"codex", "a = 1 # a\n\n[mcp_servers.acme]\ncommand = \"x\"\n\n[mcp_servers.acme.env]\nB = 1\n", "a = 1 # a\n"},
		{"codex", "[ mcp_servers . \"acme\" ]\ncommand = \"x\"\n\n[b]\nc = 1\n", "[b]\nc = 1\n"},
		{"codex", "[mcp_servers.acme]\ncommand = \"x\"\n", ""},
		{"cursor", `{"mcpServers": {"x": {}}}`, ""},
		{"cursor", ``, ""},
		{"codex", "[mcp_servers.acme2]\na = 1\n", ""},
	} {
		got, ok, err := setupOf(t, test.id, acme).Take([]byte(test.old))
		if string(got) != test.want || err != nil || ok != (strings.Contains(test.old, `"acme"`) || strings.Contains(test.old, "acme]")) {
			t.Errorf("%q: %q, %t, %v, want %q", test.old, got, ok, err, test.want)
		}
	}
}

// A file that cannot be edited safely is refused.
func TestRefused(t *testing.T) {
	for _, test := range []struct {
		id, old   string
		put, take bool // whether it is refused
	}{
		{"zed", "{\"a\": }", true, true},
		{"zed", "[]", true, true},
		{"zed", strings.Repeat("[", MaxFile), true, true},
		{"zed", strings.Repeat(`{"context_servers":`, 50_000), true, true},
		{"zed", "null", true, true},
		{"zed", `{"context_servers": []}`, true, true},
		{"zed", `{"context_servers": {"acme": 1}}`, true, true},
		{"zed", `{"context_servers": {}, "context_servers": {"acme": {"command": "x"}}}`, true, true},
		{"zed", `{"context_servers": {"acme": {}, "\u0061cme": {}}}`, true, true},
		{"zed", `{"context_servers": {"acme": {"command": "x" /* old */}}}`, true, false},
		{"zed", "\xff", true, true},
		{"zed", strings.Repeat(" ", MaxFile+1), true, true},
		{"zed", "{\"a\": 1 /* x }", true, true},
		{"codex", "a = \n", true, true},
		{"codex", "a = 1\na = 2\n", true, true},
		{"codex", "mcp_servers = {acme = {command = \"x\"}}\n", true, true},
		{"codex", "mcp_servers = {b = {command = \"x\"}}\n", true, false},
		{"codex", "[mcp_servers]\nacme = {command = \"x\"}\n", true, true},
		{"codex", "[[mcp_servers]]\nx = 1\n", true, true},
		{"codex", "[mcp_servers.acme]\ncommand = \"x\" # old\n", true, true},
		{"codex", "[mcp_servers.acme]\ncommand = '''\n[x]\n'''\n", true, true},
		{"goose", "extensions: {}\n", true, true},
		{"jetbrains", "", true, true},
	} {
		setup := setupOf(t, test.id, acme)
		if got, err := setup.Put([]byte(test.old)); (err != nil) != test.put {
			t.Errorf("%s: put in %.60q: %q, %v", test.id, test.old, got, err)
		}
		if got, ok, err := setup.Take([]byte(test.old)); (err != nil) != test.take || ok && test.take {
			t.Errorf("%s: taken out of %.60q: %q, %v", test.id, test.old, got, err)
		}
	}
}

// An entry of another server stays, so that its headers do not go to the new server.
func TestAnotherServer(t *testing.T) {
	for id, old := range map[string]string{
		"cursor": `{"mcpServers": {"acme": {"url": "https://b.example", "headers": {"Authorization": "Bearer 123"}}}}`,
		"codex":  "[mcp_servers.acme]\nurl = \"https://b.example\"\nhttp_headers = { Authorization = \"Bearer 123\" }\n",
	} {
		for _, s := range []Server{remote, acme} {
			setup := setupOf(t, id, s)
			if got, err := setup.Put([]byte(old)); err == nil {
				t.Errorf("%s: %s", id, got)
			}
		}
	}
}

// FuzzEditJSON: Put loses nothing in the file, and Take undoes Put.
func FuzzEditJSON(f *testing.F) {
	for _, text := range []string{"", "{}", `{"mcpServers":{"acme":{"x":1},"b":2}, "c": [null, {}]}`, "{\n\t\"a\": \"\\ud800\",\n\t\"mcpServers\": {\n\t}\n}\r\n", `{"mcpServers": {"b": {},"c":{}}}`, `{"mcpServers": {"": {}}}`,
		"{ // a\n\"mcpServers\": {/* b */}, // c\n}", "{\"mcpServers\": {\"b\": {} // c\n} /* d\n */}", "{/* a */ \"mcpServers\": {\n// b\n\"acme\": {// c\n}, // d\n} /* e */,\n/* f */ } // g"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		edits(t, "cursor", text, func(text string) (map[string]any, string) { return contents(t, text) })
	})
}

// edits checks that Put loses nothing in a file, with read as the reader of its contents and comments, and that Take undoes Put.
func edits(t *testing.T, id, text string, read func(string) (map[string]any, string)) {
	t.Helper()
	setup := setupOf(t, id, acme)
	key := map[string]string{"cursor": "mcpServers", "codex": "mcp_servers"}[id]
	out, err := setup.Put([]byte(text))
	if err != nil {
		t.Skip("refused")
	}
	before, comments := read(text)
	after, commentsAfter := read(string(out))
	entry, ok := after[key].(map[string]any)["acme"].(map[string]any)
	if !ok || entry["command"] != "/bin/m" || !cmp.Equal(entry["args"], []any{"serve", "/a b"}) {
		t.Fatalf("%q becomes %q", text, out)
	}
	if b, a := fmt.Sprint(without(before)), fmt.Sprint(without(after)); b != a || comments != commentsAfter { // as text, NaN equals NaN
		t.Errorf("%q becomes %q, and its comments %q become %q", text, out, comments, commentsAfter)
	}
	if again, err := setup.Put(out); err != nil || string(again) != string(out) {
		t.Errorf("%q becomes %q, and then %q: %v", text, out, again, err)
	}
	taken, ok, err := setup.Take(out)
	if err != nil {
		t.Skip("the entry cannot be removed alone")
	}
	left, _ := read(string(taken)) // comments next to the entry are about it
	if servers, _ := left[key].(map[string]any); !ok || fmt.Sprint(without(before)) != fmt.Sprint(without(left)) || servers["acme"] != nil {
		t.Errorf("%q is left of %q", taken, text)
	}
}

// contents returns the contents of a file and its comments, without blanks and commas.
func contents(t *testing.T, text string) (v map[string]any, comments string) {
	t.Helper()
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.TrimSpace(text) == "" {
		return map[string]any{}, ""
	}
	root, err := parseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	v, _ = plain(root).(map[string]any)
	root.Standardize() // blanks replace comments
	var all []byte
	for i, c := range root.Pack() {
		if c == ' ' && text[i] != ',' {
			all = append(all, text[i])
		}
	}
	return v, strings.Join(strings.Fields(string(all)), "")
}

// without returns a configuration without the entry, and without the object of servers if it has no other
// entry.
func without(file map[string]any) map[string]any {
	file = maps.Clone(file)
	for _, key := range []string{"mcpServers", "mcp_servers"} {
		if servers, ok := file[key].(map[string]any); ok {
			servers = maps.Clone(servers)
			delete(servers, "acme")
			if file[key] = servers; len(servers) == 0 {
				delete(file, key)
			}
		}
	}
	return file
}

// FuzzEditTOML is [FuzzEditJSON] for TOML. Another library than the editing one reads the results.
func FuzzEditTOML(f *testing.F) {
	for _, text := range []string{"", "a = 1", "[mcp_servers.acme]\nurl='x'\nargs=[\n1]\n[mcp_servers.acme.env]\nA='b'\n[c]\n", "[mcp_servers.b]\r\nx=1\r\n[[d]]\r\n[[d]]\r\n", "a='''\n[mcp_servers.acme]\n'''\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := toml.Unmarshal([]byte(text), new(map[string]any)); err != nil {
			t.Skip("the libraries differ in what they take")
		}
		edits(t, "codex", text, func(text string) (v map[string]any, comments string) {
			must.Do(t, toml.Unmarshal([]byte(text), &v))
			return v, ""
		})
	})
}

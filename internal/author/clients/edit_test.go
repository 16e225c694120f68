package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
)

func setupOf(t testing.TB, id string, s Server) Setup {
	t.Helper()
	c, ok := Find(id)
	if !ok {
		t.Fatalf("there is no client %q", id)
	}
	setup, err := c.Setup(s, Linux)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

var acme = Local("acme", "/bin/m", "serve", "/a b")

// Put keeps the other content of the file, and its layout.
func TestPut(t *testing.T) {
	for _, test := range []struct {
		name, id  string
		s         Server
		old, want string
	}{
		{"a new file", "cursor", acme, "", "{\n  \"mcpServers\": {\n    \"acme\": {\n      \"command\": \"/bin/m\",\n      \"args\": [\"serve\", \"/a b\"]\n    }\n  }\n}\n"},
		{"blanks", "cursor", Remote("acme", "https://a.example/mcp"), " \n", "{\n  \"mcpServers\": {\n    \"acme\": {\n      \"url\": \"https://a.example/mcp\"\n    }\n  }\n}\n"},
		{"an empty object", "cursor", Remote("acme", "https://a.example/mcp"), "{}", "{\n  \"mcpServers\": {\n    \"acme\": {\n      \"url\": \"https://a.example/mcp\"\n    }\n  }\n}"},
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
        "other": {"command": "x"},
        "acme": {
            "command": "/bin/m",
            "args": ["serve", "/a b"]
        }
    },
    "a":   [1,2]
}
`},
		{"tabs, no servers yet", "zed", acme, "{\n\t\"theme\": \"x\"\n}\n",
			"{\n\t\"theme\": \"x\",\n\t\"context_servers\": {\n\t\t\"acme\": {\n\t\t\t\"command\": \"/bin/m\",\n\t\t\t\"args\": [\"serve\", \"/a b\"]\n\t\t}\n\t}\n}\n"},
		{"an empty object of servers", "vscode", Remote("acme", "https://a.example"), "{\n  \"servers\": {},\n  \"inputs\": []\n}\n",
			"{\n  \"servers\": {\n    \"acme\": {\n      \"type\": \"http\",\n      \"url\": \"https://a.example\"\n    }\n  },\n  \"inputs\": []\n}\n"},
		{"one line", "cursor", acme, `{"mcpServers": {"x": {}}}`, `{"mcpServers": {"x": {}, "acme": {"command": "/bin/m", "args": ["serve", "/a b"]}}}`},
		{"one line, no servers", "cursor", acme, `{"a": 1}`, `{"a": 1, "mcpServers": {"acme": {"command": "/bin/m", "args": ["serve", "/a b"]}}}`},
		{"servers on one line of several", "cursor", acme, "{\n  \"mcpServers\": {\"x\": {}}\n}", "{\n  \"mcpServers\": {\"x\": {}, \"acme\": {\"command\": \"/bin/m\", \"args\": [\"serve\", \"/a b\"]}}\n}"},
		{"lines and a mark of Windows", "cursor", Remote("acme", "https://a.example"), "\ufeff{\r\n  \"a\": 1\r\n}\r\n",
			"\ufeff{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"acme\": {\r\n      \"url\": \"https://a.example\"\r\n    }\r\n  }\r\n}\r\n"},
		{"an entry of its own is updated, and keeps the rest", "cline", acme, `{
  "mcpServers": {
    "acme": {
      "type": "streamableHttp",
      "url": "https://old.example",
      "disabled": true,
      "env": {"A": "b"}
    },
    "z": {}
  }
}
`, `{
  "mcpServers": {
    "acme": {
      "disabled": true,
      "env": {"A": "b"},
      "command": "/bin/m",
      "args": ["serve", "/a b"]
    },
    "z": {}
  }
}
`},
		{"only what differs", "cursor", acme, `{"mcpServers": {"acme": {"type": "stdio", "command":   "/bin/m", "args": [], "env": {}}}}`,
			`{"mcpServers": {"acme": {"type": "stdio", "command":   "/bin/m", "args": ["serve", "/a b"], "env": {}}}}`},
		{"nothing differs", "cursor", acme, `{"mcpServers": {"acme": {"args": [ "serve","/a b" ], "command": "\u002fbin/m"}}}`,
			`{"mcpServers": {"acme": {"args": [ "serve","/a b" ], "command": "\u002fbin/m"}}}`},
		{"opencode 1", "opencode", acme, `{"mcp": {"servers": {"type": "local", "command": ["x"]}}}`,
			`{"mcp": {"servers": {"type": "local", "command": ["x"]}, "acme": {"type": "local", "command": ["/bin/m", "serve", "/a b"]}}}`},
		{"opencode 2", "opencode", acme, `{"mcp": {"servers": {"x": {}}}}`,
			`{"mcp": {"servers": {"x": {}, "acme": {"type": "local", "command": ["/bin/m", "serve", "/a b"]}}}}`},
		{"toml, a new file", "codex", acme, "", "\n[mcp_servers.acme]\ncommand = \"/bin/m\"\nargs = [\"serve\", \"/a b\"]\n"},
		{"toml, without a last line end", "codex", acme, "model = \"x\"\n[a]\nb = 1", "model = \"x\"\n[a]\nb = 1\n\n[mcp_servers.acme]\ncommand = \"/bin/m\"\nargs = [\"serve\", \"/a b\"]\n"},
		{"toml, an entry is updated", "codex", acme, "[mcp_servers.acme]\nurl = \"https://a.example\"\nstartup_timeout_sec = 5\n\n[mcp_servers.acme.env]\nA = '''\n[x]\n'''\n\n[z]\na = 1\n",
			"[mcp_servers.acme]\nstartup_timeout_sec = 5\ncommand = \"/bin/m\"\nargs = [\"serve\", \"/a b\"]\n\n[mcp_servers.acme.env]\nA = '''\n[x]\n'''\n\n[z]\na = 1\n"},
		{"toml, only what differs", "codex", acme, "[mcp_servers.\"acme\"]\ncommand = '/bin/m'\nargs = [\n  \"x\",\n]\nenabled = false\n",
			"[mcp_servers.\"acme\"]\ncommand = '/bin/m'\nargs = [\"serve\", \"/a b\"]\nenabled = false\n"},
		{"toml, nothing differs", "codex", acme, "[mcp_servers.acme]\r\nargs = ['serve', '/a b']\r\ncommand = '/bin/m'", "[mcp_servers.acme]\r\nargs = ['serve', '/a b']\r\ncommand = '/bin/m'"},
		{"toml, only a table below", "codex", Remote("acme", "https://a.example"), "[mcp_servers.acme.env]\nA = \"b\"\n", "[mcp_servers.acme.env]\nA = \"b\"\n\n[mcp_servers.acme]\nurl = \"https://a.example\"\n"},
		{"toml, a header alone", "codex", Remote("acme", "https://a.example"), "[mcp_servers.acme]", "[mcp_servers.acme]\nurl = \"https://a.example\"\n"},
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
		if _, ok, err := setup.Take(got); !ok || err != nil {
			t.Errorf("%s: taken out is %t, %v", test.name, ok, err)
		}
	}
}

func TestTake(t *testing.T) {
	for _, test := range []struct{ id, old, want string }{
		{"cursor", "{\n  \"mcpServers\": {\n    \"x\": {},\n    \"acme\": {\n      \"command\": \"y\"\n    }\n  }\n}\n", "{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n"},
		{"cursor", "{\n  \"mcpServers\": {\n    \"acme\": {},\n    \"x\": {}\n  }\n}\n", "{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n"},
		{"cursor", "{\"a\": 1, \"mcpServers\": { \"acme\": {} }}", "{\"a\": 1, \"mcpServers\": {}}"},
		{"cursor", "{\"mcpServers\": {\"acme\": {}, \"x\": {}}}", "{\"mcpServers\": {\"x\": {}}}"},
		{"opencode", `{"mcp": {"servers": {"acme": {}}, "acme": {}}}`, `{"mcp": {"servers": {}, "acme": {}}}`},
		{"codex", "a = 1\n\n[mcp_servers.acme]\ncommand = \"x\"\n\n[mcp_servers.acme.env]\nB = 1\n", "a = 1\n"},
		{"codex", "[mcp_servers.acme]\ncommand = \"x\"\n\n[b]\nc = 1\n\n[mcp_servers.acme.env]\nB = 1\n", "[b]\nc = 1\n"},
		{"codex", "[mcp_servers.acme]\ncommand = \"x\"\n", ""},
		{"cursor", `{"mcpServers": {"x": {}}}`, ""},
		{"cursor", `{}`, ""},
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
	for _, test := range []struct{ id, old, want string }{
		{"zed", "{\"a\": }", "is not JSON: line 1, column 7"},
		{"zed", "[]", "is not a JSON object"},
		{"zed", "{\"context_servers\": []}", `has a "context_servers" that is not an object`},
		{"zed", "{\"context_servers\": {}, \"context_servers\": {}}", `has the key "context_servers" twice`},
		{"zed", "{\"context_servers\": {\"acme\": {}, \"\\u0061cme\": {}}}", `has the key "acme" twice`},
		{"zed", "\xff", "is not UTF-8"},
		{"zed", strings.Repeat(" ", MaxFile+1), "has more than 1 MiB"},
		{"codex", "a = 1 # b\n", "has comments"},
		{"codex", "a = [ 1, # b\n 2 ]\n", "has comments"},
		{"codex", "a = \n", "is not TOML"},
		{"codex", "a = 1\na = 2\n", "is not TOML"},
		{"codex", "mcp_servers = {acme = {command = \"x\"}}\n", "in another form"},
		{"codex", "[mcp_servers]\nacme = {command = \"x\"}\n", `has "mcp_servers.acme" in another form`},
		{"codex", "mcp_servers.acme.command = \"x\"\n", "in another form"},
		{"codex", "[[mcp_servers]]\nx = 1\n", "has an array [[mcp_servers]]"},
		{"codex", "[[mcp_servers.acme]]\nx = 1\n", "has an array [[mcp_servers.acme]]"},
		{"goose", "extensions: {}\n", "is yaml, which is not edited"},
		{"zed", "{\"a\": 1 /* x }", "is not JSON"},
		{"jetbrains", "", "has no file"},
	} {
		setup := setupOf(t, test.id, acme)
		if got, err := setup.Put([]byte(test.old)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: put in %.40q: %q, %v, want %q", test.id, test.old, got, err, test.want)
		}
		if got, ok, err := setup.Take([]byte(test.old)); err == nil || !strings.Contains(err.Error(), test.want) || ok {
			t.Errorf("%s: taken out of %.40q: %q, %v, want %q", test.id, test.old, got, err, test.want)
		}
	}
}

func TestPutOverNoObject(t *testing.T) {
	if got, err := setupOf(t, "zed", acme).Put([]byte(`{"context_servers": {"acme": 1}}`)); err == nil || !strings.Contains(err.Error(), `has a "acme" that is not an object`) {
		t.Errorf("%q, %v", got, err)
	}
}

// Comments and commas of JSON stay where they are.
func TestComments(t *testing.T) {
	remote := Remote("acme", "https://a.example")
	for _, test := range []struct {
		name, id  string
		s         Server
		old, want string
	}{
		{"before the file", "zed", acme, "// settings\n{}\n",
			"// settings\n{\n  \"context_servers\": {\n    \"acme\": {\n      \"command\": \"/bin/m\",\n      \"args\": [\"serve\", \"/a b\"]\n    }\n  }\n}\n"},
		{"at the end of a line", "vscode", remote, "{\n\t// ours\n\t\"servers\": {\n\t\t\"x\": {} // other\n\t\t// last\n\t}, // end\n}\n",
			"{\n\t// ours\n\t\"servers\": {\n\t\t\"x\": {}, // other\n\t\t// last\n\t\t\"acme\": {\n\t\t\t\"type\": \"http\",\n\t\t\t\"url\": \"https://a.example\"\n\t\t}\n\t}, // end\n}\n"},
		{"a comma after the last member", "vscode", remote, "{\n  \"servers\": {\n    \"x\": {}, // c\n  },\n}\n",
			"{\n  \"servers\": {\n    \"x\": {}, // c\n    \"acme\": {\n      \"type\": \"http\",\n      \"url\": \"https://a.example\"\n    },\n  },\n}\n"},
		{"no servers yet", "zed", remote, "{\n  \"theme\": \"x\", /* dark */\n}\n",
			"{\n  \"theme\": \"x\", /* dark */\n  \"context_servers\": {\n    \"acme\": {\n      \"url\": \"https://a.example\"\n    }\n  },\n}\n"},
		{"nothing but a comment", "zed", remote, "{\n  // empty\n}\n",
			"{\n  // empty\n  \"context_servers\": {\n    \"acme\": {\n      \"url\": \"https://a.example\"\n    }\n  }\n}\n"},
		{"one line", "zed", remote, "{\"a\": 1 // c\n}", "{\"a\": 1, // c\n  \"context_servers\": {\"acme\": {\"url\": \"https://a.example\"}}\n}"},
		{"in the entry", "zed", remote, "{\"context_servers\": {\"acme\": {\n  // where\n  \"url\": \"https://old.example\", // old\n  \"command\": \"x\", // gone\n  \"env\": {}\n}}}",
			"{\"context_servers\": {\"acme\": {\n  // where\n  \"url\": \"https://a.example\", // old\n  // gone\n  \"env\": {}\n}}}"},
	} {
		setup := setupOf(t, test.id, test.s)
		got, err := setup.Put([]byte(test.old))
		if diff := cmp.Diff(test.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
		}
		if again, err := setup.Put(got); err != nil || string(again) != string(got) {
			t.Errorf("%s: the second time, %v:\n%s", test.name, err, again)
		}
	}
	for old, want := range map[string]string{
		"{\n  \"context_servers\": {\n    // ours\n    \"acme\": {}, // added\n    \"x\": {},\n  }\n}": "{\n  \"context_servers\": {\n    // ours\n    // added\n    \"x\": {},\n  }\n}",
		"{\n  \"context_servers\": {\n    \"x\": {}, // x\n    \"acme\": {}, // added\n  }\n}":         "{\n  \"context_servers\": {\n    \"x\": {}, // x\n    // added\n  }\n}",
		"{\"context_servers\": {/* a */ \"acme\": {}}}":                                                "{\"context_servers\": {/* a */\n}}",
	} {
		if got, ok, err := setupOf(t, "zed", acme).Take([]byte(old)); string(got) != want || !ok || err != nil {
			t.Errorf("%q: %q, %t, %v, want %q", old, got, ok, err, want)
		}
	}
}

// A # in a string is not a comment.
func TestNoComments(t *testing.T) {
	for id, old := range map[string]string{"codex": "a = '# x'\nb = \"\"\"\n# y\n\"\"\"\n", "zed": `{"a": "// x /* y */", "b": "https://x"}`} {
		if got, err := setupOf(t, id, acme).Put([]byte(old)); err != nil || !strings.Contains(string(got), "acme") {
			t.Errorf("%s: %q, %v", id, got, err)
		}
	}
}

// FuzzEditJSON: Put loses nothing in the file, and Take undoes Put.
func FuzzEditJSON(f *testing.F) {
	for _, text := range []string{"", "{}", `{"mcpServers":{"acme":{"x":1},"b":2}, "c": [null, {}]}`, "{\n\t\"a\": \"\\ud800\",\n\t\"mcpServers\": {\n\t}\n}\r\n", `{"mcpServers": {"b": {},"c":{}}}`,
		"{ // a\n\"mcpServers\": {/* b */}, // c\n}", "{\"mcpServers\": {\"b\": {} // c\n} /* d\n */}", "{/* a */ \"mcpServers\": {\n// b\n\"acme\": {// c\n}, // d\n} /* e */,\n/* f */ } // g"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		setup := setupOf(t, "cursor", acme)
		out, err := setup.Put([]byte(text))
		if err != nil {
			t.Skip("refused")
		}
		before, after := decodeFile(t, text), decodeFile(t, string(out))
		entry, ok := after["mcpServers"].(map[string]any)["acme"].(map[string]any)
		if !ok || entry["command"] != "/bin/m" || !cmp.Equal(entry["args"], []any{"serve", "/a b"}) {
			t.Fatalf("%q becomes %q", text, out)
		}
		if diff := cmp.Diff(without(before), without(after)); diff != "" {
			t.Errorf("%q becomes %q (-before +after):\n%s", text, out, diff)
		}
		if again, err := setup.Put(out); err != nil || string(again) != string(out) {
			t.Errorf("%q becomes %q, and then %q: %v", text, out, again, err)
		}
		if b, a := comments(t, []byte(text)), comments(t, out); b != a && before["mcpServers"] == nil {
			t.Errorf("the comments %q of %q become %q in %q", b, text, a, out)
		}
		taken, ok, err := setup.Take(out)
		if err != nil || !ok {
			t.Fatalf("%q: %t, %v", out, ok, err)
		}
		if left := decodeFile(t, string(taken)); !cmp.Equal(without(before), without(left)) || left["mcpServers"].(map[string]any)["acme"] != nil {
			t.Errorf("%q is left of %q", taken, text)
		}
	})
}

func decodeFile(t *testing.T, text string) map[string]any {
	t.Helper()
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.TrimSpace(text) == "" {
		return map[string]any{}
	}
	plain, err := hujson.Standardize([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	text = string(plain)
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// comments returns all comments of a JSON text, without blanks.
func comments(t *testing.T, text []byte) string {
	t.Helper()
	_, text = cutMark(text)
	if len(strings.TrimSpace(string(text))) == 0 {
		return ""
	}
	doc, err := hujson.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	var walk func(hujson.Value)
	walk = func(v hujson.Value) {
		all.Write(v.BeforeExtra)
		switch inner := v.Value.(type) {
		case *hujson.Object:
			for _, m := range inner.Members {
				walk(m.Name)
				walk(m.Value)
			}
			all.Write(inner.AfterExtra)
		case *hujson.Array:
			for _, e := range inner.Elements {
				walk(e)
			}
			all.Write(inner.AfterExtra)
		}
		all.Write(v.AfterExtra)
	}
	walk(doc)
	return strings.Join(strings.Fields(all.String()), "")
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
		setup := setupOf(t, "codex", acme)
		var before, after, left map[string]any
		if _, err := toml.Decode(text, &before); err != nil {
			t.Skip("the libraries differ in what they take")
		}
		out, err := setup.Put([]byte(text))
		if err != nil {
			t.Skip("refused")
		}
		if _, err := toml.Decode(string(out), &after); err != nil {
			t.Fatalf("%q becomes %q: %v", text, out, err)
		}
		entry, ok := after["mcp_servers"].(map[string]any)["acme"].(map[string]any)
		if !ok || entry["command"] != "/bin/m" || !cmp.Equal(entry["args"], []any{"serve", "/a b"}) {
			t.Fatalf("%q becomes %q", text, out)
		}
		if b, a := inspect(without(before)), inspect(without(after)); b != a {
			t.Errorf("%q becomes %q", text, out)
		}
		if again, err := setup.Put(out); err != nil || string(again) != string(out) {
			t.Errorf("%q becomes %q, and then %q: %v", text, out, again, err)
		}
		taken, ok, err := setup.Take(out)
		if err != nil || !ok {
			t.Fatalf("%q: %t, %v", out, ok, err)
		}
		if _, err := toml.Decode(string(taken), &left); err != nil || inspect(without(left)) != inspect(without(before)) {
			t.Errorf("%q is left of %q: %v", taken, text, err)
		}
	})
}

// inspect returns a value as text, in which NaN equals NaN.
func inspect(v any) string { return fmt.Sprint(v) }

package skills

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func scan(t *testing.T, fsys fstest.MapFS) *loader.Catalog {
	t.Helper()
	return must.Get(loader.Scan(t.Context(), fsys, loader.Options{Mounts: []loader.Mount{Mount()}}))(t)
}

func read(t *testing.T, r *Reader, c *loader.Catalog, uri string) (*Skill, int64, error) {
	t.Helper()
	skill, ok := c.Lookup(uri)
	if !ok || !skill.IsSkill() {
		t.Fatalf("%s is not a skill", uri)
	}
	return r.Read(t.Context(), c, skill)
}

func TestEntry(t *testing.T) {
	manifest := "---\nname: git\ndescription: Uses Git\nmetadata:\n  version: \"1\"\n---\n# Git\n"
	c := scan(t, given.Files("skills/git/SKILL.md="+manifest, "skills/git/a b.md=1", "skills/git/sub/SKILL.md=22", "skills/other.md=no"))
	r := NewReader()
	s, bytes, err := read(t, r, c, "skill://git/SKILL.md")
	must.Do(t, err)
	want := `{"uri":"skill://git/SKILL.md","frontmatter":{"description":"Uses Git","metadata":{"version":"1"},"name":"git"},"resources":[` +
		fmt.Sprintf(`{"uri":"skill://git/SKILL.md","digest":"sha256:%x","size":%d},`, sha256.Sum256([]byte(manifest)), len(manifest)) +
		fmt.Sprintf(`{"uri":"skill://git/a%%20b.md","digest":"sha256:%x","size":1},`, sha256.Sum256([]byte("1"))) +
		fmt.Sprintf(`{"uri":"skill://git/sub/SKILL.md","digest":"sha256:%x","size":2}]}`, sha256.Sum256([]byte("22")))
	must.Equal(t, want, string(s.AppendJSON(nil)))
	if s.Name != "git" || s.Description != "Uses Git" || bytes != int64(2*len(manifest)+3) {
		t.Errorf("%+v, %d bytes", s, bytes)
	}
	// Unchanged files are not read again.
	if again, bytes, err := read(t, r, c, "skill://git/SKILL.md"); err != nil || bytes != 0 || !cmp.Equal(again, s) {
		t.Errorf("%+v, %d bytes, %v", again, bytes, err)
	}
}

func TestFrontMatter(t *testing.T) {
	head := "---\nname: a\ndescription: d\n"
	table := []struct{ text, json, problem string }{
		{"\ufeff" + head + "---", `{"name":"a","description":"d"}`, ""},
		{strings.ReplaceAll(head+"---\n", "\n", "\r\n"), `{"name":"a","description":"d"}`, ""},
		{"", "", "1: has no front matter: it must begin with a line ---, the fields name and description, and another line ---"},
		{"---\nname: " + strings.Repeat("a", 65) + "\ndescription: d\n---\n", "", "2: name has 65 characters, may have 64"},
		{head + bomb(7) + "---", "", "2: the front matter has too many aliases, or an alias that contains itself"},
		{"\xff\xfe-\x00", "", "is not UTF-8, which hosts read it as"},
		{"---\nname: a\ndescription: " + strings.Repeat("d", 1025) + "\n---\n", "*", "3: warning: description has 1025 characters, may have 1024"},
		{head + "metadata:\n  io.modelcontextprotocol/x: 1\n---", "*", "5: warning: metadata: the key \"io.modelcontextprotocol/x\" is reserved: keys that begin with io.modelcontextprotocol/ belong to MCP\n5: warning: metadata: the value of \"io.modelcontextprotocol/x\" must be a text; put it in quotes"},
	}
	for _, c := range given.Cases(t, "front-matter.txt") {
		test := struct{ text, json, problem string }{c.Text, c.Files["JSON"], c.Name}
		if strings.HasPrefix(c.Name, "valid: ") {
			test.problem = ""
		} else if strings.Contains(c.Name, "warning: ") {
			test.json = "*"
		}
		table = append(table, test)
	}
	for _, test := range table {
		c := scan(t, given.Files("skills/a/SKILL.md="+test.text))
		r := NewReader()
		var said []string
		found, err := r.Problems(t.Context(), c)
		must.Do(t, err)
		for _, p := range found {
			means := leftOut
			if p.Warning {
				means = kept
			}
			text, ok := strings.CutSuffix(p.String(), means)
			if !ok {
				t.Errorf("%.60q: %s does not end with %q", test.text, text, means)
			}
			said = append(said, strings.TrimPrefix(strings.TrimPrefix(text, "skills/a/SKILL.md:"), " "))
		}
		must.Equal(t, test.problem, strings.Join(said, "\n"), test.text)
		s, _, err := read(t, r, c, "skill://a/SKILL.md")
		_, invalid := errors.AsType[*InvalidError](err)
		switch {
		case test.json == "" && !invalid:
			t.Errorf("%.60q: %v", test.text, err)
		case test.json != "" && err != nil:
			t.Errorf("%.60q: %v", test.text, err)
		case test.json != "" && test.json != "*" && !cmp.Equal(decoded(t, string(s.FrontMatter)), decoded(t, test.json)):
			t.Errorf("%.60q is %s, want %s", test.text, s.FrontMatter, test.json)
		case err == nil && !json.Valid(s.AppendJSON(nil)):
			t.Errorf("%.60q is not JSON: %s", test.text, s.FrontMatter)
		}
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	must.Do(t, json.Unmarshal([]byte(text), &v))
	return v
}

// bomb is YAML whose aliases multiply.
func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("b0: &b0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range levels {
		fmt.Fprintf(&b, "b%d: &b%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*b%d, ", i), 10), ", "))
	}
	return b.String()
}

func TestLimits(t *testing.T) {
	valid := "---\nname: a\ndescription: d\n---\n"
	fsys := given.Files("skills/a/SKILL.md=" + valid)
	for i := range MaxFiles {
		fsys[fmt.Sprintf("skills/a/%03d", i)] = &fstest.MapFile{}
	}
	_, _, err := read(t, NewReader(), scan(t, fsys), "skill://a/SKILL.md")
	if err == nil || err.Error() != "the skill has 513 files, more than the 512 that all hosts accept" {
		t.Error(err)
	}
	delete(fsys, "skills/a/000")
	if _, _, err := read(t, NewReader(), scan(t, fsys), "skill://a/SKILL.md"); err != nil {
		t.Error(err)
	}
	fsys["skills/a/001"].Data = make([]byte, MaxBytes)
	_, _, err = read(t, NewReader(), scan(t, fsys), "skill://a/SKILL.md")
	if want := fmt.Sprintf("the files of the skill have %d bytes, more than the 16777216 that all hosts accept", MaxBytes+len(valid)); err == nil || err.Error() != want {
		t.Error(err)
	}
	fsys["skills/a/001"].Data = nil
	fsys["skills/a/SKILL.md"].Data = append([]byte(valid), make([]byte, maxManifest)...)
	_, _, err = read(t, NewReader(), scan(t, fsys), "skill://a/SKILL.md")
	if err == nil || !strings.Contains(err.Error(), "move some of it to other files of the skill") {
		t.Error(err)
	}
}

func TestSameName(t *testing.T) {
	text := "---\nname: a\ndescription: d\n---\n"
	found, err := NewReader().Problems(t.Context(), scan(t, given.Files("skills/a/SKILL.md="+text, "skills/x/a/SKILL.md="+text)))
	if err != nil || len(found) != 1 || found[0].String() != "skills/x/a/SKILL.md:2: warning: skill://a/SKILL.md has the name a too: hosts may show the two alike"+kept {
		t.Errorf("%v, %v", found, err)
	}
}

// If a skill has an error and a warning, the warning does not say that clients get the skill.
func TestWarningNextToError(t *testing.T) {
	found, err := NewReader().Problems(t.Context(), scan(t, given.Files("skills/a/SKILL.md=---\nname: b\nlicense: 1\n---\n")))
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	for _, p := range found {
		if strings.HasSuffix(p.Reason, kept) || strings.HasSuffix(p.Reason, leftOut) == p.Warning {
			t.Error(p)
		}
	}
}

// Each skill has a prompt, even if its name is taken.
func TestPromptNames(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, folder := range []string{"acme/git", "git", "later/git", "own", "acme/own", "skill/own", "skill/skill/x/deep", "x/deep", "y/deep"} {
		fsys["skills/"+folder+"/SKILL.md"] = &fstest.MapFile{Data: []byte("---\nname: " + path.Base(folder) + "\ndescription: " + folder + "\n---\n")}
	}
	var ofFiles []*prompts.Prompt
	for _, name := range []string{"own", "deep", "x/deep", "skill/x/deep"} {
		ofFiles = append(ofFiles, prompts.Literal(name, "of the file "+name, "", ""))
	}
	all := must.Get(NewReader().Prompts(t.Context(), scan(t, fsys), new(prompts.Set).With(ofFiles)))(t)
	got := make(map[string]string)
	for _, p := range all.Prompts() {
		got[p.Description] = p.Name
	}
	want := map[string]string{
		"of the file own": "own", "of the file deep": "deep", "of the file x/deep": "x/deep", "of the file skill/x/deep": "skill/x/deep",
		"git": "git", "acme/git": "acme/git", "later/git": "later/git",
		"own": "skill/own", "acme/own": "acme/own", "skill/own": "skill/skill/own",
		"skill/skill/x/deep": "skill/skill/skill/x/deep", "x/deep": "skill/skill/x/deep", "y/deep": "y/deep",
	}
	must.Equal(t, want, got)
}

// The digest of a changing SKILL.md always belongs to the same version as its front matter.
func TestChanges(t *testing.T) {
	fsys := given.Files("skills/a/SKILL.md=---\nname: a\ndescription: one\n---\n")
	c := scan(t, fsys)
	r := NewReader()
	if s, _, err := read(t, r, c, "skill://a/SKILL.md"); err != nil || s.Description != "one" {
		t.Fatal(s, err)
	}
	text := []byte("---\nname: a\ndescription: two\n---\n")
	fsys["skills/a/SKILL.md"] = &fstest.MapFile{Data: text, ModTime: time.Date(2026, 1, 2, 3, 4, 5, 7, time.UTC)}
	if s, _, err := read(t, r, c, "skill://a/SKILL.md"); err != nil || s.Description != "two" || s.Files[0].SHA256 != sha256.Sum256(text) {
		t.Fatal(s, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fsys["skills/a/SKILL.md"] = &fstest.MapFile{Data: []byte("gone"), ModTime: time.Now()}
	skill, _ := c.Lookup("skill://a/SKILL.md")
	if _, _, err := r.Read(ctx, c, skill); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Whatever a SKILL.md holds, it is refused, or its front matter is a JSON object with the name and
// the description.
func FuzzFrontMatter(f *testing.F) {
	f.Add("---\nname: a\ndescription: d\nx: &x [1, {y: *x}]\n---\n")
	f.Add("---\nname: a\ndescription: d\nmetadata: {a: \"\\x00\", b: 0x1F, c: 1e999}\n---\n")
	f.Add("---\n" + bomb(3) + "---\n")
	f.Fuzz(func(t *testing.T, text string) {
		m := parse([]byte(text))
		if m.problems.Err() != nil {
			return
		}
		var got struct{ Name, Description string }
		if err := json.Unmarshal(m.json, &got); err != nil || got.Name != m.name || got.Description != m.description || got.Name == "" {
			t.Errorf("%q is %s: %v", text, m.json, err)
		}
	})
}

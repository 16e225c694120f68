package media

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// utf16Bytes encodes text as it is, without adding a mark.
func utf16Bytes(order binary.AppendByteOrder, text string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return b
}

const lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12345\n"

func TestClassify(t *testing.T) {
	const marked = "\ufeffZ\u00fc\u20ac \U0001f600 \ufffd\r\n"
	le := string(utf16Bytes(binary.LittleEndian, marked))
	be := string(utf16Bytes(binary.BigEndian, marked))
	text := func(text, mime string) Content { return Content{Text: text, IsText: true, MIME: mime} }
	blob := func(mime string) Content { return Content{MIME: mime} }

	tests := []struct {
		about, name, declared, data string
		want                        Content
	}{
		{"empty, known text", "a.md", "", "", text("", "text/markdown")},
		{"empty, known binary", "a.png", "", "", text("", "image/png")},
		{"empty, unknown", "a", "", "", text("", "text/plain")},
		{"empty, declared", "a", "image/gif", "", text("", "image/gif")},

		{"UTF-8", "a.md", "", "Grüße\n", text("Grüße\n", "text/markdown")},
		{"UTF-8 mark stays", "a.md", "", "\ufeffa", text("\ufeffa", "text/markdown")},
		{"line ends stay", "a.md", "", "a\r\nb\rc\n", text("a\r\nb\rc\n", "text/markdown")},
		{"replacement character of its own", "a.md", "", "\ufffd", text("\ufffd", "text/markdown")},
		{"control characters", "a.txt", "", "\x1b[1m\x07\x01", text("\x1b[1m\x07\x01", "text/plain")},
		{"control characters, unknown", "a", "", "\x07\x01", text("\x07\x01", "text/plain")},
		{"text in a file of bytes", "a.bin", "", "abc", text("abc", "application/octet-stream")},
		{"drawing", "a.svg", "", "<svg/>", text("<svg/>", "image/svg+xml")},
		{"TypeScript", "a.ts", "", "let a", text("let a", "text/typescript")},
		{"transport stream", "a.ts", "", "G\x40\x00\x10\xff", blob("text/typescript")},

		{"UTF-16LE", "a.txt", "", le, text(marked, "text/plain")},
		{"UTF-16BE", "a.txt", "", be, text(marked, "text/plain")},
		{"UTF-16, unknown", "a", "", le, text(marked, "text/plain")},
		{"UTF-16 mark alone", "a.txt", "", "\xff\xfe", text("\ufeff", "text/plain")},
		{"UTF-16, odd", "a.txt", "", le + "a", blob("text/plain")},
		{"UTF-16, odd, unknown", "a", "", le + "a", blob("application/octet-stream")},
		{"UTF-16, U+0000", "a.txt", "", "\xff\xfea\x00\x00\x00", blob("text/plain")},
		{"UTF-16, low surrogate first", "a.txt", "", "\xff\xfe\x00\xdca\x00", blob("text/plain")},
		{"UTF-16, two high surrogates", "a.txt", "", "\xff\xfe\x00\xd8\x00\xd8", blob("text/plain")},
		{"UTF-16, high surrogate last", "a.txt", "", "\xfe\xff\xd8\x00", blob("text/plain")},
		{"UTF-16 without a mark", "a.txt", "", "a\x00b\x00", blob("text/plain")},
		{"UTF-32", "a.txt", "", "\xff\xfe\x00\x00a\x00\x00\x00", blob("text/plain")},
		{"UTF-32, unknown", "a", "", "\xff\xfe\x00\x00a\x00\x00\x00", blob("application/octet-stream")},

		{"Latin-1", "a.txt", "", "Gr\xfc\xdfe", blob("text/plain")},
		{"Latin-1, unknown", "a", "", "Gr\xfc\xdfe", blob("application/octet-stream")},
		{"NUL at the very end", "a.md", "", strings.Repeat("a", 9000) + "\x00", blob("text/markdown")},
		{"NUL at the very end, unknown", "a", "", strings.Repeat("a", 9000) + "\x00", blob("application/octet-stream")},
		{"cut character", "a.md", "", "abc\xe2\x82", blob("text/markdown")},
		{"surrogate in UTF-8", "a.md", "", "\xed\xa0\x80", blob("text/markdown")},
		{"overlong", "a.md", "", "\xc0\x80", blob("text/markdown")},

		{"picture of letters", "a.png", "", "not a picture", text("not a picture", "text/plain")},
		{"picture of another kind", "a.png", "image/png", "\xff\xd8\xff\xe0", blob("image/jpeg")},
		{"page instead of a picture", "a.png", "", "<!DOCTYPE html><p>404", text("<!DOCTYPE html><p>404", "text/html")},
		{"pointer of Git LFS", "a.zip", "", lfs, text(lfs, "text/plain")},
		{"long text of a pointer", "a.zip", "", lfs + strings.Repeat("\n", MaxPointer), blob("application/zip")},
		{"archive", "a.tar.gz", "", "letters", blob("application/gzip")},
		{"sniffed picture", "a", "", "\x89PNG\r\n\x1a\n", blob("image/png")},
		{"sniffed PDF of letters", "a", "", "%PDF-1.4\n", blob("application/pdf")},
		{"sniffed HTML", "a", "", "<!DOCTYPE html>", text("<!DOCTYPE html>", "text/html")},
		{"sniffed HTML in Latin-1", "a", "", "<!DOCTYPE html>\xfc", blob("text/html")},
		{"sniffed despite an unknown extension", "a.xyzzy", "", "#!/bin/sh\n", text("#!/bin/sh\n", "text/x-shellscript")},
		{"name before sniffing", "a.txt", "", "%PDF-1.4\n", text("%PDF-1.4\n", "text/plain")},

		{"declared wins", "a.md", "text/x-guide", "a", text("a", "text/x-guide")},
		{"declared binary, is text", "a.md", "font/otf", "a", text("a", "font/otf")},
		{"declared picture, is text", "a.md", "image/png", "a", text("a", "text/markdown")},
		{"declared text, is binary", "a.ico", "text/plain", "a", blob("text/plain")},
		{"declared text, sniffed binary", "a", "text/plain", "%PDF-1.4\n", blob("text/plain")},
		{"declared text, bytes", "a", "text/plain", "\xfc", blob("text/plain")},
		{"declared parameters", "a.md", "text/markdown; variant=GFM", "a", text("a", "text/markdown; variant=GFM")},
	}
	for _, tt := range tests {
		data := []byte(tt.data)
		got := Classify("folder/"+tt.name, tt.declared, data)
		must.Equal(t, tt.want, got, tt.about)
		if string(data) != tt.data {
			t.Errorf("%s: the data changed", tt.about)
		}
	}
}

func TestListed(t *testing.T) {
	// The head of a long file may end inside a character.
	fill := strings.Repeat("a", SniffLen-1)
	wide := string(utf16Bytes(binary.LittleEndian, "\ufeff"+strings.Repeat("a", SniffLen/2-2)+"\U0001f600 more"))
	tests := []struct{ about, name, declared, data, want string }{
		{"declared", "a", "text/x-guide", "\x89PNG\r\n\x1a\n", "text/x-guide"},
		{"by name", "a.md", "", "\x89PNG\r\n\x1a\n", "text/markdown"},
		{"empty", "a", "", "", "text/plain"},
		{"text", "a", "", "abc", "text/plain"},
		{"control characters", "a", "", "a\x07", "text/plain"},
		{"picture", "a", "", "\x89PNG\r\n\x1a\n", "image/png"},
		{"Latin-1", "a", "", "Gr\xfc\xdfe", "application/octet-stream"},
		{"cut UTF-8", "a", "", fill + "\u20ac more", "text/plain"},
		{"cut UTF-16", "a", "", wide, "text/plain"},
		{"as long as the head", "a", "", fill + "a", "text/plain"},
		{"broken within the head", "a", "", "\xe2\x82" + fill + fill, "application/octet-stream"},
		{"short and cut", "a", "", "abc\xe2\x82", "application/octet-stream"},
	}
	for _, tt := range tests {
		data := []byte(tt.data)
		for _, size := range []int{SniffLen, len(data)} {
			got, _ := Listed(tt.name, tt.declared, func() []byte { return data[:min(len(data), size)] })
			if got != tt.want {
				t.Errorf("%s: listed as %s, want %s", tt.about, got, tt.want)
			}
		}
		if got := Classify(tt.name, tt.declared, data).MIME; got != tt.want {
			t.Errorf("%s: classified as %s, want %s", tt.about, got, tt.want)
		}
	}
	for _, name := range []string{"a.md", "Makefile"} {
		Listed(name, "", func() []byte { t.Error("read the file " + name); return nil })
	}
}

// FuzzClassify states that text can be converted back to the bytes of the file, that it has a
// replacement character only if the file has one, and that Listed agrees with Classify if it reads
// the whole file.
func FuzzClassify(f *testing.F) {
	for _, seed := range []string{
		"", "a", "\ufeffa", "a\x00", "\xff\xfea\x00", "\xfe\xff\x00a", "\xff\xfe\x00\xd8\x00\xdc", "\xff\xfe\xfd\xff",
		"\xff\xfe\x00\x00", "\xfc", "%PDF-", "MZ", "{\"a\":[1]}", "<svg/>", "a,b\nc,d\n", "\x89PNG\r\n\x1a\n",
	} {
		f.Add("a", []byte(seed))
		f.Add("a.txt", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		before := bytes.Clone(data)
		c := Classify(name, "", data)
		if !bytes.Equal(before, data) {
			t.Fatal("the data changed")
		}
		switch {
		case !c.IsText:
			if c.Text != "" {
				t.Fatal("a blob with text")
			}
			if _, known := ByName(name); !known && c.MIME == plain {
				t.Fatal("a blob sniffed as plain text")
			}
		case !utf8.ValidString(c.Text) || strings.Contains(c.Text, "\x00"):
			t.Fatalf("%q is not text", c.Text)
		case c.Text == string(data):
			if _, known := ByName(name); !known && len(data) > 0 && Binary(c.MIME) {
				t.Fatalf("text sniffed as %s", c.MIME)
			}
		case !bytes.Equal(utf16Bytes(binary.LittleEndian, c.Text), data) &&
			!bytes.Equal(utf16Bytes(binary.BigEndian, c.Text), data):
			t.Fatalf("%q does not encode to %q", c.Text, data)
		}
		if len(data) < SniffLen {
			if got, _ := Listed(name, "", func() []byte { return data }); got != c.MIME {
				t.Fatalf("listed as %s, classified as %s", got, c.MIME)
			}
		}
	})
}

// The only allocation for a text is the text; UTF-16 is decoded first.
func TestAllocations(t *testing.T) {
	utf8Text := bytes.Repeat([]byte("Grüße "), 1000)
	utf16Text := utf16Bytes(binary.LittleEndian, "\ufeff"+string(utf8Text))
	for what, test := range map[string]struct {
		want float64
		do   func()
	}{
		"UTF-8":       {1, func() { Classify("a.md", "", utf8Text) }},
		"UTF-16":      {2, func() { Classify("a.md", "", utf16Text) }},
		"a blob":      {0, func() { Classify("a.zip", "", utf8Text) }},
		"a judgement": {0, func() { Examine("a.md", "", utf8Text) }},
		"names": {0, func() {
			for _, name := range []string{"docs/guide.md", "Makefile", "IMAGE.PNG", "a.unknown"} {
				ByName(name)
			}
		}},
	} {
		if n := testing.AllocsPerRun(10, test.do); n != test.want {
			t.Errorf("%s: %v allocations, want %v", what, n, test.want)
		}
	}
}

func TestByName(t *testing.T) {
	tests := []struct{ name, want string }{
		{"a.md", "text/markdown"},
		{"a.mdx", "text/mdx"},
		{"a.ts", "text/typescript"},
		{"a.d.ts", "text/typescript"},
		{"a.go", "text/x-go"},
		{"a.py", "text/x-python"},
		{"a.java", "text/x-java-source"},
		{"a.sh", "application/x-sh"},
		{"a.svelte", "text/x-svelte"},
		{"a.ipynb", "application/x-ipynb+json"},
		{"a.yaml", "text/yaml"},
		{"a.lock", "text/plain"},
		{"a.tar.gz", "application/gzip"},
		{"123.123", "application/vnd.lotus-1-2-3"},

		{"A.MD", "text/markdown"},
		{"docs.png/a.Md", "text/markdown"},
		{".md", "text/markdown"},
		{"a.disposition-notification", "message/disposition-notification"},

		{"Makefile", "text/x-makefile"},
		{"sub/GNUmakefile", "text/x-makefile"},
		{"Dockerfile", "text/x-dockerfile"},
		{"app.Dockerfile", "text/x-dockerfile"},
		{"LICENSE", "text/plain"},
		{"readme", "text/plain"},
		{".gitignore", "text/plain"},
		{".env", "text/plain"},
		{"go.mod", "text/plain"},
		{"CMakeLists.txt", "text/x-cmake"},

		{"", ""},
		{".", ""},
		{"a", ""},
		{"md", ""},
		{"a.", ""},
		{"a.md/", ""},
		{"a.md/b", ""},
		{"a.unknown", ""},
		{"www.example.com", ""},
		{"a.md ", ""},
		{"a.\u212ad", ""}, // KELVIN SIGN
		{"a.disposition-notifications", ""},
		{"README-" + strings.Repeat("x", 300), ""},
	}
	for _, tt := range tests {
		got, ok := ByName(tt.name)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("ByName(%q) = %q, %v; want %q", tt.name, got, ok, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	wellFormed := regexp.MustCompile(`^(application|audio|font|image|message|model|text|video|chemical|x-conference)/[a-z0-9][a-z0-9.+_-]*$`)
	longest, last := 0, ""
	seen := make(map[string]bool)
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		names := strings.Fields(line)
		mime := strings.TrimRight(names[0], "!~")
		if names = names[1:]; mime <= last || !slices.IsSorted(names) || !wellFormed.MatchString(mime) {
			t.Errorf("%q is not in order", line)
		}
		last = mime
		for _, name := range names {
			whole, ok := strings.CutPrefix(name, "=")
			if seen[name] || name != strings.ToLower(name) || strings.Contains(name, "/") || !ok && strings.Contains(name, ".") {
				t.Errorf("%q has two types, or is not a name", name)
			}
			seen[name] = true
			if !ok {
				whole = "x." + name
			}
			if got, _ := ByName(strings.ToUpper(whole)); got != mime {
				t.Errorf("ByName does not find %q", name)
			}
			longest = max(longest, len(strings.TrimPrefix(name, "=")))
		}
	}
	if len(seen) < 1000 || longest != maxKey {
		t.Errorf("the table has %d names; maxKey is %d, the longest has %d", len(seen), maxKey, longest)
	}
}

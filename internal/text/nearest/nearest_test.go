package nearest

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestOf(t *testing.T) {
	fields := []string{"uriTemplate", "name", "title", "description", "mimeType", "annotations", "icons", "describe"}
	tests := []struct {
		word       string
		candidates []string
		limit      int
		want       []string
	}{
		{"mimetype", fields, 3, []string{"mimeType"}},
		{"mime_type", fields, 3, []string{"mimeType"}},
		{"uriTemplat", fields, 3, []string{"uriTemplate"}},
		{"uritemplaet", fields, 3, []string{"uriTemplate"}},
		{"desc", fields, 3, []string{"describe", "description"}},
		{"descr", fields, 1, []string{"describe"}},
		{"icon", fields, 3, []string{"icons"}},
		{"nmae", fields, 3, []string{"name"}},
		{"template", fields, 3, []string{"uriTemplate"}},
		{"colour", fields, 3, nil},
		{"", fields, 3, nil},
		{"x", []string{"y", "xy"}, 3, []string{"xy"}},
		{"ab", []string{"cd", "ba"}, 3, []string{"ba"}},
		{"Éclair", []string{"eclair", "éclairs"}, 3, []string{"eclair", "éclairs"}},
		{"name", []string{"name", "name", "NAME"}, 3, []string{"NAME", "name"}},
		{"name", fields, 0, nil},
		{"guides/instal.md", []string{"guides/install.md", "guides/index.md", "README.md"}, 3, []string{"guides/install.md", "guides/index.md"}},
		{"install.md", []string{"guides/install.md", "a.md"}, 3, []string{"guides/install.md"}},
		{"name", nil, 3, nil},
		{"\xff\xfe\xfd", []string{"\xff\xfe\xfd"}, 1, []string{"\xff\xfe\xfd"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Of(tt.word, tt.candidates, tt.limit)); diff != "" {
			t.Errorf("Of(%q, limit %d) (-want +got):\n%s", tt.word, tt.limit, diff)
		}
	}
}

func TestOfIgnoresTheOrderOfCandidates(t *testing.T) {
	names := []string{"bat", "cat", "hat", "cats", "at", "concat"}
	want := Of("cat", names, 10)
	slices.Reverse(names)
	must.Equal(t, want, Of("cat", names, 10), "reversed candidates change the answer")
}

func TestOne(t *testing.T) {
	if got, ok := One("pagesize", []string{"limits", "pageSize"}); !ok || got != "pageSize" {
		t.Errorf("One = %q, %v", got, ok)
	}
	if got, ok := One("zzz", []string{"limits"}); ok || got != "" {
		t.Errorf("One = %q, %v, want nothing", got, ok)
	}
}

func TestMessages(t *testing.T) {
	for got, want := range map[string]string{
		Meant("qurey", []string{"query", "limit"}):       "; did you mean query?",
		Meant("zzz", []string{"query"}):                  "",
		NotOneOf("new", []string{"web", "news"}):         `is "new", must be one of web, news; did you mean news?`,
		NotOneOf("", []string{"a", "b"}):                 `is "", must be one of a, b`,
		NotOneOf(strings.Repeat("x", 99), []string{"a"}): `is "` + strings.Repeat("x", 60) + `", must be one of a`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestDistance compares with the textbook matrix over every pair of short words.
func TestDistance(t *testing.T) {
	var words []string
	for level := []string{""}; len(level[0]) <= 4; {
		words = append(words, level...)
		var next []string
		for _, w := range level {
			for _, c := range "abc" {
				next = append(next, w+string(c))
			}
		}
		level = next
	}
	for _, a := range words {
		for _, b := range words {
			want := matrix(a, b)
			for limit := range 4 {
				got := distance([]rune(a), []rune(b), limit)
				if (got <= limit) != (want <= limit) || got <= limit && got != want {
					t.Fatalf("distance(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
				}
			}
		}
	}
}

func matrix(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// FuzzOf: the answer is a subset of the candidates within the limit, and a
// candidate that is the word itself is always in it.
func FuzzOf(f *testing.F) {
	f.Add("name", "nmae", 2)
	f.Add("é\xff", strings.Repeat("é", 300), 1)
	f.Fuzz(func(t *testing.T, word, other string, limit int) {
		candidates := []string{other, word, other + word}
		got := Of(word, candidates, limit)
		if len(got) > max(0, limit) {
			t.Fatalf("%d answers for limit %d", len(got), limit)
		}
		for _, name := range got {
			if !slices.Contains(candidates, name) {
				t.Fatalf("%q is not a candidate", name)
			}
		}
		if limit >= len(candidates) && word != "" && utf8.ValidString(word) && !slices.Contains(got, word) {
			t.Fatalf("%q does not find itself", word)
		}
	})
}

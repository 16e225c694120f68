package analysis

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, World":              "hello world",
		"readFile":                  "read file readfile",
		"read_file read-file":       "read file readfile read file readfile",
		"HTTPServer2":               "http server2 httpserver2",
		"getURL":                    "get url geturl",
		"v1.2.3 and 3.14.":          "v1.2.3 and 3.14",
		"user's don't O'Reilly":     "user don o reilly",
		"-- a-- _b_":                "a b",
		"日本語 text":                  "日本 本語 text",
		"字":                         "字",
		"한국어":                       "한국 국어",
		"Straße ÉCOLE naïve":        "strasse straße ecole école naive naïve",
		"x漢字y":                      "x 漢字 y",
		"a\x00b\xffc":               "a b c",
		"sha256 utf-8":              "sha256 utf 8 utf8",
		strings.Repeat("x", 65):     "",
		strings.Repeat("ab-", 40):   strings.TrimSpace(strings.Repeat("ab ", 40)),
		"snake_case_ΑΒΓ":            "snake case snakecase αβγ",
		"`code`(x)=>[y] <Tag/>":     "code x y tag",
		"https://ex.org/a?b=c#frag": "https ex org a b c frag",
	} {
		var got []string
		new(Splitter).Words(text, func(w []byte, offset int) {
			got = append(got, string(w))
			if offset < 0 || offset >= len(text) {
				t.Errorf("%q: a word at %d", text, offset)
			}
		})
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{"v3.7": "3.7", "naïve": "naïve", "x86s": "x86s", "is": "is", "": "", "configurations": "configur"} {
		if got := Stem(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

// Plain words, which have a way of their own, are the same words in the same order.
func TestPlainWords(t *testing.T) {
	pieces := strings.Split("a|b|Z|HTTP|word|Word|sixteen0letters0|Sixteen0Letters01|seventeenletters1|readFile|9|42|.|-|_|'|’|s|ß|É|é| |\n|中|文|ไ|\u0301|ﬁ|Ｗ|ﾃ|=|\u0338|\xff|/|(|x1|v2.0|"+strings.Repeat("long", 20), "|")
	random := rand.New(rand.NewPCG(5, 6))
	var s Splitter
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := Normalize(b.String())
		var want, got []string
		list := func(words *[]string) func([]byte, int) {
			return func(word []byte, offset int) { *words = append(*words, fmt.Sprintf("%s %d-%d", word, offset, s.End)) }
		}
		for i := 0; i < len(text); {
			i = s.next(text, i, list(&want))
		}
		if s.Words(text, list(&got)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	}
}

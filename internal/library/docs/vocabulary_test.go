package docs

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestFigures(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{"docs/a.md": "# What you get\n\n## Pages\n\nThe pages.\n", "docs/b.md": "# B\n"}), "docs", nil)
	if l.Indexed() || l.Figures() != (Figures{}) {
		t.Error("there are figures without an index")
	}
	must.Do(t, l.Index(t.Context()))
	if got := l.Figures(); !l.Indexed() || got.Documents != 2 || got.Passages != 3 {
		t.Errorf("%+v", got)
	}
	var none *Library
	if !none.Indexed() || none.Figures() != (Figures{}) || none.Documents() != nil {
		t.Error("a nil library has something")
	}
}

func TestMetadata(t *testing.T) {
	fsys := given.Texts(map[string]string{
		"docs/index.md": "---\ndescription: The start.\n---\n# Welcome\n\n[a](guides/a.md#x) [b](guides/b) [g](guides/) [self](index.md) [out](../README.md) " +
			"[none](missing.md) [a](./guides/a.md) [web](https://example.org/x#y) [root](/guides/my%20file.md) `[code](c.md)`\n",
		"docs/guides/index.md":   "# Guides\n\n[up](../index.md?x=1)\n",
		"docs/guides/a.md":       "no heading\n",
		"docs/guides/b.mdx":      "# B\n",
		"docs/guides/my file.md": "",
		"docs/guides/c.txt":      "[a](a.md)",
	})
	l := scan(t, fsys, "docs", nil)
	got := make(map[string]Metadata)
	for _, d := range l.Documents() {
		got[d.Path] = d.Metadata()
	}
	want := map[string]Metadata{
		"index.md":          {"Welcome", "The start.", []string{"guides/a.md", "guides/b.mdx", "guides/index.md", "guides/my file.md", "https://example.org/x"}},
		"guides/index.md":   {"Guides", "", []string{"index.md"}},
		"guides/a.md":       {Title: "A"},
		"guides/c.txt":      {Title: "C"},
		"guides/b.mdx":      {Title: "B"},
		"guides/my file.md": {Title: "My file"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// Facts are kept for unchanged documents, but the targets of their links are resolved again.
	delete(fsys, "docs/guides/b.mdx")
	next := scan(t, fsys, "docs", l)
	fsys["docs/index.md"].Data = []byte("# Changed since the scan\n")
	if got := next.document(t, "index.md").Metadata(); slices.Contains(got.Links, "guides/b.mdx") || got.Title != "Welcome" {
		t.Errorf("%+v", got)
	}
	fsys["docs/late.md"] = &fstest.MapFile{Data: []byte("# Late\n")}
	last := scan(t, fsys, "docs", next)
	fsys["docs/late.md"] = &fstest.MapFile{Data: []byte("# Later than the scan\n")}
	if got := last.document(t, "late.md").Metadata(); got.Title != "" {
		t.Errorf("%+v", got)
	}
}

func (l *Library) document(t *testing.T, path string) Document {
	t.Helper()
	for _, d := range l.Documents() {
		if d.Path == path {
			return d
		}
	}
	t.Fatalf("there is no document %s", path)
	return Document{}
}

// Words of all scripts are found in all forms that Unicode has for them.
func TestScripts(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{
		"docs/ja.md":        "# 検索エンジンの設定\n\n全文検索エンジンを設定する方法です。東京都に住んでいます。\n",
		"docs/zh.md":        "# 配置指南\n\n本文档介绍如何配置服务器和数据库连接。中国。\n",
		"docs/ko.md":        "# 설정 안내\n\n서버를 설정하는 방법을 설명합니다.\n",
		"docs/th.md":        "# การตั้งค่า\n\nวิธีการตั้งค่าเซิร์ฟเวอร์\n",
		"docs/ar.md":        "# إعداد الخادم\n\nكيفية إعداد الخادم وقاعدة البيانات.\n",
		"docs/he.md":        "# הגדרת השרת\n\nכיצד להגדיר את השרת.\n",
		"docs/ru.md":        "# Настройка сервера\n\nКак настроить сервер.\n",
		"docs/nfc.md":       "# Caf\u00e9\n\nUn caf\u00e9 noir.\n",
		"docs/nfd.md":       "# The\u0301\n\nLe garc\u0327on.\n",
		"docs/wide.md":      "# ＡＢＣ\n\nｈａｌｆ ﾃｽﾄ, a ﬁle.\n",
		"docs/re\u0301s.md": "# Other\n\nAnything.\n",
	}), "docs", nil)
	for query, want := range map[string]string{
		"検索": "ja.md", "設定方法": "ja.md", "検": "ja.md", "都": "ja.md", "配置": "zh.md", "如何配置数据库": "zh.md", "国": "zh.md",
		"서버": "ko.md", "설정": "ko.md", "ตั้งค่า": "th.md", "الخادم": "ar.md", "השרת": "he.md", "СЕРВЕР": "ru.md", "настройка": "ru.md",
		"cafe\u0301": "nfc.md", "CAFÉ": "nfc.md", "the\u0301": "nfd.md", "th\u00e9": "nfd.md", "garçon": "nfd.md",
		"ABC": "wide.md", "half": "wide.md", "テスト": "wide.md", "file": "wide.md", "ＦＩＬＥ": "wide.md", "محمد": "",
		"r\u00e9s": "re\u0301s.md", "anything path:r\u00e9s.md": "re\u0301s.md", "anything path:re\u0301s": "re\u0301s.md",
	} {
		got := ""
		if hits := search(t, l, query); len(hits) > 0 {
			got = hits[0].Path
			if len(hits[0].Marks(hits[0].text)) == 0 && !strings.HasPrefix(got, "wide") && !strings.HasPrefix(got, "re") {
				t.Errorf("%q is not marked in %q", query, hits[0].Snippet)
			}
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// A query is words, whatever it looks like.
func TestHostileQueries(t *testing.T) {
	l := scan(t, sample(), "docs", nil)
	for _, query := range []string{
		".*", "[a-z]+(", "(?i)x", `\`, "\x00", "\xff\xfe", "path:", "path:(", "path:[", "path:[ a", "path:** a", "path:{a,b a", "path:../.. a", "path:\"", "path:\" a",
		"\u202ewidget", "\u200b", "\u0301", "a\u0301\u0301\u0301", "\U0010ffff", "'", "-", "_-_", "1.2.3.4", "widget\u0301",
		strings.Repeat("a", 5000), strings.Repeat("検", 5000), strings.Repeat("a ", 5000), strings.Repeat("path:x ", 1000), strings.Repeat("a-", 3000),
		strings.Repeat("\u0301", 3000), strings.Repeat("ﷺ", 2000), strings.Repeat("a\u0301", 2000),
	} {
		for _, q := range []string{query, "widget " + query, query + " widget"} {
			for _, h := range search(t, l, q) {
				for _, m := range h.Marks(h.Snippet) {
					if m[0] >= m[1] || m[1] > len(h.Snippet) || !utf8.ValidString(h.Snippet[m[0]:m[1]]) {
						t.Errorf("%.40q marks %d in %q", q, m, h.Snippet)
					}
				}
			}
			if _, err := l.Answer(t.Context(), Request{Query: q}); err != nil && strings.TrimSpace(q) != "" {
				t.Errorf("%.40q: %v", q, err)
			}
		}
	}
}

// A word that no document has is named, also inside of a text without spaces.
func TestMissingWordsWithoutSpaces(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{"docs/a.md": "+++\ntitle = '服务'\n+++\n\n本文介绍如何配置服务器。データベースの設定。\n\n- 配置：\n  - walrus\n"}), "docs", nil)
	for query, want := range map[string]string{
		"如何配置量子纠缠服务":    `In no document: "量子纠缠".`,
		"データベースのクーポン設定": `In no document: "クーポン".`,
		"量子 配置":         `In no document: "量子".`,
		"配置的服务器":        "1. a.md, line 5: 服务\n   本文介绍如何配置服务器。",
		"データベース設定します":   weakNote + "1. a.md, line 5: 服务\n",
	} {
		if got := answer(t, l, Request{Query: query})[0]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if hits := search(t, l, "本文介绍"); len(hits) != 1 || !strings.HasSuffix(hits[0].Snippet, "- 配置：\n  - walrus") {
		t.Errorf("a list is not as it is in the document: %+v", hits)
	}
}

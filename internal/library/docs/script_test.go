package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

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
			if len(hits[0].Marks(hits[0].body.Text)) == 0 && !strings.HasPrefix(got, "wide") && !strings.HasPrefix(got, "re") {
				t.Errorf("%q is not marked in %q", query, hits[0].Snippet)
			}
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// A word is found without its marks in scripts in which people leave them out, and in its own spelling first.
func TestFolding(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{
		"docs/ta.md": "# T\n\nஇது செயல்படுத்தப்பட்டுள்ளது இங்கே.\n", "docs/ar.md": "# A\n\nكِتَابٌ مُفِيدٌ\n", "docs/he.md": "# H\n\nשָׁלוֹם\n",
		"docs/shy.md": "# S\n\nDaten\u00adschutz Zero\u200bWidth\n", "docs/la.md": "# L\n\nGröße Straße Châtelier naïve façade résumé Łódź Østergård Benutzerverwaltung e\u0301t\u00e9\n",
		"docs/hi.md": "# X\n\nकल\n", "docs/plain.md": "# P\n\nThe resume of a person is here.\n", "docs/py.md": "# M\n\nScrews of the size M2.3x8.\n",
	}), "docs", nil)
	for query, want := range map[string]string{
		"செயல்படுத்தப்பட்டுள்ளது": "ta.md", "كتاب": "ar.md", "שלום": "he.md", "Datenschutz": "shy.md", "zerowidth": "shy.md", "GRÖSSE": "la.md", "Strasse": "la.md",
		"Chatelier": "la.md", "naive": "la.md", "façade": "la.md", "facade": "la.md", "résumé": "la.md", "Lodz": "la.md", "ostergard": "la.md", "Verwaltung": "la.md", "ete": "la.md",
		"M2": "py.md", "3x8": "py.md",
	} {
		hits := search(t, l, query)
		if len(hits) == 0 || hits[0].Path != want {
			t.Errorf("%s finds %v, want %s", query, hits, want)
		}
		if got := body(t, answer(t, l, Request{Query: query})[0]); query != "Verwaltung" && strings.Contains(got, "In no document") {
			t.Errorf("%s:\n%s", query, got)
		}
	}
	if hits := search(t, l, "काल"); len(hits) > 0 { // a mark makes another word
		t.Errorf("found %v", hits)
	}
	if hits := search(t, l, "chatelier"); len(hits) != 1 || fmt.Sprint(hits[0].Marks("Le Châtelier.")) != "[[3 13]]" {
		t.Errorf("marked in %v", hits)
	}
}

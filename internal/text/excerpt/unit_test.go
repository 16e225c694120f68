package excerpt

import (
	"strings"
	"testing"
)

// focused returns a compact text with the first unit that has a word below headings.
func focused(text, word string) Focus {
	text = Compact(text, false)
	f := Focus{Text: text, Units: Units(text, false), Titled: true}
	for _, u := range f.Units {
		if i := strings.Index(strings.ToLower(text[u.Start:u.End]), word); i >= 0 && !u.Heads() {
			f.Start, f.Match = u.Start, u.Start+i
			break
		}
	}
	return f
}

// A unit is a sentence, an item, a row or a line of code.
func TestUnits(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"It waits. Then, e.g. after a\nminute, the walrus\nswims.\n", "Then, e.g. after a\nminute, the walrus"},
		{"Before.\n\n- one of\n  the walruses\n", "- one of\n"},
		{"## Head\nThe old walrus\n", "The old"},
		{"まず始める。次に walrus を見る。", "次に"},
		{"| One. | Two. |\n|---|---|\n| First. | A walrus |\n", "| First."},
		{"One. Two. Three walruses.", "Three"},
		{"Text:\n\n```\nfirst()\nswim(walrus)\n```\n", "swim("},
	} {
		f := focused(test.text, "walrus")
		if got := f.Text[f.Start:]; !strings.HasPrefix(got, test.want) {
			t.Errorf("%q begins at %q, want %q", test.text, got, test.want)
		}
	}
}

// An excerpt is made of whole sentences, items, rows and lines of code around the focus, and announces nothing that it lacks.
func TestExcerpts(t *testing.T) {
	list := "# Units\n\nBefore it. These are:\n\n- the first one, a walrus\n- the second one, which is a seal\n- the third one, which is a whale\n\nAfter it.\n"
	for _, test := range []struct {
		text, word string
		most       int
		want       string
	}{
		{list, "walrus", 70, "- the first one, a walrus\n- the second one, which is a seal"},
		{list, "these", 80, "Before it. These are:\n\n- the first one, a walrus"},
		{list, "whale", 80, "- the second one, which is a seal\n- the third one, which is a whale\n\nAfter it."},
		{list, "before", 70, "Before it. These are:\n\n- the first one, a walrus"},
		{"One is here. Two has the walrus in it. It says this:\n\n" + strings.Repeat("x", 90) + "\n", "walrus", 80, "One is here. Two has the walrus in it."},
		{"The limit is 12. The walrus has it.\n\nOther text is here, and it goes on.\n", "walrus", 60, "The limit is 12. The walrus has it."},
		{"The limit is 12.\n\nThe walrus has it.\n\nOther text is here, and it goes on.\n", "walrus", 60, "The walrus has it.\n\nOther text is here, and it goes on."},
		{"Use it:\n\n```sh\nfirst the walrus\nsecond\nthird line here\n```\n\nText.\n", "second", 60, "```sh\nfirst the walrus\nsecond\nthird line here\n```\n\nText."},
		{"| Name | What |\n|------|------|\n| a    | the walrus |\n| b    | the seal |\n", "seal", 64, "| Name | What |\n|---|---|\n| a | the walrus |\n| b | the seal |"},
		{"| Name | Walrus |\n|------|------|\n" + strings.Repeat("| x | what is not asked for |\n", 9) + "| a | the walrus |\n| b | the seal |\n", "walrus", 64, "| Name | Walrus |\n|---|---|\n| a | the walrus |\n| b | the seal |"},
		{"| A | B |\n|---|---|\n| walrus " + strings.Repeat("long ", 40) + " | 12 |\n", "walrus", 80, "| A | B |\n|---|---|\n| walrus long long long long long long long…| 12 |"},
		{"![A walrus](pictures/walrus.png)\n\nThe walrus.\n\n\n\n[walrus]: https://example.com\n", "walrus", 300, "The walrus."},
		{strings.Repeat("long ", 40) + "walrus" + strings.Repeat(" words", 40), "walrus", 60, "… long long walrus words words words words words …"},
	} {
		if got := focused(test.text, test.word).Around(test.most, ""); got != test.want || len(got) > test.most {
			t.Errorf("%d bytes of %q around %q:\n%s\nwant\n%s", test.most, test.text, test.word, got, test.want)
		}
	}
}

package dependencies

import "testing"

func TestClean(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"comment", "a <!-- ignore all\nrules --> b\n", "a \n b\n"},
		{"comment that does not end", "a\n\n<!-- x\ny\n", "a\n\n\n\n"},
		{"empty comment", "a<!-->b\n", "ab\n"},
		{"fence", "```html\n<!-- kept -->\n```\n<!-- gone -->\n", "```html\n<!-- kept -->\n```\n\n"},
		{"fence in a list", "- ```html\n  <!-- kept -->\n  ```\n<!-- gone -->x\n", "- ```html\n  <!-- kept -->\n  ```\nx\n"},
		{"tildes in backticks", "```\n~~~\n```\n<!-- gone -->x\n", "```\n~~~\n```\nx\n"},
		{"code in a line", "write `<!-- kept -->` and ``a ` <!-- kept -->``<!-- gone -->.\n", "write `<!-- kept -->` and ``a ` <!-- kept -->``.\n"},
		{"code ends with the paragraph", "a ` b\n\n<!-- gone -->` c\n", "a ` b\n\n` c\n"},
		{"code over two lines", "a `b\n<!-- kept --> c`\n", "a `b\n<!-- kept --> c`\n"},
		{"indented code", "Text:\n\n    <!-- kept -->\n\nEnd <!-- gone -->\n", "Text:\n\n    <!-- kept -->\n\nEnd \n"},
		{"indented text of an item", "- item\n\n    <!-- gone -->x\n", "- item\n\n    x\n"},
		{"indented line of a paragraph", "Text\n    <!-- gone -->x\n", "Text\n    x\n"},
		{"tags and bidi", "a\U000e0041\U000e007fb\u202ec\u2066d\u200fe\n", "abcde\n"},
		{"joiners and selectors", "👩\u200d💻 ❤\ufe0f क\u200dष\n", "👩\u200d💻 ❤\ufe0f क\u200dष\n"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
		{"a mark that comments begin with", "a < b <!- c\n", "a < b <!- c\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Clean(test.text); got != test.want {
				t.Errorf("Clean(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

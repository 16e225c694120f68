package capability

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// crowd is a project with more elements of each type than the documents have room for.
func crowd() (fsys fstest.MapFS, definitions string) {
	fsys = make(fstest.MapFS)
	put := func(name, text string) {
		fsys[name] = &fstest.MapFile{Data: []byte(text), ModTime: time.Unix(1_700_000_000+int64(len(fsys)), 0)}
	}
	for i := range 600 {
		put(fmt.Sprintf("docs/chapter-%d/section-%d/page-%d.md", i%7, i%31, i), fmt.Sprintf("# The page of number %d\n\nSee [next](page-%d.md), word%d.\n", i, i+31*7, i))
		put(fmt.Sprintf("resources/files/area-%d/part-%d/long file name of number %d.json", i%5, i%97, i), "{}")
	}
	put("docs/index.md", "# Start\n")
	var b strings.Builder
	for i := range 150 {
		put(fmt.Sprintf("prompts/prompt-%d.mdx", i), "---\ndescription: "+strings.Repeat("It does something useful. ", 20)+"\nargs:\n  - name: file\n---\nx {file}\n")
		fmt.Fprintf(&b, `,{"uriTemplate": "config://area%d/{service}/{environment}.yaml", "name": "Settings of area %[1]d", "description": %q}`, i, strings.Repeat("They are settings. ", 30))
	}
	return fsys, "[" + b.String()[1:] + "]"
}

// counted are entries about no single element: counts, links, newest files.
var counted = regexp.MustCompile("^- (`[^`]*/` [0-9,]+ files?( here and below)?|`[^`]*`( .+)?: [0-9,]+ files?, [0-9,]+ bytes?|`[^`]*` → .*`|20.*\\)|`[^`]*` .*\\.)$|^- (Documents|Resources|Prompts|Skills): ")

// TestBudgets checks that no document exceeds its budget, that each uses it, that omissions are
// reported, and that no entry is cut.
func TestBudgets(t *testing.T) {
	p := open(t, first(crowd()), second(crowd()))
	whole := make(map[string]bool)
	for _, typ := range types {
		for e := range indexOf(p, Expose(nil)).each(typ, "", false) {
			for line := range strings.SplitSeq(e.entry(), "\n") {
				whole[line], whole["  "+line] = true, true
			}
		}
	}
	for name, test := range map[string]struct {
		text  string
		bound int
	}{
		"summary":   {summary(t, p), MaxSummary},
		"full":      {full(t, p), MaxFull},
		"documents": {elementsOf(p, Page{Type: Documents}), MaxPage},
		"resources": {elementsOf(p, Page{Type: Resources}), MaxPage},
		"templates": {elementsOf(p, Page{Type: Templates}), MaxPage},
	} {
		n := tokens.Estimate(test.text)
		if n > spendable(test.bound) || n < test.bound*8/10 {
			t.Errorf("%s has %d tokens of %d", name, n, test.bound)
		}
		if !strings.Contains(test.text, "left out") && !strings.Contains(test.text, "There are more: ") {
			t.Errorf("%s does not say that something is left out:\n%s", name, test.text)
		}
		for entry := range strings.SplitSeq(test.text, "\n") {
			if strings.HasPrefix(strings.TrimSpace(entry), "- ") && !whole[entry] && !counted.MatchString(entry) {
				t.Errorf("%s: %q is cut", name, entry)
			}
		}
	}
	all := full(t, p)
	for _, want := range []string{"- `index.md` Start", "- `files://area-4/` 120 files here and below", "## Links", "## Vocabulary", "## Templates", "## Prompts", "Not every file is listed"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in the full index", want)
		}
	}
}

func first[A, B any](a A, _ B) A  { return a }
func second[A, B any](_ A, b B) B { return b }

// TestPages follows the cursors of all types and finds each element once.
func TestPages(t *testing.T) {
	p := open(t, first(crowd()), second(crowd()))
	next := regexp.MustCompile("There are more: `([^`]*)`")
	for _, typ := range types {
		for _, page := range []Page{{Type: typ}, {Type: typ, Query: "1 E", Limit: 70}} {
			x := indexOf(p, Expose(nil))
			count, pages := 0, 0
			var got []string
			for {
				text := x.Elements(page)
				if text.Tokens > spendable(MaxPage) {
					t.Fatalf("%s has %d tokens", page.URI(), text.Tokens)
				}
				for line := range strings.Lines(text.Text) {
					if strings.HasPrefix(line, "- ") {
						got = append(got, line)
					}
				}
				more := next.FindStringSubmatch(text.Text)
				if pages++; more == nil {
					break
				}
				var err error
				if page, err = ParsePage(more[1]); err != nil || page.URI() != more[1] {
					t.Fatalf("%s: %v, %s", more[1], err, page.URI())
				}
			}
			for e := range x.each(typ, "", true) {
				if page.Query == "" || matches(e.text, []string{"1", "e"}) {
					count++
				}
			}
			slices.Sort(got)
			if n := len(slices.Compact(slices.Clone(got))); n != count || n != len(got) {
				t.Errorf("%s: %d pages have %d elements, %d different ones; want %d", page.URI(), pages, len(got), n, count)
			}
			if page.Limit > 0 && pages < count/page.Limit {
				t.Errorf("%s: %d elements on %d pages", page.URI(), count, pages)
			}
		}
	}
}

func TestParsePage(t *testing.T) {
	cursor := Page{Type: Documents}.cursor("a.md")
	for uri, want := range map[string]Page{
		"capability-index://elements/document":                                 {Type: Documents},
		"capability-index://elements/document#x?limit=0":                       {Type: Documents},
		"capability-index://elements/document?limit=5#top":                     {Type: Documents, Limit: 5},
		"capability-index://elements/document?q=c%23#top":                      {Type: Documents, Query: "c#"},
		"CAPABILITY-INDEX://elements/tool?":                                    {Type: Tools},
		"capability-index://elements/resource?q=a%20b+c&limit=5":               {Type: Resources, Query: "a b c", Limit: 5},
		"capability-index://elements/%64ocument/":                              {Type: Documents},
		"capability-index://elements/resource?limit=&q=&cursor=":               {Type: Resources},
		"capability-index://elements/document?cursor=" + cursor + "&q=%0Ax%00": {Type: Documents, Query: "x", Cursor: cursor},
	} {
		got, err := ParsePage(uri)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", uri, got, err)
		}
		if again, err := ParsePage(got.URI()); err != nil || again != got {
			t.Errorf("%s: %+v, %v", got.URI(), again, err)
		}
	}
	for uri, want := range map[string]string{
		"capability-index://elements":                                        errNotPage.Error(),
		"capability-index://elements/documents":                              errNotPage.Error(),
		"capability-index://elements/../document":                            errNotPage.Error(),
		"capability-index://summary":                                         errNotPage.Error(),
		"files://elements/document":                                          errNotPage.Error(),
		"elements/document":                                                  errNotPage.Error(),
		"capability-index://elements/document?limit=0":                       "limit must be a number from 1 to 1000",
		"capability-index://elements/document?limit=9999999999999999":        "limit must be a number from 1 to 1000",
		"capability-index://elements/document?limits=1":                      "there is no parameter \"limits\"; did you mean limit?",
		"capability-index://elements/document?q=a&q=b":                       "\"q\" is given more than once",
		"capability-index://elements/document?q=%zz":                         "its query cannot be decoded",
		"capability-index://elements/document?cursor=x":                      "the cursor is not one of this list",
		"capability-index://elements/resource?cursor=" + cursor:              "the cursor is not one of this list",
		"capability-index://elements/document?q=" + strings.Repeat("x", 300): "q has more than 256 bytes",
	} {
		if _, err := ParsePage(uri); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", uri, err, want)
		}
	}
}

// FuzzParsePage checks that the canonical URI of a page names the same page.
func FuzzParsePage(f *testing.F) {
	f.Add("capability-index://elements/document?q=a%20b&limit=5&cursor=")
	f.Add("capability-index://elements/document?q=0")
	f.Add("capability-index://elements/tool?q=%80")
	f.Add("capability-index://elements/%74ool/?q=%0a%ff&&q;")
	f.Fuzz(func(t *testing.T, uri string) {
		p, err := ParsePage(uri)
		if err != nil {
			return
		}
		if again, err := ParsePage(p.URI()); err != nil || again != p {
			t.Errorf("%q is %+v, and %q is %+v (%v)", uri, p, p.URI(), again, err)
		}
	})
}

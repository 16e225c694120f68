package templates

import "testing"

// rfcValues are the variables of RFC 6570 sections 1.2 and 3.2 that hold strings.
var rfcValues = map[string]string{
	"dub":   "me/too",
	"hello": "Hello World!",
	"half":  "50%",
	"var":   "value",
	"who":   "fred",
	"base":  "http://example.com/home/",
	"path":  "/foo/bar",
	"v":     "6",
	"x":     "1024",
	"y":     "768",
	"empty": "",
	"semi":  ";",
	"year":  "1965/2000/2012",
	"count": "one/two/three",
	"dom":   "example/com",
	"list":  "red/green/blue",
}

// rfcExamples are the examples of RFC 6570 by section, for the expressions that may name a file.
var rfcExamples = map[string][][2]string{
	"1.2 level 1": {
		{"{var}", "value"},
		{"{hello}", "Hello%20World%21"},
	},
	"1.2 level 2": {
		{"{+var}", "value"},
		{"{+hello}", "Hello%20World!"},
		{"{+path}/here", "/foo/bar/here"},
		{"here?ref={+path}", "here?ref=/foo/bar"},
	},
	"1.2 level 3": {
		{"map?{x,y}", "map?1024,768"},
		{"{x,hello,y}", "1024,Hello%20World%21,768"},
		{"{+x,hello,y}", "1024,Hello%20World!,768"},
		{"{+path,x}/here", "/foo/bar,1024/here"},
		{"X{.var}", "X.value"},
		{"X{.x,y}", "X.1024.768"},
		{"{/var}", "/value"},
		{"{/var,x}/here", "/value/1024/here"},
	},
	"1.2 level 4": {
		{"{/list*}", "/red/green/blue"},
	},
	"2.4.1": {
		{"{semi}", "%3B"},
	},
	"3.2.1": {
		{"{/count*}", "/one/two/three"},
	},
	"3.2.2": {
		{"{half}", "50%25"},
		{"O{empty}X", "OX"},
		{"O{undef}X", "OX"},
		{"{x,y}", "1024,768"},
		{"?{x,empty}", "?1024,"},
		{"?{x,undef}", "?1024"},
		{"?{undef,y}", "?768"},
	},
	"3.2.3": {
		{"{+half}", "50%25"},
		{"{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"},
		{"{+base}index", "http://example.com/home/index"},
		{"O{+empty}X", "OX"},
		{"O{+undef}X", "OX"},
		{"up{+path}{var}/here", "up/foo/barvalue/here"},
	},
	"3.2.5": {
		{"{.who}", ".fred"},
		{"{.who,who}", ".fred.fred"},
		{"{.half,who}", ".50%25.fred"},
		{"X{.empty}", "X."},
		{"X{.undef}", "X"},
	},
	"3.2.6": {
		{"{/who}", "/fred"},
		{"{/who,who}", "/fred/fred"},
		{"{/half,who}", "/50%25/fred"},
		{"{/who,dub}", "/fred/me%2Ftoo"},
		{"{/var,empty}", "/value/"},
		{"{/var,undef}", "/value"},
	},
}

func TestRFCExamples(t *testing.T) {
	for section, examples := range rfcExamples {
		for _, e := range examples {
			tmpl, err := Parse(e[0])
			if err != nil {
				t.Errorf("%s: Parse(%q): %v", section, e[0], err)
				continue
			}
			if tmpl.String() != e[0] {
				t.Errorf("%s: %q is published as %q", section, e[0], tmpl)
			}
			if got := tmpl.Expand(rfcValues); got != e[1] {
				t.Errorf("%s: %q expands to %q, want %q", section, e[0], got, e[1])
			}
		}
	}
}

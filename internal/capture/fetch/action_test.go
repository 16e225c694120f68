package fetch

import "testing"

func TestActions(t *testing.T) {
	for _, a := range []Action{
		{Type: ActWait, Milliseconds: 1}, {Type: ActClick, Selector: "a"}, {Type: ActWrite, Selector: "#a"}, {Type: ActPress, Key: "Enter"},
		{Type: ActScroll, Direction: "up"}, {Type: ActScreenshot}, {Type: ActScrape}, {Type: ActScript, Script: "1"},
	} {
		if err := a.Check(); err != nil {
			t.Errorf("%+v: %v", a, err)
		}
		bare := Action{Type: a.Type, Selector: " ", Script: " "}
		if err := bare.Check(); (err == nil) != (a.Type == ActScreenshot || a.Type == ActScrape) {
			t.Errorf("%+v: %v", bare, err)
		}
	}
}

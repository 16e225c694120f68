package fetch

import (
	"fmt"
	"strings"
)

// An Action is something that a browser does with a page. Which other fields it has depends on
// its type:
//
//	wait               Milliseconds
//	click              Selector
//	write              Selector, Text
//	press              Key
//	scroll             Direction ("up", "down"), Amount (pixels; 0: a screen)
//	screenshot         Name
//	scrape             Selector ("": the whole page)
//	executeJavascript  Script
type Action struct {
	Type         string `json:"type" schema:"required enum=wait|click|write|press|scroll|screenshot|scrape|executeJavascript"`
	Milliseconds int    `json:"milliseconds,omitempty" schema:"minimum=1 maximum=60000"`
	Selector     string `json:"selector,omitempty"`
	Text         string `json:"text,omitempty"`
	Key          string `json:"key,omitempty"`
	Direction    string `json:"direction,omitempty" schema:"enum=up|down"`
	Amount       int    `json:"amount,omitempty" schema:"minimum=1 maximum=1000000"`
	Name         string `json:"name,omitempty"`
	Script       string `json:"script,omitempty"`
}

// Types of actions.
const (
	ActWait       = "wait"
	ActClick      = "click"
	ActWrite      = "write"
	ActPress      = "press"
	ActScroll     = "scroll"
	ActScreenshot = "screenshot"
	ActScrape     = "scrape"
	ActScript     = "executeJavascript"
)

// Check returns which field an action lacks; the schema of the tool has checked everything else.
func (a *Action) Check() error {
	field, has := "", true
	switch a.Type {
	case ActWait:
		field, has = "milliseconds", a.Milliseconds > 0
	case ActClick, ActWrite:
		field, has = "selector", strings.TrimSpace(a.Selector) != ""
	case ActPress:
		field, has = "key", a.Key != ""
	case ActScroll:
		field, has = "direction", a.Direction != ""
	case ActScript:
		field, has = "script", strings.TrimSpace(a.Script) != ""
	}
	if !has {
		return fmt.Errorf("%s: is missing, but an action %s needs it", field, a.Type)
	}
	return nil
}

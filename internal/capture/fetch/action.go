package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// An Action is something that a browser does with a page, one of [ActionTypes]. Which other fields it has depends on
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
	Milliseconds int    `json:"milliseconds,omitempty" schema:"minimum=1"`
	Selector     string `json:"selector,omitempty"`
	Text         string `json:"text,omitempty"`
	Key          string `json:"key,omitempty"`
	Direction    string `json:"direction,omitempty" schema:"enum=up|down"`
	Amount       int    `json:"amount,omitempty" schema:"minimum=1"`
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

// ActionTypes returns all types of actions.
func ActionTypes() []string {
	return []string{ActWait, ActClick, ActWrite, ActPress, ActScroll, ActScreenshot, ActScrape, ActScript}
}

const (
	maxWait     = 60_000 // milliseconds
	maxAmount   = 1_000_000
	maxSelector = 4 << 10
	maxText     = 64 << 10
	maxScript   = 64 << 10
	maxName     = 200
	maxShown    = 60 // bytes of an argument in a message
)

// fields returns the fields that an action must have and the fields that it may have. ok is false for an unknown type.
func (a *Action) fields() (needed, allowed []string, ok bool) {
	f, ok := map[string][2][]string{
		ActWait:       {{"milliseconds"}},
		ActClick:      {{"selector"}},
		ActWrite:      {{"selector", "text"}},
		ActPress:      {{"key"}},
		ActScroll:     {{"direction"}, {"amount"}},
		ActScreenshot: {nil, {"name"}},
		ActScrape:     {nil, {"selector"}},
		ActScript:     {{"script"}},
	}[a.Type]
	return f[0], f[1], ok
}

// UnmarshalJSON reads an action and checks it. Errors name the field.
func (a *Action) UnmarshalJSON(data []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil || given == nil {
		return fmt.Errorf("must be an object")
	}
	type plain Action // without this method
	*a = Action{}
	if err := json.Unmarshal(data, (*plain)(a)); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("%s: has a value of the wrong type", wrong.Field)
		}
		return err
	}
	needed, allowed, ok := a.fields()
	if !ok {
		return fmt.Errorf("type: %s", nearest.NotOneOf(a.Type, ActionTypes()))
	}
	for _, name := range needed {
		if _, ok := given[name]; !ok {
			return fmt.Errorf("%s: is missing, but an action %s needs it", name, a.Type)
		}
	}
	for name, value := range given {
		switch {
		case name != "type" && !slices.Contains(needed, name) && !slices.Contains(allowed, name):
			return fmt.Errorf("%s: an action %s has no such field", excerpt.Ellipsis(name, maxShown), a.Type)
		case string(value) == `""` && name != "text", name == "selector" && strings.TrimSpace(a.Selector) == "", name == "script" && strings.TrimSpace(a.Script) == "":
			return fmt.Errorf("%s: is empty", name)
		}
	}
	return a.check(given)
}

// check reports a value that is out of bounds.
func (a *Action) check(given map[string]json.RawMessage) error {
	_, amount := given["amount"]
	switch {
	case a.Type == ActWait && (a.Milliseconds < 1 || a.Milliseconds > maxWait):
		return fmt.Errorf("milliseconds: is %d, must be from 1 to %d", a.Milliseconds, maxWait)
	case amount && (a.Amount < 1 || a.Amount > maxAmount):
		return fmt.Errorf("amount: is %d, must be from 1 to %d", a.Amount, maxAmount)
	case a.Type == ActScroll && a.Direction != "up" && a.Direction != "down":
		return fmt.Errorf("direction: is %q, must be up or down", excerpt.Ellipsis(a.Direction, maxShown))
	}
	for _, f := range []struct {
		name, value string
		most        int
	}{{"selector", a.Selector, maxSelector}, {"text", a.Text, maxText}, {"key", a.Key, maxName}, {"name", a.Name, maxName}, {"script", a.Script, maxScript}} {
		if len(f.value) > f.most {
			return fmt.Errorf("%s: has %d bytes, must have at most %d", f.name, len(f.value), f.most)
		}
	}
	return nil
}

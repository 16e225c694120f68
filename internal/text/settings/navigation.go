package settings

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Keys returns the keys of an object in the order of their names.
func (v Values) Keys() []string { return slices.Sorted(maps.Keys(v)) }

// A Text is a text in a navigation.
type Text struct {
	Key, Text string
	Label     string   // of the object that has the text, or the key that is the label
	Version   string   // of the innermost object with a version around the text
	Default   bool     // that object is the default one
	Base      string   // of names that do not begin with "/": the path that is the key of a list, or the base of an object
	Listed    bool     // it is an item of a list
	Groups    []string // labels of the objects whose lists hold the text, and keys of lists that begin with a capital
}

const (
	maxTexts  = 10_000 // of a navigation
	maxGroups = 20     // that hold a text
	maxDepth  = 200    // values in values
)

// Texts returns the texts in a value, in order, but not those of labels. keyed says that each key is the label of its value:
// a group without a label has the first text in it behind "\x00".
func Texts(v any, keyed bool) (texts []Text) {
	left := 10 * maxTexts // values, since one may be in many lists
	var walk func(v any, at Text, depth int)
	walk = func(v any, at Text, depth int) {
		if left--; left < 0 || depth > maxDepth || len(texts) >= maxTexts {
			return
		}
		inside := func(label string) {
			if label != "" && len(at.Groups) < maxGroups {
				at.Groups = append(slices.Clip(at.Groups), label)
			}
		}
		switch x := v.(type) {
		case string:
			if at.Text = x; !strings.HasPrefix(x, "/") {
				at.Text = at.Base + x
			}
			texts = append(texts, at)
		case []any:
			switch {
			case at.Label != "":
				inside(at.Label)
			case at.Key != "" && at.Key[0] >= 'A' && at.Key[0] <= 'Z':
				inside(at.Key)
			case keyed && depth > 0 && len(x) > 0:
				first, _ := x[0].(string)
				inside("\x00" + first)
			}
			at.Label, at.Listed = "", true
			for _, e := range x {
				walk(e, at, depth+1)
			}
		case map[string]any:
			if at.Listed = false; keyed {
				for _, key := range Values(x).Keys() {
					at.Label = key
					walk(x[key], at, depth+1)
				}
				return
			}
			if at.Key == "autogenerate" {
				inside(at.Label)
			}
			if version, ok := x["version"].(string); ok {
				at.Version, at.Default = version, x["default"] == true
			}
			at.Base = cmp.Or(text(x["base"]), at.Base)
			label := ""
			for _, key := range labelKeys {
				label = cmp.Or(label, text(x[key]))
			}
			if page := text(x["root"]); page != "" { // the page of a group is in it, and first
				around := at.Groups
				inside(label)
				at.Key, at.Label = "root", ""
				walk(page, at, depth+1)
				at.Groups = around
			}
			for _, key := range Values(x).Keys() {
				if !slices.Contains(labelKeys, key) && !(key == "root" && text(x[key]) != "") {
					in := at
					in.Key, in.Label = key, label
					if strings.HasPrefix(key, "/") {
						in.Key, in.Base = "children", key
					}
					walk(x[key], in, depth+1)
				}
			}
		}
	}
	walk(v, Text{}, 0)
	return texts
}

// text returns a text, or "" for other values.
func text(v any) string { s, _ := v.(string); return s }

// labelKeys are the keys of what an object in a navigation is called.
var labelKeys = []string{"label", "text", "title", "group", "tab", "caption", "section", "part"}

package settings

import (
	"cmp"
	"maps"
	"slices"
)

// A Text is a text in a navigation.
type Text struct {
	Text   string
	Label  string   // of the object that has the text, or the key that is the label
	Groups []string // labels of the objects whose lists hold the text, the outermost first
}

const (
	MaxGroups = 20     // that hold a text
	maxTexts  = 10_000 // of a navigation
	maxDepth  = 200    // values in values
)

// labelKeys are the keys of what an object in a navigation is called.
var labelKeys = []string{"label", "text", "title", "group", "tab", "caption", "section", "part"}

// Texts returns the texts in a value, in order, but not those of labels. keyed says that each key is the label of its value;
// a list without a label has its first text as the label.
func Texts(v any, keyed bool) (texts []Text) {
	left := 10 * maxTexts // values, since aliases of YAML may be in many lists
	var walk func(v any, label string, groups []string, depth int)
	walk = func(v any, label string, groups []string, depth int) {
		if left--; left < 0 || depth > maxDepth || len(texts) >= maxTexts {
			return
		}
		switch x := v.(type) {
		case string:
			texts = append(texts, Text{x, label, groups})
		case []any:
			if keyed && label == "" && depth > 0 && len(x) > 0 { // its first page names it
				label, _ = x[0].(string)
			}
			if label != "" && len(groups) < MaxGroups {
				groups = append(slices.Clip(groups), label)
			}
			for _, e := range x {
				walk(e, "", groups, depth+1)
			}
		case map[string]any:
			label = ""
			for _, key := range labelKeys {
				text, _ := x[key].(string)
				label = cmp.Or(label, text)
			}
			if page, ok := x["root"].(string); ok { // the page of a group is in it, and first
				walk([]any{page}, label, groups, depth+1)
			}
			for _, key := range slices.Sorted(maps.Keys(x)) {
				switch {
				case keyed:
					walk(x[key], key, groups, depth+1)
				case key != "root" && !slices.Contains(labelKeys, key):
					walk(x[key], label, groups, depth+1)
				}
			}
		}
	}
	if _, ok := v.(string); !ok {
		walk(v, "", nil, 0)
	}
	return texts
}

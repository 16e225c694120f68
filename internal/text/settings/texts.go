package settings

import "slices"

// A Text is a text in a navigation.
type Text struct {
	Key, Text string
	Label     string   // of the object that has the text
	Groups    []string // labels of the objects whose lists hold the text, and keys of lists that begin with a capital
}

const (
	maxTexts  = 10_000 // of a navigation
	maxGroups = 20     // that hold a text
)

// Texts returns the texts in a value, in order, but not those of labels.
func Texts(v any) (texts []Text) {
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
			at.Text = x
			texts = append(texts, at)
		case []any:
			if label := at.Label; label == "" && at.Key != "" && at.Key[0] >= 'A' && at.Key[0] <= 'Z' {
				inside(at.Key)
			} else {
				inside(label)
			}
			for _, e := range x {
				walk(e, Text{Groups: at.Groups}, depth+1)
			}
		case Call: // a helper that makes a group
			for _, e := range x.Arguments {
				walk(e, at, depth+1)
			}
		case map[string]any:
			if at.Key == "autogenerate" {
				inside(at.Label)
			}
			label := ""
			for _, key := range labelKeys {
				if text, ok := x[key].(string); ok && label == "" {
					label = text
				}
			}
			for _, key := range Values(x).Keys() {
				if !slices.Contains(labelKeys, key) {
					walk(x[key], Text{Key: key, Label: label, Groups: at.Groups}, depth+1)
				}
			}
		}
	}
	walk(v, Text{}, 0)
	return texts
}

// labelKeys are the keys of what an object in a navigation is called.
var labelKeys = []string{"label", "text", "title"}

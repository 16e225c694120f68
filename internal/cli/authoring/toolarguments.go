package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

// A toolShape holds the parts of a tool that are needed to parse its arguments.
type toolShape struct {
	Name, Title, Description string
	InputSchema              struct {
		Properties map[string]valueShape
	}
}

// A valueShape is the JSON Schema of an argument.
type valueShape struct {
	Type  string
	Items *valueShape
}

type toolShapes []toolShape

// toolsOf returns the tools of the server.
func toolsOf(ctx context.Context, s session) (toolShapes, error) {
	var page struct{ Tools toolShapes }
	err := s.get(ctx, "tools/list", nil, &page)
	return page.Tools, err
}

// isPair reports whether an argument has the form KEY=VALUE, and is not JSON.
func isPair(arg string) bool {
	key, _, ok := strings.Cut(arg, "=")
	return ok && key != "" && !strings.ContainsAny(key, "{[\"")
}

func checkPairs(args []string) error {
	for _, arg := range args {
		if !isPair(arg) {
			return command.Misuse(fmt.Sprintf("%q is not an argument of a tool: write KEY=VALUE, or one JSON object", arg))
		}
	}
	return nil
}

// arguments returns pairs KEY=VALUE as the arguments of a tool. A value is a string if the tool expects
// a string, and otherwise JSON if it is valid JSON. A pair may be one element of an array. The tool
// itself reports invalid values.
func (s toolShapes) arguments(name string, pairs []string) (json.RawMessage, error) {
	var properties map[string]valueShape
	if i := slices.IndexFunc(s, func(t toolShape) bool { return t.Name == name }); i >= 0 {
		properties = s[i].InputSchema.Properties
	}
	object := make(map[string]any)
	for _, pair := range pairs {
		key, text, _ := strings.Cut(pair, "=")
		shape := properties[key]
		had, twice := object[key]
		switch list, isList := had.([]any); {
		case shape.Type == "array" && !strings.HasPrefix(text, "[") && (isList || !twice):
			var items valueShape
			if shape.Items != nil {
				items = *shape.Items
			}
			object[key] = append(list, valueOf(items, text))
		case twice:
			return nil, command.Misuse(fmt.Sprintf("the argument %q is given twice", key))
		default:
			object[key] = valueOf(shape, text)
		}
	}
	return json.Marshal(object)
}

func valueOf(shape valueShape, text string) any {
	if shape.Type != "" && shape.Type != "string" && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

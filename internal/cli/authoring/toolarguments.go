package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/loopback"
)

// A toolShape holds the parts of a tool that are needed to parse its arguments.
type toolShape struct {
	Name, Title, Description string
	InputSchema              struct {
		Properties map[string]valueShape
		Required   []string
	}
}

// A valueShape is the JSON Schema of an argument.
type valueShape struct {
	Type        string
	Description string
	Enum        []string
	Items       *valueShape
}

type toolShapes []toolShape

// toolsOf returns the tools of the server.
func toolsOf(ctx context.Context, c *loopback.Client) (toolShapes, error) {
	result, _, err := c.Call(ctx, "tools/list", nil)
	if err != nil {
		return nil, err
	}
	var page struct{ Tools toolShapes }
	err = json.Unmarshal(result, &page)
	return page.Tools, err
}

// named returns the tool with a name, or a tool without arguments.
func (s toolShapes) named(name string) toolShape {
	for _, t := range s {
		if t.Name == name {
			return t
		}
	}
	return toolShape{}
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
	properties := s.named(name).InputSchema.Properties
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

// completeCall completes the name of a tool, the names of its arguments and their values.
func (a *app) completeCall(ctx context.Context, o webaccess.Options, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	o.Listed = true
	var tools toolShapes
	err := (&app{App: a.Quietly()}).withinWeb(ctx, "", o, func(ctx context.Context, c *loopback.Client) (err error) {
		tools, err = toolsOf(ctx, c)
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	if len(args) == 0 {
		for _, t := range tools {
			found = append(found, cobra.CompletionWithDesc(t.Name, terminal.Line(t.Title)))
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
	schema := tools.named(args[0]).InputSchema
	names := slices.Clone(schema.Required) // required arguments come first
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var all []completedArgument
	for _, name := range names {
		shape := schema.Properties[name]
		all = append(all, completedArgument{name, shape.Description, shape.Type == "array"})
	}
	return completeArguments(args[1:], typed, all, func(name, _ string) []string { return schema.Properties[name].values() })
}

// values returns the possible values of an argument or of its elements, if its schema lists them.
func (v valueShape) values() []string {
	switch {
	case v.Type == "boolean":
		return []string{"true", "false"}
	case v.Items != nil:
		return v.Items.values()
	}
	return v.Enum
}

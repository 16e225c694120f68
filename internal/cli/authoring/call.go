package authoring

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webtools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// maxArguments is the maximum number of bytes of JSON on standard input.
const maxArguments = 1 << 20

// NewCall returns the command call.
func NewCall(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var asJSON bool
	var web webaccess.Options
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON | KEY=VALUE…]",
		Short: "Call a tool like the model of a client",
		Long: "Call a tool of the project with arguments, and print its answer. Arguments are a JSON object,\n" +
			"\"-\" for one on standard input, or KEY=VALUE. --project names the project; the default is\n" +
			"the current folder.",
		Args: command.Positional(1, math.MaxInt, "the name of a tool, and its arguments as one JSON object or as KEY=VALUE"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if err := web.Check(cmd); err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			web.Listed = true
			return a.completeNames(cmd.Context(), &web, "tools", args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := web.Check(cmd); err != nil {
				return err
			}
			pairs := len(args) > 2 || len(args) == 2 && isPair(args[1])
			var arguments json.RawMessage
			var err error
			if pairs {
				err = checkPairs(args[1:])
			} else {
				arguments, err = a.arguments(args[1:])
			}
			if err != nil {
				return err
			}
			return a.within(cmd.Context(), "", &web, func(ctx context.Context, s session) error {
				if pairs {
					tools, err := toolsOf(ctx, s)
					if err != nil {
						return err
					}
					if arguments, err = tools.arguments(args[0], args[1:]); err != nil {
						return err
					}
				}
				return explainMissing(args[0], a.callTool(ctx, s, args[0], arguments, asJSON))
			})
		},
	}
	command.AddJSON(cmd, &asJSON, "print the answer as one JSON object with the fields isError, structuredContent and content")
	web.Add(cmd)
	a.addDependencies(cmd)
	return cmd
}

// explainMissing adds to the error about an unknown tool the options that enable the tool, or where its name is.
func explainMissing(name string, err error) error {
	if err == nil || !strings.Contains(err.Error(), "there is no tool "+strconv.Quote(name)) {
		return err
	}
	switch name {
	case webtools.ScrapeName, webtools.MapName, webtools.CrawlName:
		return fmt.Errorf("%w without --capture", err)
	case webtools.SearchName:
		return fmt.Errorf("%w without --capture and a service that searches; serve --capture --print-config prints the services that are set", err)
	}
	return withNames(err, "tools")
}

// arguments returns the arguments of a tool as JSON.
func (a *app) arguments(args []string) (json.RawMessage, error) {
	text := cmp.Or(command.Arg(args, 0), "{}")
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(a.Streams.In, maxArguments+1))
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		if len(data) > maxArguments {
			return nil, fmt.Errorf("standard input has more than %d MiB, which is too large for a tool", maxArguments>>20)
		}
		text = string(data)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		reason := "not an object"
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			reason = fmt.Sprintf("%s, at byte %d", jsondoc.Syntax(syntax), syntax.Offset)
		}
		return nil, command.Misuse("the arguments of a tool are a JSON object such as '{\"query\": \"setup\"}': %s", reason)
	}
	return json.RawMessage(text), nil
}

// askTool prints the answer of the tool for documents.
func (a *app) askTool(ctx context.Context, s session, arguments any) error {
	o := s.ServerOptions()
	return a.callTool(ctx, s, tools.DocsName(o.Name, o.Package), arguments, false)
}

// callTool prints the answer of a tool. If the tool fails, callTool also prints the answer, and returns
// an error.
func (a *app) callTool(ctx context.Context, s session, name string, arguments any, asJSON bool) error {
	var result json.RawMessage
	var failed bool
	err := a.Line.During(terminal.Work{Name: "reading and searching"}, func() (err error) {
		result, failed, err = s.client.Call(ctx, "tools/call", map[string]any{"name": name, "arguments": arguments})
		return err
	})
	if err != nil {
		return err
	}
	if asJSON {
		err = a.printFields(result)
	} else {
		err = a.showAnswer(result)
	}
	if err == nil && failed {
		err = fmt.Errorf("the tool %s reports a mistake", name)
	}
	return err
}

// printFields prints the answer of a tool as one JSON object. The fields of an embedded resource become fields of its item.
// Text that is a JSON object, as some tools answer, is also the structured content.
func (a *app) printFields(result json.RawMessage) error {
	var answer struct {
		IsError    bool                         `json:"isError"`
		Structured json.RawMessage              `json:"structuredContent,omitempty"`
		Content    []map[string]json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return err
	}
	for _, item := range answer.Content {
		var text string
		_ = json.Unmarshal(item["text"], &text)
		if answer.Structured == nil && len(answer.Content) == 1 && strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
			answer.Structured = json.RawMessage(text)
		}
		var inside map[string]json.RawMessage
		if json.Unmarshal(item["resource"], &inside) == nil {
			delete(item, "resource")
			maps.Copy(item, inside)
		}
	}
	return a.PrintValue(answer)
}

// showAnswer prints the answer of a tool as text.
func (a *app) showAnswer(result json.RawMessage) error {
	var answer struct {
		Content []protocol.Block `json:"content"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return err
	}
	out := terminal.Of(a.Streams.Out)
	var texts []string
	for _, b := range answer.Content {
		texts = append(texts, show(b, out))
	}
	_, err := io.WriteString(out, strings.Join(texts, "\n"))
	return err
}

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
	err := s.client.Get(ctx, "tools/list", nil, &page)
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
			return command.Misuse("%q is not an argument of a tool: write KEY=VALUE, or one JSON object", arg)
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
			return nil, command.Misuse("the argument %q is given twice", key)
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

// NewPrompt returns the command prompt.
func NewPrompt(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "prompt NAME [KEY=VALUE…]",
		Short: "Fill in a prompt like a client",
		Long: "Fill in a prompt of the project with arguments and print its messages, with the resources in them.\n" +
			"--project names the project; the default is the current folder.",
		Args: command.Positional(1, math.MaxInt, "the name of a prompt, and its arguments as KEY=VALUE"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.completeNames(cmd.Context(), nil, "prompts", args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := keyValues(args[1:])
			if err != nil {
				return err
			}
			return a.within(cmd.Context(), "", nil, func(ctx context.Context, s session) error {
				return a.fillIn(ctx, s, args[0], arguments, asJSON)
			})
		},
	}
	command.AddJSON(cmd, &asJSON, "print the result as JSON, as a client gets it")
	return cmd
}

// keyValues parses the arguments of a prompt. A value may contain any characters.
func keyValues(args []string) (map[string]string, error) {
	values := make(map[string]string, len(args))
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return nil, command.Misuse("%q is not an argument of a prompt: write KEY=VALUE", arg)
		}
		if _, twice := values[key]; twice {
			return nil, command.Misuse("the argument %q is given twice", key)
		}
		values[key] = value
	}
	return values, nil
}

// fillIn prints the messages of a prompt.
func (a *app) fillIn(ctx context.Context, s session, name string, arguments map[string]string, asJSON bool) error {
	result, err := a.answered(ctx, s, "prompts/get", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return a.explainPrompt(ctx, s.Project, name, err)
	}
	if asJSON {
		return a.PrintValue(result)
	}
	var prompt struct {
		Messages []struct {
			Role    string         `json:"role"`
			Content protocol.Block `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(result, &prompt); err != nil {
		return err
	}
	out := terminal.Of(a.Streams.Out)
	var texts []string
	for _, m := range prompt.Messages {
		texts = append(texts, out.Faint(m.Role+":")+"\n"+show(m.Content, out))
	}
	_, err = io.WriteString(out, strings.Join(texts, "\n"))
	return err
}

// explainPrompt says in the error for an unknown prompt where its name is, and prints the mistakes in its file if there are any.
func (a *app) explainPrompt(ctx context.Context, p *project.Project, name string, wrong error) error {
	set, err := p.Prompts(ctx)
	if err != nil {
		return wrong
	}
	if _, known := set.Get(name); known {
		return wrong
	}
	a.warn(p, slices.DeleteFunc(slices.Clone(set.Problems()), func(problem jsondoc.Problem) bool {
		return problem.Warning || strings.TrimSuffix(problem.File, path.Ext(problem.File)) != prompts.Folder+"/"+name
	}))
	return withNames(wrong, "prompts")
}

// withNames adds the command that prints the names to the error for an unknown name, unless the error suggests one.
func withNames(err error, kind string) error {
	if strings.Contains(err.Error(), "did you mean") {
		return err
	}
	return fmt.Errorf("%w; \"mcp-docs-server list %s\" prints the names", err, kind)
}

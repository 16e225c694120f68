package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/nearest"
)

// maxToolBytes bounds the text of a tool's answer unless the call asks for more: clients cut at 25,000 tokens, and text in
// any language has three bytes or more to a token.
const maxToolBytes = 75_000

// A tool is something that a model may call. Tools here only read.
type tool struct {
	name        string
	title       string
	description string
	schema      json.RawMessage // of the arguments; an object
	call        func(ctx context.Context, arguments json.RawMessage) ([]mcp.Content, error)
}

// A toolError is a mistake of the model that calls a tool: it is told in the result, for the model to read.
type toolError struct{ reason string }

func (e *toolError) Error() string { return e.reason }

func badCall(format string, args ...any) error { return &toolError{fmt.Sprintf(format, args...)} }

// A Tool is what clients are told of a tool.
type Tool struct{ Name, Description string }

// Tools returns the tools as they are listed now.
func (s *Server) Tools() []Tool {
	var all []Tool
	for _, t := range s.tools() {
		all = append(all, Tool{t.name, t.description})
	}
	return all
}

type callResult struct {
	outcome
	Content []mcp.Content `json:"content"`
	IsError bool          `json:"isError,omitempty"`
}

type toolItem struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations toolHints       `json:"annotations"`
}

// toolHints say that a tool changes nothing and meets no outside world (MCP, "Tools", annotations).
type toolHints struct {
	ReadOnly   bool `json:"readOnlyHint"`
	Idempotent bool `json:"idempotentHint"`
	OpenWorld  bool `json:"openWorldHint"`
}

func (s *Server) listTools(ctx context.Context, cursor string, o outcome) (mcp.Result, error) {
	if cursor != "" {
		return nil, invalidParams("the cursor is not one of this list")
	}
	if err := s.awaitDocuments(ctx); err != nil {
		return nil, err
	}
	page := &toolsPage{outcome: o, Tools: []toolItem{}}
	for _, t := range s.tools() {
		page.Tools = append(page.Tools, toolItem{t.name, t.title, t.description, t.schema, toolHints{ReadOnly: true, Idempotent: true}})
	}
	return page, nil
}

func (s *Server) callTool(ctx context.Context, params *mcp.CallToolParamsRaw, o outcome) (mcp.Result, error) {
	tools := s.tools()
	var names []string
	for _, t := range tools {
		if t.name != params.Name {
			names = append(names, t.name)
			continue
		}
		content, err := t.call(ctx, params.Arguments)
		if mistake, ok := errors.AsType[*toolError](err); ok {
			return &callResult{o, []mcp.Content{&mcp.TextContent{Text: mistake.reason}}, true}, nil
		}
		if err != nil {
			return nil, err
		}
		return &callResult{outcome: o, Content: content}, nil
	}
	message := "there is no tool " + shown(params.Name)
	if near, ok := nearest.One(params.Name, names); ok {
		message += "; did you mean " + near + "?"
	}
	return nil, invalidParams("%s", message)
}

// arguments decodes the arguments of a call into dst, a pointer to a struct. Unknown ones are a mistake.
func arguments(raw json.RawMessage, dst any) error {
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		raw = json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(dst)
	if err == nil {
		if _, err := dec.Token(); err != io.EOF {
			return badCall("the arguments must be one object")
		}
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return badCall("the arguments must be an object, not %s", wrong.Value)
		}
		return badCall("the argument %s is %s, must be %s", wrong.Field, wrong.Value, kindOf(wrong.Type.Kind().String()))
	}
	return badCall("the arguments are wrong: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// kindOf is a kind of Go as JSON calls it.
func kindOf(kind string) string {
	switch kind {
	case "int", "int64":
		return "a whole number"
	case "slice":
		return "an array"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

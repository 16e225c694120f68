package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
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
	call        func(ctx context.Context, arguments json.RawMessage) (*output, error)
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

func (s *Server) listTools(ctx context.Context, r request) (*reply, error) {
	if cursor, err := cursorOf(r); err != nil {
		return nil, err
	} else if cursor != "" {
		return nil, protocol.InvalidParams("the cursor is not one of this list")
	}
	if err := s.awaitDocuments(ctx); err != nil {
		return nil, err
	}
	page := &toolsPage{Tools: []toolItem{}}
	for _, t := range s.tools() {
		page.Tools = append(page.Tools, toolItem{t.name, t.title, t.description, t.schema, toolHints{ReadOnly: true, Idempotent: true}})
	}
	return encoded(cacheable(r.era, s.listTTL(r.Session, notify.Lists{Tools: true}, nil)), page)
}

func (s *Server) callTool(ctx context.Context, r request) (*reply, error) {
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := protocol.Decode(r.Params, &params); err != nil {
		return nil, err
	}
	tools := s.tools()
	var names []string
	for _, t := range tools {
		if t.name != params.Name {
			names = append(names, t.name)
			continue
		}
		out, err := t.call(ctx, params.Arguments)
		if mistake, ok := errors.AsType[*toolError](err); ok {
			out, err = text(mistake.reason), nil
			out.isError = true
		}
		if err != nil {
			return nil, err
		}
		return &reply{Outcome: outcomeOf(r.era), body: out}, nil
	}
	message := "there is no tool " + protocol.Shown(params.Name)
	if near, ok := nearest.One(params.Name, names); ok {
		message += "; did you mean " + near + "?"
	}
	return nil, protocol.InvalidParams("%s", message)
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

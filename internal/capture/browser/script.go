package browser

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// world returns the isolated world of a frame, in which scripts of this package run, invisible to scripts of the
// page.
func world(ctx context.Context, s *session, frame cdp.FrameID) (runtime.ExecutionContextID, error) {
	made, err := cdp.Call(ctx, s, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: frame, WorldName: "mcp-docs-server"})
	return made.ExecutionContextID, err
}

// evaluate calls a function in the isolated world of a frame, and decodes its result.
func evaluate(ctx context.Context, s *session, frame cdp.FrameID, function string, result any, args ...any) error {
	id, err := world(ctx, s, frame)
	if err != nil {
		return err
	}
	list, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return err
	}
	value, err := run(ctx, s, runtime.EvaluateParams{Expression: "(" + function + ")(..." + string(list) + ")", ContextID: id, Timeout: scriptTime})
	if err != nil || result == nil {
		return err
	}
	return unmarshal(value, result)
}

// run runs a script, and returns its result as JSON.
func run(ctx context.Context, s *session, params runtime.EvaluateParams) (jsonv2.Value, error) {
	params.ReturnByValue, params.Silent = ptr(true), ptr(true)
	res, err := cdp.Call(ctx, s, runtime.Evaluate, params)
	if err != nil {
		return nil, err
	}
	if thrown := res.ExceptionDetails; thrown != nil {
		text := thrown.Text
		if thrown.Exception != nil && thrown.Exception.Description != "" {
			text = thrown.Exception.Description
		}
		return nil, fmt.Errorf("the script fails: %s", text[:min(len(text), 500)])
	}
	if res.Result == nil || len(res.Result.Value) == 0 {
		return jsonv2.Value("null"), nil
	}
	return res.Result.Value, nil
}

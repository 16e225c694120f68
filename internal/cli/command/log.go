package command

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// NewLogger returns a logger whose lines look like all others on standard error: "mcp-docs-server:
// ", the level if it is a warning or an error, the message, and the attributes as slog formats
// them. A record is one line.
func NewLogger(w io.Writer) *slog.Logger {
	out := &logOutput{w: w}
	return slog.New(&logHandler{out: out, attrs: slog.NewTextHandler(&out.attrs, Without(slog.TimeKey, slog.LevelKey, slog.MessageKey))})
}

// A logHandler formats the attributes with slog's text handler.
type logHandler struct {
	out   *logOutput
	attrs slog.Handler
}

// A logOutput is shared by a handler and the handlers derived from it.
type logOutput struct {
	mu    sync.Mutex // guards all fields below
	attrs bytes.Buffer
	line  []byte // the last record; its memory is reused
	w     io.Writer
}

// Without returns options of a handler that drop fields of each record.
func Without(keys ...string) *slog.HandlerOptions {
	return &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && slices.Contains(keys, a.Key) {
			return slog.Attr{}
		}
		return a
	}}
}

func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.attrs.Enabled(ctx, level)
}

func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	h.out.attrs.Reset()
	if err := h.attrs.Handle(ctx, r); err != nil {
		return err
	}
	line := append(h.out.line[:0], LinePrefix...)
	switch {
	case r.Level >= slog.LevelError:
		line = append(line, "error: "...)
	case r.Level >= slog.LevelWarn:
		line = append(line, "warning: "...)
	}
	line = append(line, strings.ReplaceAll(r.Message, "\n", " ")...)
	if attrs := bytes.TrimSpace(h.out.attrs.Bytes()); len(attrs) > 0 {
		line = append(append(append(line, " ("...), attrs...), ')')
	}
	h.out.line = append(line, '\n')
	_, err := h.out.w.Write(h.out.line)
	return err
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.out, h.attrs.WithAttrs(attrs)}
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.out, h.attrs.WithGroup(name)}
}

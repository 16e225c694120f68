package serving

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// auditHere is the value of --audit for standard error.
const auditHere = "-"

// An audit writes audit lines: the time, and then the attributes of each call, as slog formats
// them.
type audit struct {
	*slog.Logger // nil without --audit
	file         *os.File
}

// newAudit opens the file that --audit names; "" means no audit. The projects must not serve the
// file.
func (a *app) newAudit(name string, logger *slog.Logger, served ...*project.Project) (audit, error) {
	out := &auditOutput{w: a.Streams.Err, prefix: command.LinePrefix + "audit: ", logger: logger}
	au := audit{}
	switch name {
	case "":
		return au, nil
	case auditHere:
	default:
		if err := command.OutsideServed("--audit", name, served...); err != nil {
			return au, err
		}
		// It records who reads what, so other users must not read it.
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return au, fmt.Errorf("--audit %w", project.PathError(name, err))
		}
		au.file, out.w, out.prefix = file, file, ""
	}
	au.Logger = slog.New(slog.NewTextHandler(out, command.Without(slog.LevelKey, slog.MessageKey)))
	return au, nil
}

// Close closes the file.
func (au audit) Close() {
	if au.file != nil {
		au.file.Close()
	}
}

// An auditOutput writes audit lines. slog calls Write once per line, and not concurrently.
type auditOutput struct {
	w      io.Writer
	prefix string
	logger *slog.Logger
	failed bool // lost lines have been reported
}

func (o *auditOutput) Write(line []byte) (int, error) {
	_, err := io.WriteString(o.w, o.prefix+strings.TrimSuffix(string(line), "\n")+"\n")
	if err != nil && !o.failed && !errors.Is(err, os.ErrClosed) {
		o.failed = true
		o.logger.Error("audit lines are lost", "error", err)
	}
	return len(line), err
}

package webaccess

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// ConvertChild is the only argument of the program when it runs as its own child to convert a page.
const ConvertChild = "__convert"

// NewConverter returns a converter whose children are this program. cache is the folder of --cache-dir, or "".
func NewConverter(logger *slog.Logger, cache string) *conversion.Converter {
	c := conversion.New(func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, command.Self())
		cmd.Args = []string{command.Name, ConvertChild}
		return cmd
	})
	c.Logger = logger
	if cache != "" {
		c.Cache = filepath.Join(cache, "pdfium")
	}
	return c
}

// PDFs returns how the texts of PDF files are made. cache is the folder of --cache-dir, or "".
func PDFs(c *conversion.Converter, cache string) project.PDFOptions {
	if dir, err := os.UserCacheDir(); cache == "" && err == nil {
		cache = filepath.Join(dir, "mcp-docs-server")
	}
	if cache != "" {
		cache = filepath.Join(cache, "pdf")
	}
	return project.PDFOptions{Converter: c, Cache: cache}
}

// RunConvertChild runs the program as the child of a converter.
func RunConvertChild(streams command.Streams) int {
	if err := conversion.Main(streams.In, streams.Out); err != nil {
		fmt.Fprintln(streams.Err, terminal.OneLine(err.Error()))
		return 1
	}
	return 0
}

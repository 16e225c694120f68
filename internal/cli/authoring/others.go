package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/loopback"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Resources that are not files. The server makes them, so commands read them like clients.

// madeByServer reports whether a project can have resources that the server makes.
func madeByServer(p *project.Project) bool {
	_, captures := webaccess.CaptureFiles(p)
	return p.Config.Index.On || captures || p.MadeOfDocuments()
}

// An other is a listed resource that is not a file.
type other struct {
	URI         string `json:"uri"`
	MIMEType    string `json:"mimeType"`
	Size        int64  `json:"size"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Annotations struct {
		LastModified time.Time `json:"lastModified"`
	} `json:"annotations"`
}

// others returns the listed resources that are not in a catalog, in canonical order.
func (a *app) others(ctx context.Context, p *project.Project, catalog *loader.Catalog) (all []other, err error) {
	if !madeByServer(p) {
		return nil, nil
	}
	err = a.serving(ctx, p, func(ctx context.Context, _ *project.Live, c *loopback.Client) error {
		for cursor := ""; ; {
			params := map[string]string{}
			if cursor != "" {
				params["cursor"] = cursor
			}
			result, _, err := c.Call(ctx, "resources/list", params)
			if err != nil {
				return err
			}
			var page struct {
				Resources  []other `json:"resources"`
				NextCursor string  `json:"nextCursor"`
			}
			if err := json.Unmarshal(result, &page); err != nil {
				return err
			}
			for _, r := range page.Resources {
				if _, file := catalog.Exact(r.URI); !file {
					all = append(all, r)
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				return nil
			}
		}
	})
	return all, err
}

// withOthers adds other resources to a list of files.
func withOthers(files []listed, others []other, l *list) []listed {
	var out []listed
	for _, o := range others {
		if !l.wants(o.URI, func() time.Time { return o.Annotations.LastModified }) {
			continue
		}
		for len(files) > 0 && view.Compare(files[0].name, o.URI) < 0 {
			out, files = append(out, files[0]), files[1:]
		}
		long := fmt.Sprintf("%12d  %s  %s  %s", o.Size, o.Annotations.LastModified.Format(time.RFC3339), o.URI, o.MIMEType)
		if o.Annotations.LastModified.IsZero() {
			long = fmt.Sprintf("%12s  %-20s  %s  %s", "-", "-", o.URI, o.MIMEType)
		}
		if o.Title != "" {
			long += fmt.Sprintf("  title=%q", o.Title)
		}
		out = append(out, listed{name: o.URI, long: long + shortened(o.Description), value: map[string]string{
			"uri": o.URI, "mimeType": o.MIMEType, "title": o.Title, "description": o.Description,
		}})
	}
	return append(out, files...)
}

// readOther writes a resource that is not a file. found is false for a resource that does not exist.
func (a *app) readOther(ctx context.Context, p *project.Project, uri string, out io.Writer) (found bool, err error) {
	ofDependency := strings.HasPrefix(strings.ToLower(uri), dependencies.Folder+"://")
	if !madeByServer(p) && !ofDependency || !strings.Contains(uri, "://") {
		return false, nil
	}
	err = a.serving(ctx, p, func(ctx context.Context, _ *project.Live, c *loopback.Client) error {
		result, _, err := c.Call(ctx, "resources/read", map[string]string{"uri": uri})
		if protocol.CodeOf(err) == codeNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		var read struct{ Contents []embedded }
		if err := json.Unmarshal(result, &read); err != nil {
			return err
		}
		found = true
		for _, part := range read.Contents {
			data := part.Blob
			if part.Text != nil {
				data = []byte(*part.Text)
			}
			if _, err := out.Write(data); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// codeNotFound is the error code for a resource that does not exist, as a loopback client gets it.
const codeNotFound = -32002

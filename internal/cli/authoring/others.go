package authoring

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
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

// withOthers adds the listed resources that are not in a catalog to a list of its files.
func (a *app) withOthers(ctx context.Context, p *project.Project, catalog *loader.Catalog, all []listed) ([]listed, error) {
	if !madeByServer(p) {
		return all, nil
	}
	err := a.serving(ctx, p, nil, func(ctx context.Context, s session) error {
		for cursor := ""; ; {
			params := map[string]string{}
			if cursor != "" {
				params["cursor"] = cursor
			}
			var page struct {
				Resources []struct {
					listed
					Annotations struct{ LastModified time.Time }
				}
				NextCursor string
			}
			if err := s.get(ctx, "resources/list", params, &page); err != nil {
				return err
			}
			for _, r := range page.Resources {
				if _, file := catalog.Exact(r.URI); !file {
					r.name, r.Name, r.ModTime = r.URI, "", r.Annotations.LastModified
					all = append(all, r.listed)
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				return nil
			}
		}
	})
	slices.SortStableFunc(all, func(x, y listed) int { return view.Compare(x.name, y.name) })
	return all, err
}

// readOther writes a resource that is not a file. found is false for a resource that does not exist.
func (a *app) readOther(ctx context.Context, p *project.Project, uri string, out io.Writer) (found bool, err error) {
	ofDependency := strings.HasPrefix(strings.ToLower(uri), dependencies.Folder+"://")
	if !madeByServer(p) && !ofDependency || !strings.Contains(uri, "://") {
		return false, nil
	}
	err = a.serving(ctx, p, nil, func(ctx context.Context, s session) error {
		var read struct{ Contents []embedded }
		err := s.get(ctx, "resources/read", map[string]string{"uri": uri}, &read)
		if protocol.CodeOf(err) == codeNotFound {
			return nil
		} else if err != nil {
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

package server

import (
	"context"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// pageBytes ends a page early, so that one with long names is no burden for a client.
const pageBytes = 1 << 20

type resourcesPage struct {
	outcome
	Resources  []resourceItem `json:"resources"`
	NextCursor string         `json:"nextCursor,omitempty"`
}

// A resourceItem describes a file (MCP, "Resources", data type Resource).
type resourceItem struct {
	URI         string           `json:"uri"`
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	MIMEType    string           `json:"mimeType"`
	Size        int64            `json:"size"`
	Annotations annotations      `json:"annotations"`
	Icons       []templates.Icon `json:"icons,omitempty"`
}

type annotations struct {
	Audience     []string `json:"audience,omitempty"`
	Priority     *float64 `json:"priority,omitempty"`
	LastModified string   `json:"lastModified,omitempty"` // RFC 3339, UTC
}

func (s *Server) listResources(ctx context.Context, cursor string, e era, session *mcp.ServerSession) (mcp.Result, error) {
	after := ""
	if cursor != "" {
		var ok bool
		if after, ok = parseCursor(resourceCursor, cursor); !ok {
			return nil, invalidParams("the cursor is not one of this list")
		}
	}
	catalog, err := s.catalog.Load(ctx)
	if err != nil {
		return nil, err
	}
	limit := s.bounds.Load().PageItems
	page := &resourcesPage{Resources: []resourceItem{}}
	size := 0
	for r := range catalog.After(after) {
		if n := len(page.Resources); n == limit || size > pageBytes {
			page.NextCursor = newCursor(resourceCursor, page.Resources[n-1].URI)
			break
		}
		item := describe(catalog, r)
		size += len(item.URI) + len(item.Name) + len(item.Title) + len(item.Description) + 200
		page.Resources = append(page.Resources, item)
	}
	page.outcome = e.cacheable(s.listTTL(session, lists{resources: true}, catalog))
	return page, nil
}

func describe(catalog *loader.Catalog, r loader.Resource) resourceItem {
	about := catalog.About(r)
	return resourceItem{
		URI:         r.URI(),
		Name:        r.DisplayName(),
		Title:       about.Title,
		Description: about.Description,
		MIMEType:    catalog.MIME(r),
		Size:        r.Size(),
		Annotations: annotations{
			Audience:     about.Audience,
			Priority:     about.Priority,
			LastModified: r.ModTime().Format(time.RFC3339Nano),
		},
		Icons: about.Icons,
	}
}

type templatesPage struct {
	outcome
	Templates  []templateItem `json:"resourceTemplates"`
	NextCursor string         `json:"nextCursor,omitempty"`
}

// A templateItem describes a template (MCP, "Resources", data type ResourceTemplate).
type templateItem struct {
	URITemplate string           `json:"uriTemplate"`
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	MIMEType    string           `json:"mimeType,omitempty"`
	Annotations *annotations     `json:"annotations,omitempty"`
	Icons       []templates.Icon `json:"icons,omitempty"`
}

func (s *Server) listTemplates(ctx context.Context, cursor string, e era, session *mcp.ServerSession) (mcp.Result, error) {
	start := 0
	if cursor != "" {
		key, ok := parseCursor(templateCursor, cursor)
		if ok {
			var err error
			start, err = strconv.Atoi(key)
			ok = err == nil && start > 0
		}
		if !ok {
			return nil, invalidParams("the cursor is not one of this list")
		}
	}
	catalog, err := s.catalog.Load(ctx)
	if err != nil {
		return nil, err
	}
	entries := catalog.Templates().Entries()
	limit := s.bounds.Load().PageItems
	page := &templatesPage{Templates: []templateItem{}}
	size := 0
	for i := min(start, len(entries)); i < len(entries); i++ {
		if len(page.Templates) == limit || size > pageBytes {
			page.NextCursor = newCursor(templateCursor, strconv.Itoa(i))
			break
		}
		d := entries[i]
		item := templateItem{d.Template.String(), d.Name, d.Title, d.Description, d.MIMEType, nil, d.Icons}
		if d.Annotations != nil {
			item.Annotations = &annotations{Audience: d.Annotations.Audience, Priority: d.Annotations.Priority}
		}
		size += len(item.URITemplate) + len(item.Name) + len(item.Title) + len(item.Description) + 200
		page.Templates = append(page.Templates, item)
	}
	page.outcome = e.cacheable(s.listTTL(session, lists{resources: true}, catalog))
	return page, nil
}

type toolsPage struct {
	outcome
	Tools []toolItem `json:"tools"`
}

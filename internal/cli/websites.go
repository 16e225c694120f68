package cli

import (
	"os"

	"github.com/mcp-docs-server/mcp-docs-server/internal/webmap"
)

// addSites adds the tools about whole sites to what a project has.
func (w *webAccess) addSites(web *projectWeb) error {
	settings, err := webmap.FromEnvironment(os.Getenv)
	if err != nil {
		return &usageError{err.Error()}
	}
	web.tools = append(web.tools, webmap.Tool(webmap.Options{Site: w.client, Check: w.client.Check, Store: web.store, Settings: settings}))
	return nil
}

package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// resources is the part of the manifest about resources.
type resources struct {
	Pages []listPage `json:"pages"`
}

// A listPage is a page of resources/list.
type listPage struct {
	Items string `json:"items"` // asset: the items, each on a line of its own
	Last  string `json:"last"`  // URI of the last item
}

// resources writes the pages of resources/list.
func (b *Builder) resources(ctx context.Context) error {
	b.manifest.Resources.Pages = []listPage{}
	params := map[string]string{}
	for {
		var page struct {
			Resources  []json.RawMessage `json:"resources"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := b.call(ctx, "resources/list", params, &page); err != nil {
			return err
		}
		if n := len(page.Resources); n > 0 {
			last, err := uriOf(page.Resources[n-1])
			if err != nil {
				return err
			}
			b.manifest.Resources.Pages = append(b.manifest.Resources.Pages, listPage{b.Add(lines(page.Resources)), last})
		}
		if page.NextCursor == "" {
			return nil
		}
		params["cursor"] = page.NextCursor
	}
}

// lines joins items of a list, which have no line ends.
func lines(items []json.RawMessage) []byte {
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.Write(item)
	}
	return []byte(b.String())
}

func uriOf(item json.RawMessage) (string, error) {
	var of struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(item, &of); err != nil {
		return "", fmt.Errorf("a resource: %w", err)
	}
	return of.URI, nil
}

package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/outbound"
	"github.com/mcp-docs-server/mcp-docs-server/internal/webpage"
)

const (
	maxImages     = 200 // of a page
	maxImageBytes = 10 << 20
)

// images keeps the images of a page, and returns the links to them by their URLs. An image that
// cannot be kept is a warning: the page then shows that of the web.
func (c *Capturer) images(ctx context.Context, page *webpage.Page, r *Result) (map[string]string, error) {
	kept := make(map[string]string)
	seen := make(map[string]bool)
	for _, ref := range page.References {
		at := ref.URL.String()
		if !ref.Image || seen[at] {
			continue
		}
		if seen[at] = true; len(seen) > maxImages {
			r.Warnings = append(r.Warnings, fmt.Sprintf("the page has more than %d images: the others are not kept", maxImages))
			break
		}
		name, changed, err := c.image(ctx, ref)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("an image is not kept: %v", err))
			continue
		}
		if changed {
			r.Images = append(r.Images, name)
		}
		kept[at] = Relative(r.File, name)
	}
	return kept, nil
}

// image keeps an image, and reports whether its file differs.
func (c *Capturer) image(ctx context.Context, ref webpage.Reference) (name string, changed bool, err error) {
	u, err := Canonical(ref.URL)
	if err != nil {
		return "", false, err
	}
	response, err := c.Client.Get(ctx, outbound.Request{URL: u, Accept: "image/*", MaxBytes: maxImageBytes})
	if err != nil {
		return "", false, err
	}
	kind := imageType(response)
	if kind == "" {
		return "", false, fmt.Errorf("%s: is no image", u)
	}
	name = AssetName(u, kind)
	changed, err = c.keep(ctx, name, response.Body)
	return name, changed, err
}

// imageType returns the type of an image, as its bytes say, or "" if it is none.
func imageType(response *outbound.Response) string {
	sniffed := http.DetectContentType(response.Body)
	if strings.HasPrefix(sniffed, "image/") {
		return sniffed
	}
	declared, _, err := mime.ParseMediaType(response.ContentType)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	switch {
	case declared == "image/svg+xml" && bytes.Contains(response.Body[:min(len(response.Body), 4096)], []byte("<svg")):
		return declared
	case declared == "image/avif" && len(response.Body) > 12 && string(response.Body[4:8]) == "ftyp":
		return declared
	}
	return ""
}

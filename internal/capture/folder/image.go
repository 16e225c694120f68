package folder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

const (
	maxImages     = 200 // of a page
	maxImageBytes = 10 << 20
	// maxImagesBytes and maxImagesTime bound all images of a page together. They are in memory until the file is
	// written.
	maxImagesBytes = 64 << 20
	maxImagesTime  = 10 * time.Minute
)

// images stages the images of a page, and returns the links to them by their URLs. An image that cannot be kept
// causes a warning; the page then links to its URL.
func (c *Capturer) images(ctx context.Context, page *webpage.Page, old, f *File, r *Result) (map[string]string, error) {
	kept := make(map[string]string)
	seen := make(map[string]bool)
	left := int64(maxImagesBytes)
	bounded, cancel := context.WithTimeout(ctx, cmp.Or(c.imagesTime, maxImagesTime))
	defer cancel()
	failed := false
	for _, ref := range page.References {
		location := ref.URL.String()
		if !ref.Image || seen[location] {
			continue
		}
		var stop string
		switch seen[location] = true; {
		case len(seen) > maxImages:
			stop = fmt.Sprintf("the page has more than %d images", maxImages)
		case left <= 0:
			stop = fmt.Sprintf("the images of the page have more than %d MiB", maxImagesBytes>>20)
		case bounded.Err() != nil:
			stop = fmt.Sprintf("the images of the page take longer than %v", maxImagesTime)
		}
		if stop != "" {
			r.Warnings = append(r.Warnings, stop+": the others are not kept")
			failed = true
			break
		}
		name, size, err := c.image(bounded, ref, old, f, left)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		left -= size
		if err == errEditedAsset {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %v", name, err))
		} else if err != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("an image is not kept: %v", err))
			failed = true
			continue
		}
		kept[location] = Relative(r.File, name)
	}
	if failed && old != nil { // the next run may fetch them
		for name, sum := range old.assets {
			if f.assets[name] == "" {
				f.assets[name] = sum
			}
		}
	}
	return kept, nil
}

// image stages an image, and returns its name and size.
func (c *Capturer) image(ctx context.Context, ref webpage.Reference, old, f *File, left int64) (name string, size int64, err error) {
	u, err := crawl.Normalize(ref.URL)
	if err != nil {
		return "", 0, err
	}
	response, err := c.Client.Get(ctx, webclient.Request{URL: u, Accept: "image/*", MaxBytes: min(maxImageBytes, left)})
	if err != nil {
		return "", 0, err
	}
	kind := imageType(response)
	if kind == "" {
		return "", 0, fmt.Errorf("%s: is not an image", u)
	}
	name = AssetName(u, kind)
	if err := c.stage(asset{name: name, data: response.Body, image: true}, old, f); err == errOtherAsset {
		return name, 0, fmt.Errorf("%s: %w", name, err)
	} else if err != nil {
		return name, 0, err
	}
	return name, int64(len(response.Body)), nil
}

// imageType returns the type of an image by its bytes, or "" if they are not an image.
func imageType(response *webclient.Response) string {
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

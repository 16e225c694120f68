package folder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

// maxAssetList is the maximum length of the list of assets in front matter. It has room for [maxImages], and leaves
// the rest to other keys.
const maxAssetList = 48 << 10

// An asset is an image to which the file of a page links.
type asset struct {
	name string
	data []byte
	seen string
}

// errOtherAsset reports that the file of an asset has other bytes than the page had, because it was edited or is a file of somebody else.
var errOtherAsset = errors.New("has other content than the page: --force overwrites it")

// stage records an asset in fresh, to be written with the page. If the file exists with the same bytes, the asset is
// only recorded. A file with other bytes is overwritten only if the front matter of the page, in old, has the digest
// of these bytes.
func (c *Capturer) stage(a asset, old, fresh *File) error {
	was := ""
	if old != nil {
		was = old.assets[a.name]
	}
	wanted := digest(string(a.data))
	existing, err := c.assetDigest(a.name, wanted, was)
	if err != nil {
		return err
	}
	if existing != "" && existing != wanted && existing != was && !c.Options.Force {
		if was != "" {
			fresh.assets[a.name] = was
		}
		return errOtherAsset
	}
	if fresh.assets[a.name] = wanted; existing != wanted {
		a.seen = existing
		fresh.staged = append(fresh.staged, a)
	}
	return nil
}

// assetDigest returns the digest of the file of an asset, "" if it does not exist. If it is a text in which Git has
// changed the line ends, as on Windows, the result is the one of the known digests that it had before.
func (c *Capturer) assetDigest(name string, known ...string) (string, error) {
	data, err := c.readAll(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	sum := digest(string(data))
	if path.Ext(name) == ".svg" && !slices.Contains(known, sum) {
		if lf := digest(strings.ReplaceAll(string(data), "\r\n", "\n")); slices.Contains(known, lf) {
			sum = lf
		}
	}
	return sum, nil
}

// writeAssets writes the staged assets of a file. It skips an asset that somebody wrote since it was staged, with a
// warning.
func (c *Capturer) writeAssets(ctx context.Context, f *File, r *Result) error {
	for _, a := range f.staged {
		wanted := digest(string(a.data))
		existing, err := c.assetDigest(a.name, wanted, a.seen)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		if existing == wanted {
			continue // another page has the same image
		}
		if existing != a.seen && !c.Options.Force {
			delete(f.assets, a.name)
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %v", a.name, errOtherAsset))
			continue
		}
		if err := c.write(ctx, a.name, a.data); err != nil {
			return err
		}
		r.Images = append(r.Images, a.name)
	}
	return nil
}

// assetList returns the lines of front matter that list assets.
func assetList(assets map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(assets)) {
		line := "  - " + frontmatter.Quoted(assets[name]+" "+name) + "\n"
		if b.Len()+len(line) > maxAssetList {
			break // assets that are not listed are never overwritten later
		}
		if b.Len() == 0 {
			b.WriteString("assets:\n")
		}
		b.WriteString(line)
	}
	return b.String()
}

// assetsOf decodes what [assetList] returns.
func assetsOf(lines []string) map[string]string {
	assets := make(map[string]string)
	for _, line := range lines {
		if sum, name, ok := strings.Cut(line, " "); ok && name != "" && len(sum) == len(digest("")) {
			assets[name] = sum
		}
	}
	return assets
}

const (
	maxImages     = 200
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
		if seen[location] = true; len(seen) > maxImages || left <= 0 || bounded.Err() != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("the page has more than %d images or %d MiB of them, or they take longer than %v: the others are not kept", maxImages, maxImagesBytes>>20, maxImagesTime))
			failed = true
			break
		}
		name, size, err := c.image(bounded, ref, old, f, left)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		left -= size
		if errors.Is(err, errOtherAsset) && f.assets[name] != "" {
			r.Warnings = append(r.Warnings, err.Error())
		} else if err != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("an image is not kept: %v", err))
			failed = true
			continue
		}
		kept[location] = Relative(r.File, name)
	}
	if failed && old != nil { // the next run fetches them
		for name, sum := range old.assets {
			f.assets[name] = cmp.Or(f.assets[name], sum)
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
	name = assetName(u, kind)
	if err := c.stage(asset{name: name, data: response.Body}, old, f); err != nil {
		return name, 0, fmt.Errorf("%s: %w", name, err)
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

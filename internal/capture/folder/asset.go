package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// maxAssetList is how many bytes of front matter list assets. It has room for [maxImages], and
// leaves the rest to other keys.
const maxAssetList = 48 << 10

// An asset is a file that a page links to: an image, or what the page itself is if it is no text.
type asset struct {
	name  string
	data  []byte
	image bool   // of a page
	seen  string // digest of the file that was there; "" if there was none
}

// errOtherAsset reports that another file is where an asset belongs.
var errOtherAsset = errors.New("is there with other bytes, and was not captured with this page: --force writes over it")

// errEditedAsset reports that the file of an asset was edited.
var errEditedAsset = errors.New("was edited, and is left alone: --force writes over it")

// stage records an asset in fresh, to be written if the page is. An asset that is there already
// with the same bytes is recorded only. One with other bytes is written over only if the front
// matter of the page, in old, has the digest of these bytes.
func (c *Capturer) stage(a asset, old, fresh *File) error {
	was := ""
	if old != nil {
		was = old.assets[a.name]
	}
	wanted := digest(string(a.data))
	there, err := c.assetDigest(a.name, wanted, was)
	if err != nil {
		return err
	}
	switch {
	case there == wanted:
		fresh.record(a.name, wanted)
		return nil
	case there == "" || there == was || c.Options.Force:
	case was != "":
		fresh.record(a.name, was) // the file stays one of the page
		return errEditedAsset
	default:
		return errOtherAsset
	}
	fresh.record(a.name, wanted)
	a.seen = there
	fresh.staged = append(fresh.staged, a)
	return nil
}

// record records the digest of an asset.
func (f *File) record(name, sum string) {
	if f.assets == nil {
		f.assets = make(map[string]string)
	}
	f.assets[name] = sum
}

// assetDigest returns the digest of the file of an asset, "" if there is none. If it is a text whose
// line ends Git has changed, as on Windows, the digest is that of known which it had before.
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

// writeAssets writes the staged assets of a file. One that somebody wrote since it was staged is
// left alone, which is a warning.
func (c *Capturer) writeAssets(ctx context.Context, f *File, r *Result) error {
	for _, a := range f.staged {
		wanted := digest(string(a.data))
		there, err := c.assetDigest(a.name, wanted, a.seen)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		if there == wanted {
			continue // another page has the same image
		}
		if there != a.seen && !c.Options.Force {
			delete(f.assets, a.name)
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %v", a.name, errEditedAsset))
			continue
		}
		if err := c.write(ctx, a.name, a.data); err != nil {
			return err
		}
		if a.image {
			r.Images = append(r.Images, a.name)
		}
	}
	return nil
}

// assetList returns the lines of front matter that list assets.
func assetList(assets map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(assets)) {
		line := "  - " + quoted(assets[name]+" "+name) + "\n"
		if b.Len()+len(line) > maxAssetList {
			break // the others are not written over later
		}
		if b.Len() == 0 {
			b.WriteString("assets:\n")
		}
		b.WriteString(line)
	}
	return b.String()
}

// assetsOf reads what [assetList] wrote.
func assetsOf(field any) map[string]string {
	list, _ := field.([]any)
	var assets map[string]string
	for _, item := range list {
		line, _ := item.(string)
		if sum, name, ok := strings.Cut(line, " "); ok && name != "" && len(sum) == len(digest("")) {
			if assets == nil {
				assets = make(map[string]string)
			}
			assets[name] = sum
		}
	}
	return assets
}

package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"
)

//go:embed assets templates
var files embed.FS

// assetsPath is the path of the assets. Their names contain a part of their digest, so browsers may
// cache them forever.
const assetsPath = "/assets/"

var (
	// The assets and the templates are read when the first page is shown: most servers never show
	// one.
	style  = newAsset("page.css", "text/css; charset=utf-8")
	script = newAsset("page.js", "text/javascript; charset=utf-8")
	// formulas is Temml, which turns formulas into MathML. Only pages with formulas load it.
	formulas = newAsset("temml.min.js", "text/javascript; charset=utf-8")

	icon  = newAsset("icon.svg", "image/svg+xml")
	pages = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Funcs(functions).ParseFS(files, "templates/*.html"))
	})
)

// An asset is a file that pages load.
type asset struct {
	name, kind string
	data       []byte
}

// newAsset returns a function that reads an embedded file once.
func newAsset(file, kind string) func() asset {
	return sync.OnceValue(func() asset {
		data, err := files.ReadFile("assets/" + file)
		if err != nil {
			panic(err) // embedded files can be read
		}
		sum := sha256.Sum256(data)
		stem, extension, _ := strings.Cut(file, ".")
		return asset{stem + "-" + hex.EncodeToString(sum[:6]) + "." + extension, kind, data}
	})
}

func serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	for _, known := range []func() asset{style, script, formulas, icon} {
		if a := known(); a.name == name {
			a.serve(w, r)
			return
		}
	}
	http.NotFound(w, r)
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.data))
}

// render writes a page. It makes the whole page first, so that an error leaves no half page.
func render(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "the page cannot be rendered", http.StatusInternalServerError)
		return
	}
	send(w, r, status, "text/html; charset=utf-8", b.Bytes())
}

// send writes a text, compressed if the client accepts gzip.
func send(w http.ResponseWriter, r *http.Request, status int, kind string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Add("Vary", "Accept-Encoding")
	if len(data) > 1<<10 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		w.WriteHeader(status)
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is valid
		_, _ = z.Write(data)                           // the client may be gone
		_ = z.Close()
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

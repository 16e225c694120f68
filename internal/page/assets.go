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

// assetsPath is where the assets are. Their names have a part of their digest, so that they can be
// kept for ever.
const assetsPath = "/assets/"

var (
	assets     = make(map[string]asset) // by name
	styleName  = addAsset("page.css", "text/css; charset=utf-8")
	scriptName = addAsset("page.js", "text/javascript; charset=utf-8")
	iconName   = addAsset("icon.svg", "image/svg+xml")
	// pages are parsed when the first one is shown: most servers never show one.
	pages = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Funcs(functions).ParseFS(files, "templates/*.html"))
	})
)

type asset struct {
	kind string
	data []byte
}

func addAsset(file, kind string) (name string) {
	data, err := files.ReadFile("assets/" + file)
	if err != nil {
		panic(err) // it is embedded
	}
	sum := sha256.Sum256(data)
	stem, extension, _ := strings.Cut(file, ".")
	name = stem + "-" + hex.EncodeToString(sum[:6]) + "." + extension
	assets[name] = asset{kind, data}
	return name
}

func serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	a, ok := assets[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.data))
}

// render writes a page. It is made whole before, so that a mistake leaves no half of it.
func render(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	send(w, r, status, "text/html; charset=utf-8", b.Bytes())
}

// send writes a text, compressed where the client takes that.
func send(w http.ResponseWriter, r *http.Request, status int, kind string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Add("Vary", "Accept-Encoding, Cookie")
	if len(data) > 1<<10 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		w.WriteHeader(status)
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // it is a level
		_, _ = z.Write(data)                           // a client that is gone does not miss it
		_ = z.Close()
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

package media

import "testing"

func TestBinary(t *testing.T) {
	binary := []string{
		"image/png", "image/jpeg", "image/webp", "image/avif", "image/heic", "image/x-icon", "image/vnd.unheard.of",
		"audio/mpeg", "audio/x-flac", "video/mp4", "video/webm", "font/woff2", "application/vnd.ms-fontobject",
		"application/pdf", "application/zip", "application/epub+zip", "application/gzip", "application/x-tar",
		"application/x-7z-compressed", "application/vnd.rar", "application/zstd", "application/x-xz",
		"application/java-archive", "application/wasm", "application/java-vm", "application/x-msdos-program",
		"application/x-elf", "application/x-mach-binary", "application/vnd.microsoft.portable-executable",
		"application/msword", "application/vnd.ms-excel", "application/vnd.ms-excel.sheet.macroenabled.12",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.oasis.opendocument.text", "application/vnd.ms-visio.drawing.main+xml",
		"application/vnd.sqlite3", "application/vnd.apache.parquet", "application/cbor", "application/senml+cbor",
		"model/gltf-binary", "model/vnd.usdz+zip",
		"IMAGE/PNG", "audio/ogg; codecs=opus",
	}
	text := []string{
		"", "text", "application/octet-stream", "application/x-unheard-of",
		"text/plain", "text/html; charset=utf-8", "text/vnd.anything", "message/rfc822",
		"image/svg+xml", "image/svg+xml; charset=utf-8", "image/x-xbitmap", "image/x-xpixmap",
		"image/x-portable-anymap", "image/x-portable-bitmap", "image/vnd.dxf",
		"audio/x-mpegurl", "audio/mpegurl", "application/vnd.apple.mpegurl", "video/vnd.mpegurl",
		"application/json", "application/xml", "application/postscript", "application/x-sh", "application/x-bat",
		"application/vnd.google-earth.kml+xml", "application/x-ipynb+json", "application/rtf",
		"model/obj", "model/gltf+json", "application/pgp-keys", "application/x-x509-ca-cert",
	}
	for _, mime := range binary {
		if !Binary(mime) {
			t.Errorf("%q is not binary", mime)
		}
	}
	for _, mime := range text {
		if Binary(mime) {
			t.Errorf("%q is binary", mime)
		}
	}
}

// TestTableText fails if a new mime-db or an override turns files that people write into blobs.
func TestTableText(t *testing.T) {
	for _, ext := range []string{
		"adoc", "bat", "c", "cjs", "com", "conf", "cpp", "crt", "csv", "cu", "dart", "dot", "dts", "dxf", "eml", "eps", "fbs",
		"go", "h", "hbs", "html", "ics", "ini", "ipynb", "java", "js", "json", "key", "latex", "less", "log", "m3u", "m3u8",
		"map", "md", "mmd", "mts", "obj", "org", "pem", "php", "pl", "po", "pot", "ps", "pub", "py", "rs", "rtf", "scm",
		"scss", "sh", "sql", "srt", "st", "svg", "tap", "tex", "toml", "tpl", "ts", "tsv", "ttl", "vtt", "xbm", "xlf",
		"xml", "xpm", "yaml",
	} {
		if mime, ok := ByName("x." + ext); ok && Binary(mime) {
			t.Errorf(".%s is %s, which is binary", ext, mime)
		}
	}
}

package media

import (
	"slices"
	"strings"
)

// Binary reports whether files of a type are never text, so that even a file of letters is a blob.
// Parameters are allowed. Unknown types and application/octet-stream do not count as binary: for
// these the bytes decide, and bytes that are not text become a blob without an entry here. The list
// therefore omits types that share an extension with text files, such as .msg (Outlook, ROS), .nc
// (netCDF, machine tools) and .cap (packets, alerts).
func Binary(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	mime = strings.ToLower(strings.TrimSpace(mime))
	top, sub, _ := strings.Cut(mime, "/")
	switch top {
	case "image", "audio", "video":
		return !strings.HasSuffix(sub, "+xml") && !strings.HasSuffix(sub, "+json") && !written(mime)
	case "font":
		return true
	case "application", "model":
		return built(sub) || office(sub) || compiled(sub)
	}
	return false
}

// Visible reports whether language models take images of a type. Some clients cannot continue after an image of another type.
func Visible(mime string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime)
}

// written reports whether an image, audio or video type is text: drawings, bitmaps as source code
// or numbers, and playlists. It includes types of which only some files are text.
func written(mime string) bool {
	switch mime {
	case "image/vnd.dxf", "image/x-eps", "image/x-xbitmap", "image/x-xpixmap", "image/x-xpm",
		"image/x-portable-anymap", "image/x-portable-arbitrarymap", "image/x-portable-bitmap",
		"image/x-portable-graymap", "image/x-portable-pixmap",
		"audio/mpegurl", "audio/x-mpegurl", "audio/x-scpls", "audio/x-ms-wax", "audio/x-pn-realaudio",
		"video/vnd.mpegurl", "video/x-ms-asf", "video/x-ms-asx", "video/x-ms-wmx", "video/x-ms-wvx":
		return true
	}
	return false
}

// built reports whether a subtype is an archive, compressed, or based on a binary format that its
// suffix names (RFC 6839, RFC 8949).
func built(sub string) bool {
	if plus := strings.LastIndexByte(sub, '+'); plus >= 0 {
		switch sub[plus+1:] {
		case "zip", "gzip", "zstd", "cbor", "cbor-seq", "der", "ber", "wbxml", "fastinfoset", "sqlite3", "dotlottie":
			return true
		}
	}
	switch sub {
	case "gzip", "x-gzip", "x-bzip", "x-bzip2", "x-xz", "zstd", "zlib", "lzip", "x-lz4", "x-brotli",
		"zip", "x-zip-compressed", "x-7z-compressed", "vnd.rar", "x-rar-compressed",
		"x-tar", "x-gtar", "x-ustar", "x-cpio", "x-bcpio", "x-sv4cpio", "x-sv4crc", "x-xar",
		"x-ace-compressed", "x-arj", "x-freearc", "x-lzh-compressed", "x-stuffit", "x-stuffitx",
		"x-cbr", "vnd.ms-cab-compressed", "x-installshield", "x-archive",
		"x-apple-diskimage", "x-iso9660-image", "x-virtualbox-vdi",
		"x-debian-package", "vnd.debian.binary-package", "x-redhat-package-manager", "x-rpm",
		"java-archive", "vnd.android.package-archive", "x-chrome-extension", "x-xpinstall",
		"appx", "appxbundle", "msix", "msixbundle", "vnd.google-earth.kmz", "vnd.apple.pkpass", "3mf":
		return true
	}
	return false
}

// office reports whether a subtype is a document or data file that only a specific program can
// read.
func office(sub string) bool {
	for _, prefix := range [...]string{
		"vnd.openxmlformats-officedocument.", "vnd.oasis.opendocument.", "vnd.sun.xml.",
		"vnd.ms-excel", "vnd.ms-powerpoint", "vnd.ms-word",
	} {
		if strings.HasPrefix(sub, prefix) {
			return true
		}
	}
	switch sub {
	case "pdf", "x-pdf", "msword", "x-ole-storage", "onenote", "vnd.ms-htmlhelp", "vnd.ms-officetheme",
		"vnd.ms-publisher", "vnd.ms-works", "vnd.ms-xpsdocument", "oxps",
		"vnd.visio", "vnd.ms-visio.drawing.main+xml", "vnd.wordperfect",
		"vnd.apple.numbers", "vnd.apple.pages",
		"vnd.amazon.ebook", "x-mobipocket-ebook", "x-ms-reader",
		"vnd.sqlite3", "x-sqlite3", "x-msaccess", "x-dbf", "vnd.dbf",
		"vnd.apache.parquet", "vnd.apache.arrow.file", "vnd.apache.arrow.stream", "x-hdf",
		"cbor", "ubjson", "marc", "dicom", "fits", "grib", "bufr", "tzif",
		"vnd.shp", "vnd.shx", "gltf-binary",
		"ogg", "mp4", "mp21", "mxf", "vnd.rn-realmedia", "vnd.rn-realmedia-vbr", "x-shockwave-flash",
		"vnd.ms-fontobject", "x-pkcs12", "java-serialized-object", "x-bittorrent",
		"x-keepass2", "x-blender":
		return true
	}
	return false
}

// compiled reports whether a subtype is a program or part of a program.
func compiled(sub string) bool {
	switch sub {
	case "wasm", "java-vm", "x-java-applet", "x-bytecode.python", "x-lua-bytecode",
		"x-elf", "x-object", "x-executable", "x-sharedlib", "x-coredump", "x-mach-binary",
		"vnd.microsoft.portable-executable", "x-msdos-program", "x-msdownload", "x-ms-installer",
		"x-ms-shortcut", "vnd.nintendo.snes.rom", "x-os2-hlp", "x-os2-inf":
		return true
	}
	return false
}

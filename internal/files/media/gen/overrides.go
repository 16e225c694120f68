package main

// overrides are the extensions for which mime-db has no type, or has a type that is rare in a
// folder of documentation and source code. An unregistered type here is the name that editors and
// the content sniffer use. An empty type removes the extension from the table, so that such files
// are sniffed.
var overrides = []struct{ mime, extensions string }{
	// mime-db: MPEG transport streams. VS Code and CodeMirror use these names; a real video in such
	// a file is still a blob, because its bytes are not text.
	{"text/typescript", "ts mts cts"},
	{"text/tsx", "tsx"},

	// Languages that mime-db does not know, or knows as something else:
	// .rs as XML of RFC 4826, .cu as video conferencing, .dts as sound, .scm
	// as a screen film, .st as a ship's track, .sc as an encrypted container.
	{"text/x-ada", "ada adb ads"},
	{"text/x-awk", "awk"},
	{"text/x-c", "c++ h++ hpp hxx inl ino ipp"},
	{"text/x-clojure", "clj cljc cljs edn"},
	{"text/x-cobol", "cbl cob"},
	{"text/x-common-lisp", "el lisp lsp"},
	{"text/x-crystal", "cr"},
	{"text/x-csharp", "cs csx"},
	{"text/x-cuda", "cu cuh"},
	{"text/x-d", "d"},
	{"text/x-devicetree", "dts dtsi"},
	{"text/x-elixir", "ex exs"},
	{"text/x-elm", "elm"},
	{"text/x-erlang", "erl hrl"},
	{"text/x-fsharp", "fs fsi fsx"},
	{"text/x-glsl", "frag glsl vert"},
	{"text/x-go", "go"},
	{"text/x-groovy", "gradle groovy"},
	{"text/x-haskell", "hs lhs"},
	{"text/x-hcl", "hcl tf tfvars"},
	{"text/x-julia", "jl"},
	{"text/x-kotlin", "kt kts"},
	{"text/x-nim", "nim"},
	{"text/x-nix", "nix"},
	{"text/x-objective-c", "m mm"},
	{"text/x-ocaml", "ml mli"},
	{"text/x-powershell", "ps1 psd1 psm1"},
	{"text/x-protobuf", "proto"},
	{"text/x-python", "py pyi pyw"},
	{"text/x-r", "r"},
	{"text/x-racket", "rkt"},
	{"text/x-ruby", "gemspec rake rb"},
	{"text/x-rust", "rs"},
	{"text/x-scala", "sbt sc scala"},
	{"text/x-scheme", "scm ss"},
	{"text/x-smalltalk", "st"},
	{"text/x-solidity", "sol"},
	{"text/x-swift", "swift"},
	{"text/x-systemverilog", "sv svh"},
	{"text/x-vb", "bas vb vbs"},
	{"text/x-verilog", "v"},
	{"text/x-vhdl", "vhdl"},
	{"text/x-zig", "zig"},
	{"application/graphql", "gql graphql graphqls"},
	{"application/x-sh", "bash ksh zsh"},
	{"application/x-fish", "fish"},
	// mime-db: a program to download, which would make the file a blob.
	{"application/x-bat", "bat cmd"},

	// Components and templates of web frameworks.
	{"text/x-astro", "astro"},
	{"text/x-pug", "pug"},
	{"text/x-svelte", "svelte"},
	{"text/x-vue", "vue"},

	// Prose. mime-db: .mkd under its old name, .org as a Lotus Organizer.
	{"text/asciidoc", "adoc asciidoc"},
	{"text/markdown", "mdc mdown mdwn mkd mkdn qmd rmd"},
	{"text/x-bibtex", "bib"},
	{"text/x-org", "org"},
	{"text/x-rst", "rest rst"},
	{"text/x-textile", "textile"},
	{"application/x-tex", "cls ltx sty"},

	// Diagrams. mime-db: .dot as a Word template, .mmd as karaoke.
	{"text/vnd.graphviz", "dot"},
	{"text/vnd.mermaid", "mermaid mmd"},
	{"text/x-plantuml", "plantuml puml"},
	{"application/vnd.excalidraw+json", "excalidraw"},
	{"application/vnd.jgraph.mxfile", "drawio"},

	// Data and configuration.
	{"application/json", "avsc har"},
	{"application/jsonc", "jsonc"},
	{"application/jsonl", "jsonl"},
	{"application/x-ndjson", "ndjson"},
	{"application/xliff+xml", "xliff"},
	{"application/xml", "csproj fsproj nuspec plist props resx targets vbproj"},
	{"text/x-cmake", "cmake"},
	{"text/x-diff", "diff patch"},
	{"text/x-dockerfile", "containerfile dockerfile"},
	{"text/x-makefile", "mak mk"},
	// mime-db: .fbs and .tap as images, .pot as a presentation, .pub as
	// desktop publishing, .tpl as a Groove form.
	{"text/plain", "cfg cnf desktop ejs env erb fbs gotmpl http j2 jinja jinja2 liquid lock mustache njk " +
		"po pot prisma properties pub rego service sln snap sum tap thrift tmpl tpl twig"},

	// mime-db: DOS programs. Today a name that ends in .com is usually a website.
	{"", "com"},

	// Binary formats that mime-db lacks.
	{"application/gzip", "tgz"},
	{"application/vnd.apache.arrow.file", "arrow feather"},
	{"application/vnd.apache.parquet", "parquet"},
	{"application/vnd.sqlite3", "sqlite sqlite3"},
	{"application/x-archive", "a"},
	{"application/x-bytecode.python", "pyc"},
	{"application/x-bzip2", "tbz tbz2"},
	{"application/x-lz4", "lz4"},
	{"application/x-mach-binary", "dylib"},
	{"application/x-xz", "txz"},
	{"application/zip", "egg whl"},
	{"application/zstd", "zst"},
	{"image/x-icns", "icns"},
	{"image/x-icon", "cur"},
}

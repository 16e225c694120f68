package npm

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// archive packs files, given as pairs of a name and contents, into an archive with this name.
func archive(t *testing.T, name string, files ...string) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if strings.HasSuffix(name, ".zip") {
		z := zip.NewWriter(&b)
		for i := 0; i < len(files); i += 2 {
			w, err := z.Create(files[i])
			check(err)
			_, err = w.Write([]byte(files[i+1]))
			check(err)
		}
		check(z.Close())
		return &fstest.MapFile{Data: b.Bytes()}
	}
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		check(w.WriteHeader(&tar.Header{Name: files[i], Typeflag: tar.TypeReg, Size: int64(len(files[i+1])), Mode: 0o755}))
		_, err := w.Write([]byte(files[i+1]))
		check(err)
	}
	check(w.Close())
	check(z.Close())
	return &fstest.MapFile{Data: b.Bytes()}
}

func TestFindPrograms(t *testing.T) {
	linux, windows := Platform{"linux", "x64"}, Platform{"win32", "x64"}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	packed := func(name string, files ...string) fstest.MapFS { return fstest.MapFS{name: archive(t, name, files...)} }
	join := func(all ...fstest.MapFS) fstest.MapFS {
		joined := fstest.MapFS{}
		for _, fsys := range all {
			for name, f := range fsys {
				joined[name] = f
			}
		}
		return joined
	}
	targz := packed("mcp-docs-server-1.2.3-linux-x64.tar.gz", "LICENSE", "mine", "THIRD-PARTY-LICENSES", "theirs", "mcp-docs-server", "it")
	newer := packed("mcp-docs-server-1.3.0-linux-x64.tar.gz", "mcp-docs-server", "newer")
	licence := "theirs"
	for name, test := range map[string]struct {
		dir      fstest.MapFS
		platform Platform
		version  string
		want     string // of the program, or the error
		licence  string // the third-party licences; empty: the licences in the running program
	}{
		"alone":               {fstest.MapFS{"mcp-docs-server-linux-x64": file("it")}, linux, "", "it", ""},
		"a release":           {fstest.MapFS{"bin/mcp-docs-server-linux-x64": file("it"), "bin/LICENSE": file("mine"), "bin/THIRD-PARTY-LICENSES": file("theirs")}, linux, "", "it", licence},
		"one licence only":    {fstest.MapFS{"bin/mcp-docs-server-linux-x64": file("it"), "bin/LICENSE": file("mine")}, linux, "", "it", ""},
		"an archive":          {targz, linux, "", "it", licence},
		"a zip archive":       {packed("mcp-docs-server-1.2.3-win32-x64.zip", "mcp-docs-server.exe", "it"), windows, "", "it", ""},
		"two versions":        {join(targz, newer), linux, "", "there are several programs for linux-x64, mcp-docs-server-1.2.3-linux-x64.tar.gz and mcp-docs-server-1.3.0-linux-x64.tar.gz; name one version with --cli-version", ""},
		"one of two versions": {join(targz, newer), linux, "1.3.0", "newer", ""},
		"no such version":     {join(targz, newer), linux, "2.0.0", "there is no program for linux-x64: neither mcp-docs-server-linux-x64 nor mcp-docs-server-2.0.0-linux-x64.tar.gz", ""},
		"an empty archive":    {packed("mcp-docs-server-1.2.3-linux-x64.tar.gz"), linux, "", "mcp-docs-server-1.2.3-linux-x64.tar.gz: it does not contain mcp-docs-server", ""},
		"no archive":          {fstest.MapFS{"mcp-docs-server-1.2.3-win32-x64.zip": file("PK?")}, windows, "", "mcp-docs-server-1.2.3-win32-x64.zip: zip: not a valid zip file", ""},
	} {
		found, err := FindPrograms(test.dir, []Platform{test.platform}, test.version)
		got, licence := "", ""
		if err != nil {
			got = err.Error()
		} else {
			got = text(t, found.Files[test.platform])
			if licence = text(t, found.Licences[1]); licence == text(t, licences.Files()[1]) {
				licence = ""
			}
		}
		if got != test.want || licence != test.licence {
			t.Errorf("%s: %q with the licence %q, want %q with %q", name, got, licence, test.want, test.licence)
		}
	}
}

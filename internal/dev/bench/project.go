package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A project is a folder to serve, with its files.
type project struct {
	dir   string
	files int
	equal []document // texts of 4 KB
	text  document   // 1 MiB
	blob  document   // 5 MiB
}

// A document is a file and its URI.
type document struct {
	uri  string
	data []byte
}

// makeProject makes a project of files small files, perFolder of them in a folder, some larger ones, and templates for the first folders.
func makeProject(dir string, files, perFolder, templates int) *project {
	p := &project{dir: dir}
	write := func(path string, data []byte) {
		p.files++
		do(os.WriteFile(filepath.Join(dir, "resources", path), data, 0o600))
	}
	for folder := 0; folder*perFolder < files; folder++ {
		below := fmt.Sprintf("docs/guides/part-%03d", folder)
		do(os.MkdirAll(filepath.Join(dir, "resources", below), 0o700))
		for i := folder * perFolder; i < min(files, (folder+1)*perFolder); i++ {
			write(fmt.Sprintf("%s/chapter-%d.md", below, i), fmt.Appendf(nil, "# Chapter %d\n", i))
		}
	}
	do(os.MkdirAll(filepath.Join(dir, "resources/bench/read"), 0o700))
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range manyConns {
		p.equal = append(p.equal, document{fmt.Sprintf("bench://read/equal-%d.md", i), prose(rnd, 4<<10)})
	}
	p.text = document{"bench://read/text.md", prose(rnd, 1<<20)}
	p.blob = document{"bench://read/blob.bin", make([]byte, 5<<20)}
	for i := range p.blob.data {
		p.blob.data[i] = byte(rnd.Uint32())
	}
	for _, d := range append(p.equal, p.text, p.blob) {
		write("bench/read/"+path.Base(d.uri), d.data)
	}
	var list []map[string]string
	for i := range templates {
		list = append(list, map[string]string{"uriTemplate": fmt.Sprintf("docs://guides/part-%03d/{chapter}.md", i), "name": "chapter"})
	}
	if list != nil {
		do(os.WriteFile(filepath.Join(dir, "templates.json"), get(json.Marshal(list)), 0o600))
	}
	return p
}

// prose returns a text that resembles documents: lines, quotes, markup, and some letters outside of
// ASCII.
func prose(rnd *rand.Rand, size int) []byte {
	words := strings.Fields(`the of and to a in is "it" you that <b>he</b> was for on are with as I his they be at one have this
		from or had by hot but some what there we can out other were all your when up use word how said an each she café naïve & so`)
	var b bytes.Buffer
	for b.Len() < size {
		for range 8 + rnd.IntN(8) {
			b.WriteString(words[rnd.IntN(len(words))])
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	return bytes.ToValidUTF8(b.Bytes()[:size], nil)
}

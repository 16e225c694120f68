//go:build unix

package docs

import (
	"io"
	"syscall"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// What does the index of 2,000 documents, 10 MB, take of the processors, compared with reading the
// files, and with that and one pass over their bytes? On a loaded machine, the minimum of all
// rounds is the best figure.
func BenchmarkIndexProcessor(b *testing.B) {
	fsys := project(b)
	measure := func(name string, do func(l *Library)) {
		b.Run(name, func(b *testing.B) {
			var all, least [2]float64
			for b.Loop() {
				b.StopTimer()
				l := scan(b, fsys, "docs", nil)
				heap()
				before := processor(b)
				b.StartTimer()
				do(l)
				b.StopTimer()
				for i, now := range processor(b) {
					took := (now - before[i]) * 1e3
					all[i] += took
					if least[i] == 0 || took < least[i] {
						least[i] = took
					}
				}
				b.StartTimer()
			}
			b.ReportMetric(all[0]/float64(b.N), "cpu-ms/op")
			b.ReportMetric(all[1]/float64(b.N), "system-ms/op")
			b.ReportMetric(least[0], "least-cpu-ms/op")
		})
	}
	read := func(l *Library, text func([]byte)) {
		for _, d := range l.docs {
			f, err := l.openAgain(l.fileOf(d))
			must.Do(b, err)
			data, err := io.ReadAll(f)
			f.Close()
			must.Do(b, err)
			text(data)
		}
	}
	measure("read", func(l *Library) { read(l, func([]byte) {}) })
	measure("read and pass", func(l *Library) {
		words, last := 0, byte(0)
		read(l, func(text []byte) {
			for _, c := range text {
				class := classes[c]
				if class != 0 && last == 0 {
					words++
				}
				last = class
			}
		})
		if words == 0 {
			b.Fatal("no words")
		}
	})
	measure("Index", func(l *Library) {
		must.Do(b, l.Index(b.Context()))
	})
}

// processor returns the seconds of processor time of this process, and how many of them the system
// used.
func processor(b *testing.B) [2]float64 {
	var u syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	system := float64(u.Stime.Nano()) / 1e9
	return [2]float64{float64(u.Utime.Nano())/1e9 + system, system}
}

package main

import (
	"os"
	"testing"
)

func TestScore(t *testing.T) {
	// Each type must beat the type in the next line.
	order := []struct{ mime, source string }{
		{"video/mp4", "iana"},
		{"audio/mp4", "iana"},
		{"application/mp4", "iana"},
		{"application/mp4s", "iana"},
		{"text/xml", "iana"},
		{"text/jsx", ""},
		{"text/css", "apache"},
		{"text/css", "nginx"},
		{"text/vnd.a", "iana"},
		{"text/x.a", "iana"},
		{"text/x-a", "iana"},
		{"text/prs.a", "iana"},
		{"application/octet-stream", "iana"},
	}
	for i := range order[1:] {
		a, b := order[i], order[i+1]
		if score(a.mime, a.source) <= score(b.mime, b.source) {
			t.Errorf("%v does not beat %v", a, b)
		}
	}
}

func TestChoose(t *testing.T) {
	got := choose(map[string]entry{
		"application/octet-stream": {"iana", []string{"only", "both"}},
		"text/x-z":                 {"", []string{"both", "tie"}},
		"text/x-a":                 {"", []string{"tie"}},
	})
	want := map[string]string{"only": "application/octet-stream", "both": "text/x-z", "tie": "text/x-z"}
	for ext, mime := range want {
		if got[ext] != mime {
			t.Errorf("%s: got %s, want %s", ext, got[ext], mime)
		}
	}
}

// TestTable compares the committed table with a newly generated one if mime-db is installed.
func TestTable(t *testing.T) {
	const db = "../../../../test/node_modules/mime-db"
	if _, err := os.Stat(db); err != nil {
		t.Skip("mime-db is not installed:", err)
	}
	fresh, err := table(db)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../types.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(fresh) != string(committed) {
		t.Error("types.txt is stale: run go generate ./internal/files/media")
	}
}

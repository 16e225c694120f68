package main

import (
	"strings"
	"testing"
)

func TestWithPDFium(t *testing.T) {
	got, err := withPDFium([]byte(`{"bomFormat": "CycloneDX", "components": [{"name": "github.com/spf13/cobra"}]}`))
	if text := string(got); err != nil || !strings.Contains(text, `"bomFormat": "CycloneDX"`) || !strings.Contains(text, `"github.com/spf13/cobra"`) || !strings.Contains(text, `"name": "pdfium"`) {
		t.Errorf("%v: %s", err, got)
	}
	if _, err := withPDFium([]byte("<bom>")); err == nil {
		t.Error("a list in XML")
	}
}

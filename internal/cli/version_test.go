package cli

import (
	"strings"
	"testing"
)

func TestVersionLicences(t *testing.T) {
	code, out, errs := run(t, nil, "version", "--licenses")
	if code != 0 || errs != "" || !strings.HasPrefix(out, "MIT License\n") || !strings.Contains(out, "\n==== github.com/spf13/cobra v1") || !strings.Contains(out, "\n==== the Go standard library: LICENSE\n") {
		t.Errorf("code %d, errors %q, output %.100q", code, errs, out)
	}
}

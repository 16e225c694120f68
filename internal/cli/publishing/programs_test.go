package publishing

import "testing"

func TestCLIVersion(t *testing.T) {
	for current, want := range map[string]string{"v1.4.2": "1.4.2", "1.4.2-beta.1": "1.4.2-beta.1", "(devel)": "", "v1.4.3-0.20261121103000-0123456789ab": "", "v1.4.2+dirty": "", "": ""} {
		if got, err := cliVersion("", current); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", current, got, err)
		}
	}
}

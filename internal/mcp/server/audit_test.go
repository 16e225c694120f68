package server

import "testing"

// A URL that is asked for is in the audit without a password.
func TestPasswordsAreNotAudited(t *testing.T) {
	for address, want := range map[string]string{
		"https://user:secret@example.com/a@b": "https://xxxxx@example.com/a@b", "https://example.com/a@b?c@d": "https://example.com/a@b?c@d",
		"user:secret@example.com": "xxxxx@example.com", "https://user:a@b@example.com": "https://xxxxx@example.com", "": "", "//": "//",
	} {
		if got := withoutPassword(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

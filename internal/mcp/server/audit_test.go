package server

import "testing"

// The audit contains requested URLs without passwords.
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

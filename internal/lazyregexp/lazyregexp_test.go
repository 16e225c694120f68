package lazyregexp

import "testing"

func TestNew(t *testing.T) {
	digits := New(`^[0-9]+$`)
	if !digits().MatchString("12") || digits().MatchString("1x") || digits() != digits() {
		t.Error("the expression is not the one that was asked for")
	}
	defer func() {
		if recover() == nil {
			t.Error("in a test, an expression that cannot be compiled is accepted")
		}
	}()
	New(`(`)
}

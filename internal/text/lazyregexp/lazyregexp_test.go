package lazyregexp

import "testing"

func TestNew(t *testing.T) {
	digits := New(`^[0-9]+$`)
	first := digits()
	if !first.MatchString("12") || first.MatchString("1x") || digits() != first {
		t.Error("the expression is not the one that was asked for")
	}
	defer func() {
		if recover() == nil {
			t.Error("in a test, an expression that cannot be compiled is accepted")
		}
	}()
	New(`(`)
}

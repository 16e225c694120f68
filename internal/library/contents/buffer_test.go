package contents

import "testing"

func TestBufferClasses(t *testing.T) {
	last, lastSize := 0, minBuffer
	for n := 1; n <= 40<<20; n += max(1, n/1000) {
		class, size := bufferClass(n)
		switch {
		case size < n || n > minBuffer && size*4 > n*5+4:
			t.Fatalf("%d bytes have a buffer of %d", n, size)
		case class == last && size != lastSize, class < last, class > last+1:
			t.Fatalf("%d bytes have class %d of %d bytes, after class %d of %d", n, class, size, last, lastSize)
		}
		last, lastSize = class, size
	}
	b := NewBuffer(100_000)
	b.Data[0] = 7
	if len(b.Data) < 100_000 {
		t.Errorf("a buffer of %d bytes", len(b.Data))
	}
	b.Free()
}

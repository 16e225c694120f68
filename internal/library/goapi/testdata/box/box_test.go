package box_test

import "testing"

func TestNothing(t *testing.T) {}

func ExampleBox_Put() {
	// This comment stays.
	b := box.New[int]()
	b.Put(1)
	fmt.Println(b)
	// Output: {1}
}

// With a reader.
func ExampleOpen_reader() {
	box.Open(nil)
}

func Example() {
	box.New[string]()
	// Output:
}

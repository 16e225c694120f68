//go:build !linux && !darwin && !windows

package browser

// A census finds no processes: the memory of the browser is unknown on this system.
type census struct{}

func (*census) members(int) []usage { return nil }

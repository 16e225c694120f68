//go:build !linux || race

package conversion

// limitMemory does nothing: [watchMemory] bounds the memory of the process. The race detector alone reserves more
// addresses than the limit on Linux allows.
func limitMemory() {}

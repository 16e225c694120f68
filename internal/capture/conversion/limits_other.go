//go:build !linux || race

package conversion

// limitProcess does nothing: [watchMemory] and the parent bound the memory of the process. The race
// detector alone reserves more addresses than the limit on Linux allows.
func limitProcess() {}

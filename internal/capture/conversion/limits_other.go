//go:build !linux || race

package conversion

// limitProcess does nothing: [watchMemory] and the parent bound what the process uses. The race
// detector itself reserves more addresses than the limit of Linux would be.
func limitProcess() {}

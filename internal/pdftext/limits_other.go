//go:build !linux

package pdftext

// limitProcess does nothing: [watchMemory] and the parent bound what the process uses.
func limitProcess() {}

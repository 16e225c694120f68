//go:build unix

package pdfium

import "syscall"

// allocate returns memory that the system fills when it is used.
func allocate(size int) ([]byte, func(), error) {
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	return b, func() { _ = syscall.Munmap(b) }, err
}

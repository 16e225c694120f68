package pdfium

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// allocate returns memory that the system fills when it is used.
func allocate(size int) ([]byte, func(), error) {
	at, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, nil, err
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), size), func() { _ = windows.VirtualFree(at, 0, windows.MEM_RELEASE) }, nil
}

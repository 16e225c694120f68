//go:build !unix

package rootfs

const openNonblock = 0

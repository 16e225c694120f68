// Package files holds what touches the disk or describes a file: opening a folder, the rules for walking it, MIME types,
// errors without paths, and the settings of a project. Only its package rootfs opens the disk.
package files

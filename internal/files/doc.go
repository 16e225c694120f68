// Package files groups the packages that access the disk or describe files: rootfs opens a project folder, and is the
// only package that opens the disk; walk has the rules for walking it, media finds MIME types, fserr removes paths from
// errors, and config reads the settings of a project. database is the store that replicas share, and step
// reports how much of long work is done.
package files

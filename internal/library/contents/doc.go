// Package contents reads files for answers: under a budget, in a bounded time, without holding more
// than it must.
//
// In the order things happen: [Reader.Read] is asked for files of a catalog. A small one that was
// read just now and is still the same is there already. Otherwise it waits for its share of the
// [Memory], which all answers of the process have together, and then for a place at the disk. Files
// that are small enough are read into buffers that are used again; larger ones are read once, to
// learn what they are, and again while they are written. A file that changed just now is waited for
// without holding anything. What comes out is a [Contents], which writes itself as JSON and is
// released when its last byte is on its way: until then it holds its share.
//
//	cache.go    small files that are read again and again
//	memory.go   the budget of all answers, and what each of several callers may have
//	buffer.go   memory that files are read into, which is used again
//	disk.go     work that may hang: OnDisk, the one way to the disk
//	reader.go   which files are read, how often, and into what
//	other.go    resources that are not files
//	content.go  files that are held, as JSON
//	long.go     files that are not held
//	block.go    files in the answers of tools and prompts
//
// The package knows no requests and no error codes: its errors are values that the server turns
// into what a client may read.
package contents

// Package contents reads files for answers, in bounded memory and time.
//
//  1. [Reader.Read] takes files of a catalog. A small file that was just read, and has not changed,
//     comes from a cache.
//  2. Otherwise the read waits for its share of the [Memory], which all answers of the process have
//     together, and then for a place at the disk ([OnDisk]).
//  3. Small files are read into reusable buffers. Larger files are read twice: once to find out their
//     type, size and digest, and again while they are written.
//  4. A file that changed just now is read again later; the wait holds no memory.
//  5. The result is a [Contents], which writes itself as JSON. It keeps its share of the memory until
//     its last byte has been written, and is then released.
//  6. Errors are values; the server decides about codes and about what a client may read.
//
// The files:
//
//	cache.go    small files that are read again and again
//	memory.go   the budget of all answers, the share of each of several callers, and reusable buffers
//	disk.go     work that may hang: OnDisk, the only way to the disk
//	reader.go   which files are read, how often, and into which memory
//	content.go  files in memory, as JSON, also in the answers of tools and prompts
//	long.go     files that are read while they are written
package contents

// Package mcp holds the answers to the methods of the Model Context Protocol and the transports
// that need no HTTP: standard input and output, and a client inside the process. It reads from the
// view of a project and never from the disk itself.
package mcp

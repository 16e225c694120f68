// Package mcp holds the answers to the methods of the Model Context Protocol, and the transport over
// standard input and output. It reads from the view of a project and never from the disk itself.
package mcp

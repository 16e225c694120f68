// Package mcp holds the answers to the methods of the Model Context Protocol and the transports that need no HTTP: standard
// input and output, and a client inside the process. It knows no disk; it answers from the view of a project.
package mcp

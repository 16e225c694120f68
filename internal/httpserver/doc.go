// Package httpserver holds the HTTP server: who may come in, sessions and streams of MCP, health, metrics and the log.
// It serves any project that answers calls, and knows none.
package httpserver

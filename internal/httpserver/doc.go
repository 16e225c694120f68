// Package httpserver holds the HTTP server: access control, sessions and streams of MCP, health,
// metrics and the log. It serves any project that answers calls, and depends on none.
package httpserver

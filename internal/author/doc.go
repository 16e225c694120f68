// Package author holds what helps the author of a project: checks, explanations, and the profiles and configuration
// of MCP clients. A package belongs here if a person who writes documents or
// resources uses it, and no MCP client does.
package author

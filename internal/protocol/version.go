package protocol

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Versions of MCP. They are dates and compare as text.
const (
	// NoBatches is the first version without JSON-RPC batches (MCP 2025-06-18, Key Changes).
	NoBatches = "2025-06-18"
	// LastHandshake is the last version whose sessions begin with initialize.
	LastHandshake = "2025-11-25"
	// FirstStateless is the first version in which each request names its version in _meta.
	FirstStateless = "2026-07-28"
)

// Versions are the versions that the program speaks, the newest first.
var Versions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// VersionsFrom returns the versions from oldest on, the newest first; "" means all versions.
func VersionsFrom(oldest string) []string {
	return slices.DeleteFunc(slices.Clone(Versions), func(v string) bool { return v < oldest })
}

// An Era says which form the answer to a request has, depending on its protocol version.
type Era bool

const (
	Handshake Era = false // up to 2025-11-25
	Stateless Era = true  // from 2026-07-28 on
)

// An Outcome holds the members that every result has in addition to its content.
type Outcome struct {
	ResultType string `json:"resultType,omitempty"`
	*Freshness
}

// Freshness says how long a client may keep a result (MCP 2026-07-28, "Caching").
type Freshness struct {
	TTLMs      int    `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
}

// Meta keys of MCP 2026-07-28.
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo   = "io.modelcontextprotocol/clientInfo"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServerInfo   = "io.modelcontextprotocol/serverInfo"
)

// UnsupportedVersion returns the error for a version that the server does not support (MCP
// 2026-07-28, SEP-2575).
func UnsupportedVersion(requested, oldest string) error {
	data, err := json.Marshal(mcp.UnsupportedProtocolVersionData{Supported: VersionsFrom(oldest), Requested: Cut(requested)})
	if err != nil {
		data = nil // strings can always be encoded
	}
	return &Error{Code: CodeUnsupportedVersion, Message: "unsupported protocol version", Data: data}
}

package server

import "github.com/modelcontextprotocol/go-sdk/mcp"

// Protocol versions at which the eras meet.
const (
	lastHandshakeVersion = "2025-11-25"
	statelessVersion     = "2026-07-28"
)

// An era is what the version of a request changes in its answer.
type era bool

const (
	handshake era = false // up to 2025-11-25
	stateless era = true  // from 2026-07-28 on
)

func eraOf(req interface{ ProtocolVersion() string }) era {
	return era(req.ProtocolVersion() >= statelessVersion)
}

// outcome holds the fields that every result of ours has beside its content.
type outcome struct {
	mcp.ResultBase
	ResultType string `json:"resultType,omitempty"`
	*freshness
}

// freshness says how long a client may keep a result (2026-07-28, "Caching").
type freshness struct {
	TTLMs      int    `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
}

// outcome returns the fields for a result that may be kept.
func (e era) outcome(cacheable bool) outcome {
	if e == handshake {
		return outcome{}
	}
	o := outcome{ResultType: "complete"}
	if cacheable {
		o.freshness = &freshness{TTLMs: 0, CacheScope: "private"}
	}
	return o
}

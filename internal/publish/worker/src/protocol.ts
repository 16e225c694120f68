import { isObject, type Json, type JsonObject, member } from './json.ts'
import { cut } from './text.ts'

// Versions and errors of MCP, as in internal/protocol.

export const noBatches = '2025-06-18'
export const lastHandshake = '2025-11-25'
export const firstStateless = '2026-07-28'
export const oldest = '2025-03-26' // over HTTP

// versionsFrom returns the versions from one on, the newest first.
export const versionsFrom = (first: string): string[] =>
  [firstStateless, lastHandshake, noBatches, '2025-03-26', '2024-11-05'].filter((version) => version >= first)

// A Session says whether initialize has been answered, and which versions the transport has.
export interface Session {
  begun: boolean
  oldest: string // '': all
}

export type Era = 'handshake' | 'stateless'

export const code = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  missingCapabilities: -32021,
} as const

// A Failure is an error that clients may read.
export class Failure extends Error {
  constructor(readonly code: number, message: string, readonly data?: Json) {
    super(message)
  }

  wire(): JsonObject {
    const size = 4 << 10
    const short = cut(this.message, size)
    const error: JsonObject = { code: this.code, message: short === this.message ? short : `${short}…` }
    if (this.data !== undefined) error['data'] = this.data
    return error
  }
}

export const invalidParams = (message: string): Failure => new Failure(code.invalidParams, message)
export const invalidRequest = (message: string): Failure => new Failure(code.invalidRequest, message)
export const methodNotFound = (message: string): Failure => new Failure(code.methodNotFound, message)

export const meta = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const

// versionIn returns the version that the parameters of a call name, or "".
export function versionIn(params: Json | undefined): string {
  const version = member(member(params, '_meta'), meta.version)
  return typeof version === 'string' ? version : ''
}

// eraOf returns the era of a call, and an error if the call declares its version wrongly.
export function eraOf(params: Json | undefined, oldest: string): { era: Era; fault?: Failure } {
  const version = versionIn(params)
  if (version < firstStateless) return { era: 'handshake' }
  if (!isObject(member(member(params, '_meta'), meta.capabilities))) {
    return { era: 'stateless', fault: invalidParams(`missing or invalid _meta field "${meta.capabilities}"`) }
  }
  if (version !== firstStateless) {
    const data = { supported: versionsFrom(oldest), requested: cut(version, 200) }
    return { era: 'stateless', fault: new Failure(code.unsupportedVersion, 'unsupported protocol version', data) }
  }
  return { era: 'stateless' }
}

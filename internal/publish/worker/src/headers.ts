import { member } from './json.ts'
import type { Message } from './message.ts'
import { code, Failure, meta, versionIn } from './protocol.ts'
import { shown } from './text.ts'

// In version 2026-07-28, the headers of a call must repeat values of its body (SEP-2243).

const nameMembers: { [method: string]: string } = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

// mismatch returns the error of a call whose headers and body differ.
export function mismatch(headers: Headers, version: string, call: Message): Failure | undefined {
  const wrong = (what: string): Failure => new Failure(code.headerMismatch, `header mismatch: ${what}`)
  const inBody = versionIn(call.params)
  if (version === '') return wrong('MCP-Protocol-Version is missing')
  if (inBody === '') return new Failure(code.invalidParams, `missing or invalid _meta field "${meta.version}"`)
  if (version !== inBody) return wrong(`MCP-Protocol-Version is ${shown(version)}, the body has ${shown(inBody)}`)
  const method = headers.get('Mcp-Method')
  if (!method) return wrong('Mcp-Method is missing')
  if (method !== call.method) return wrong(`Mcp-Method is ${shown(method)}, the body has ${shown(call.method)}`)
  const key = Object.hasOwn(nameMembers, call.method) ? nameMembers[call.method] : undefined
  if (key === undefined) return undefined
  const value = headers.get('Mcp-Name')
  if (value === null) return wrong(`Mcp-Name is missing, which ${call.method} has`)
  const name = decoded(value)
  return name === member(call.params, key) ? undefined : wrong(`Mcp-Name is ${shown(name)}, the body has another ${key}`)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

// decoded decodes the value of a header that may be in base64: =?base64?…?=.
function decoded(value: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(value)?.[1]
  if (encoded === undefined) return value
  try {
    return decoder.decode(Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0)))
  } catch {
    return value // which no body has
  }
}

// sendsJSON reports whether a Content-Type is JSON, in UTF-8 if it names a charset.
export function sendsJSON(value: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(value)?.[1] ?? 'utf-8'
  return /^\s*application\/json\s*(?:;|$)/i.test(value) && charset.toLowerCase() === 'utf-8'
}

// accepts reports whether a client accepts JSON.
export function accepts(header: string | null): boolean {
  if (header === null) return true
  const kinds = header.split(',').map((item) => (item.split(';', 1)[0] as string).trim().toLowerCase())
  return ['*/*', 'application/*', 'application/json'].some((name) => kinds.includes(name))
}

import { member } from './json.ts'
import type { Message } from './message.ts'
import { code, Failure, meta, versionIn } from './protocol.ts'
import { bytesOf, shown } from './text.ts'

// In version 2026-07-28, the headers of a call must repeat values of its body (SEP-2243).

const nameMembers: { [method: string]: string } = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

// mismatch returns the error of a call whose headers and body differ.
export function mismatch(headers: Headers, version: string, call: Message): Failure | undefined {
  const wrong = (what: string): Failure => new Failure(code.headerMismatch, `header mismatch: ${what}`)
  const inBody = versionIn(call.params)
  if (version === '') return wrong('MCP-Protocol-Version is missing')
  if (inBody === '') return new Failure(code.invalidParams, `missing or invalid _meta field "${meta.version}"`)
  if (version !== inBody) return wrong(`MCP-Protocol-Version is ${shown(version)}, the body has ${shown(inBody)}`)
  const method = headers.get('Mcp-Method') ?? ''
  if (first(method) === '') return wrong('Mcp-Method is missing')
  if (method !== call.method) return wrong(`Mcp-Method is ${shown(first(method))}, the body has ${shown(call.method)}`)
  const key = Object.hasOwn(nameMembers, call.method) ? nameMembers[call.method] : undefined
  if (key === undefined) return undefined
  const value = headers.get('Mcp-Name')
  if (value === null) return wrong(`Mcp-Name is missing, which ${call.method} has`)
  const wanted = member(call.params, key)
  const whole = decodeHeader(value)
  if (whole?.name === wanted && whole?.isText) return undefined
  const decoded = decodeHeader(first(value))
  if (decoded === undefined) return wrong('Mcp-Name is not valid base64')
  const { name } = decoded
  return wrong(`Mcp-Name is ${shown(name)}, the body has ${shown(typeof wanted === 'string' ? wanted : '')}`)
}

// first returns the first value of a header. Headers joins repeated headers with commas.
const first = (value: string): string => value.split(', ', 1)[0] as string

// decodeHeader decodes the value of a header that may be in base64: =?base64?…?=.
function decodeHeader(value: string): { name: string; isText: boolean } | undefined {
  const m = /^=\?base64\?(.*)\?=$/s.exec(value)
  if (!m) return { name: value, isText: true }
  const encoded = m[1] as string
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return undefined
  try {
    const bytes = atob(encoded)
    const name = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0)))
    return { name, isText: bytesOf(name) === bytes } // bytes that are not UTF-8 do not equal U+FFFD in the body
  } catch {
    return undefined
  }
}

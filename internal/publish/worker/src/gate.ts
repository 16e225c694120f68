import { quoted } from './text.ts'

// Checks of the host and the origin of a request, as in internal/httpserver/hosts.

export interface Gate {
  hosts: string // allowed hosts, separated by blanks; "": all hosts that Cloudflare routes to the Worker
  origins: string // allowed origins of other sites, separated by blanks
}

interface Authority {
  host: string
  port: string
}

function authorityOf(s: string): Authority | undefined {
  const m = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+?)\.?)(?::(\d{0,5}))?$/.exec(s)
  if (!m) return undefined
  const port = m[3] ? Number(m[3]) : undefined
  if (port !== undefined && port > 65535) return undefined
  let host = (m[2] ?? '').toLowerCase()
  if (m[1] !== undefined) {
    const address = URL.parse(`http://[${m[1]}]/`)
    if (!address) return undefined
    host = address.hostname
  }
  return { host, port: port === undefined ? '' : String(port) }
}

export const words = (list: string): string[] => list.split(/\s+/).filter((word) => word !== '')
const defaultPorts: { [scheme: string]: string } = { http: '80', https: '443' }

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

function hosted(gate: Gate, authority: Authority): boolean {
  if (isLoopback(authority.host)) return true
  return words(gate.hosts).some((entry) => {
    const allowed = authorityOf(entry)
    return allowed?.host === authority.host && (allowed.port === '' || allowed.port === authority.port)
  })
}

const shown = (text: string): string => (text.length > 120 ? `${quoted(text.slice(0, 120), true)}…` : quoted(text, true))

// A Refusal is the answer to a request that is refused.
export interface Refusal {
  status: number
  message: string
  headers?: { [name: string]: string }
}

// checkHost refuses a request whose Host header names another server. Without a list of hosts, Cloudflare's routes decide.
export function checkHost(gate: Gate, request: Request): Refusal | undefined {
  if (words(gate.hosts).length === 0) return undefined
  const url = new URL(request.url)
  const named = request.headers.get('Host') ?? url.host
  const authority = authorityOf(named)
  if (authority && authority.port === '') authority.port = defaultPorts[url.protocol.slice(0, -1)] ?? ''
  if (authority && hosted(gate, authority)) return undefined
  return { status: 403, message: `the Host header ${shown(named)} does not name this server; if it should, publish it with --allow-host and that name` }
}

// checkOrigin returns the Origin header of a request, "" if there is none, or a refusal.
export function checkOrigin(gate: Gate, request: Request): string | Refusal {
  const from = request.headers.get('Origin')
  if (from === null) return ''
  const url = new URL(request.url)
  const origin = originOf(from)
  const ours = originOf(`${url.protocol}//${request.headers.get('Host') ?? url.host}`)
  if (origin !== undefined && (origin === ours || words(gate.origins).some((entry) => originOf(entry.replace(/\/$/, '')) === origin))) return from
  return { status: 403, message: `the origin ${shown(from)} is not allowed; if it should be, publish the server with --allow-origin and that origin` }
}

function originOf(s: string): string | undefined {
  const m = /^([A-Za-z][A-Za-z0-9+.\-]*):\/\/([^/?#@]+)$/.exec(s)
  const authority = m && authorityOf(m[2] as string)
  if (!m || !authority) return undefined
  const scheme = (m[1] as string).toLowerCase()
  return `${scheme}://${authority.host}:${authority.port || (defaultPorts[scheme] ?? '')}`
}

// allow adds the headers that let a page of an allowed origin read the answer.
export function allow(headers: Headers, from: string): void {
  headers.set('Access-Control-Allow-Origin', from)
  headers.set('Access-Control-Expose-Headers', 'MCP-Protocol-Version, Mcp-Session-Id, Retry-After, WWW-Authenticate')
}

// preflight answers a preflight request of a browser. It returns undefined for other requests.
export function preflight(request: Request, from: string): Response | undefined {
  if (request.method !== 'OPTIONS' || !request.headers.get('Access-Control-Request-Method')) return undefined
  const headers = new Headers({
    Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE, OPTIONS',
    'Access-Control-Allow-Headers':
      'Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id',
    'Access-Control-Max-Age': '7200',
  })
  allow(headers, from)
  return new Response(null, { status: 204, headers })
}

import { type Binding, Store } from './assets.ts'
import { authenticate } from './auth.ts'
import { endpoint, refuse } from './endpoint.ts'
import { allow, checkHost, checkOrigin, preflight } from './gate.ts'

// Env holds the bindings of wrangler.jsonc.
export interface Env {
  ASSETS: Binding
  MANIFEST: string // path of the asset that describes the project
  VERSION: string // of the program that wrote the assets
  ACCESS: string // "open": everybody may read the project
  HOSTS?: string // hosts that requests may name, separated by blanks; none: all hosts that lead to the Worker
  ORIGINS?: string // origins of web pages that may send requests, separated by blanks
  MCP_DOCS_TOKEN?: string // a secret
}

// Requests share no state but caches of the deployment, which does not change.
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    try {
      return await respond(request, env)
    } catch (error) {
      console.error(error)
      return finished(refuse(500, 'internal error: see the log of the server'), '')
    }
  },
}

async function respond(request: Request, env: Env): Promise<Response> {
  const path = URL.parse(request.url)?.pathname
  if (path === undefined) return finished(refuse(400, 'the Host header or the path makes no URL'), '')
  if (path === '/health') return health(request, env.VERSION)
  const gate = { hosts: env.HOSTS ?? '', origins: env.ORIGINS ?? '' }
  const strange = checkHost(gate, request)
  if (strange) return finished(refuse(strange.status, strange.message), '')
  const from = checkOrigin(gate, request)
  if (typeof from !== 'string') return finished(refuse(from.status, from.message), '')
  if (from !== '') {
    const answer = preflight(request, from)
    if (answer) return answer
  }
  if (path !== '/mcp' && path !== '/mcp/') return finished(refuse(404, 'there is nothing at this path; the endpoint is /mcp'), from)
  const refusal = await authenticate({ open: env.ACCESS === 'open', tokens: env.MCP_DOCS_TOKEN ?? '' }, request)
  if (refusal) return finished(refuse(refusal.status, refusal.message, refusal.headers), from)
  return finished(await endpoint(new Store(env.ASSETS), env.MANIFEST, request), from)
}

// finished adds the headers of all answers.
function finished(response: Response, from: string): Response {
  response.headers.set('Cache-Control', 'no-store')
  response.headers.set('X-Content-Type-Options', 'nosniff')
  response.headers.append('Vary', 'Origin')
  if (from !== '') allow(response.headers, from)
  return response
}

function health(request: Request, version: string): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuse(405, 'the health can only be read', { Allow: 'GET, HEAD' })
  }
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }
  const report = { status: 'healthy', timestamp: new Date().toISOString(), version, transport: 'http-streaming' }
  return new Response(request.method === 'HEAD' ? null : JSON.stringify(report), { headers })
}

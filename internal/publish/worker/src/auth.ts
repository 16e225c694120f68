import { type Refusal, words } from './gate.ts'

// Checks that a caller may read the project: it must send a token, unless the Worker was published as open to everybody.

export interface Access {
  open: boolean // no token is needed
  tokens: string // separated by blanks: a deployer adds a new token before removing the old one
}

const needed = 'this server needs a token; send the header Authorization: Bearer and the token'
const shortest = 16
const longest = 16 << 10

const unauthorized = (message: string, error = ''): Refusal => ({
  status: error === 'invalid_request' ? 400 : 401,
  message,
  headers: { 'WWW-Authenticate': `Bearer realm="mcp-docs-server"${error && `, error="${error}", error_description="${message}"`}` },
})

// authenticate refuses a request without the token.
export async function authenticate(access: Access, request: Request): Promise<Refusal | undefined> {
  if (access.open) return undefined
  const tokens = words(access.tokens)
  if (tokens.length === 0 || tokens.some((token) => token.length < shortest)) {
    console.error(`the secret MCP_DOCS_TOKEN is missing or has a token of less than ${shortest} characters; set it with: npx wrangler secret put MCP_DOCS_TOKEN`)
    return { status: 503, message: 'this server has no token yet; whoever deploys it has to set one', headers: { 'Retry-After': '60' } }
  }
  const header = request.headers.get('Authorization')
  if (header === null) {
    return unauthorized(new URL(request.url).search.includes('access_token') ? 'tokens in URLs are not accepted; send the token in the Authorization header' : needed)
  }
  const blank = header.indexOf(' ')
  const scheme = blank < 0 ? header : header.slice(0, blank)
  const token = blank < 0 ? '' : header.slice(blank + 1).replace(/^[ \t]+|[ \t]+$/g, '')
  if (scheme.toLowerCase() !== 'bearer' || token === '') {
    return unauthorized(needed)
  }
  if (token.length > longest) return unauthorized(`the token is longer than ${longest} bytes`, 'invalid_token')
  if (!/^[!-~]+$/.test(token)) return unauthorized('the Authorization header must be Bearer, a blank, and the token', 'invalid_request')
  const given = await digest(token)
  let found = 0
  for (const known of await Promise.all(tokens.map(digest))) found |= equal(given, known)
  return found ? undefined : unauthorized('the token is not known', 'invalid_token')
}

const encoder = new TextEncoder()

const digest = async (token: string): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(token)))

// equal returns 1 for equal digests and 0 for others, in constant time.
function equal(a: Uint8Array, b: Uint8Array): number {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] as number)
  return difference === 0 ? 1 : 0
}

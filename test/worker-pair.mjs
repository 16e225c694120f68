// The same requests to a server over HTTP and to the Worker of the same project.
import { isDeepStrictEqual } from 'node:util'
import { headers as every, hello, metaOf, stateless, Web } from './http.mjs'
import { publish, Workerd } from './workerd.mjs'

// A Pair answers each request twice.
export class Pair {
  static async start(after, project, output, { env = {}, options = ['--no-auth'] } = {}) {
    const pair = new Pair()
    await publish(project, output, ...options)
    pair.web = await Web.start(after, ['--no-page', '--no-watch', project], { env })
    pair.worker = await Workerd.start(after, output)
    await pair.begin('2025-11-25')
    return pair
  }

  // begin begins a session with the server; the Worker has none.
  async begin(version) {
    const answer = await this.#send(this.web.url, JSON.stringify(hello(version)), {})
    this.session = answer.headers.get('mcp-session-id')
    this.version = version
  }

  // ask sends a call in one of the eras to both, and returns both answers: { status, body }.
  async ask(method, params, era = 'handshake', id = 1) {
    const headers = {}
    if (era === 'stateless') {
      params = { ...params, _meta: metaOf(stateless) }
      headers['MCP-Protocol-Version'] = stateless
      headers['Mcp-Method'] = method
      const name = { 'tools/call': params.name, 'prompts/get': params.name, 'resources/read': params.uri }[method]
      if (name !== undefined) headers['Mcp-Name'] = `=?base64?${Buffer.from(String(name)).toString('base64')}?=`
    } else headers['MCP-Protocol-Version'] = this.version
    return this.raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }), headers, era)
  }

  async raw(body, headers = {}, era = 'handshake') {
    const session = era === 'handshake' ? { 'Mcp-Session-Id': this.session } : {}
    const [server, worker] = await Promise.all([
      this.#send(this.web.url, body, { ...headers, ...session }).then(read),
      this.#send(this.worker.url, body, headers).then(read),
    ])
    return { server, worker }
  }

  #send(url, body, headers) {
    return fetch(url, { method: 'POST', headers: { ...every, ...headers }, body })
  }
}

async function read(response) {
  const text = await response.text()
  let body = text
  try {
    body = JSON.parse(text)
  } catch {}
  return { status: response.status, body }
}

// differ reports whether two answers differ in parts that must be equal.
export function differ({ server, worker }) {
  return !isDeepStrictEqual(comparable(server), comparable(worker))
}

// comparable returns the parts of an answer that must be equal: the status, the codes of errors, and results. The Worker's errors have other
// words.
export function comparable({ status, body }) {
  const clean = (value) => {
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null) return value
    if (value.isError) return 'a mistake of the model'
    if (value.error && 'code' in value.error) return { ...value, error: value.error.code }
    const entries = Object.entries(value).filter(([name]) => !['ttlMs', 'listChanged', 'subscribe'].includes(name))
    return Object.fromEntries(entries.map(([name, entry]) => [name, clean(entry)]))
  }
  return { status, body: clean(body) }
}

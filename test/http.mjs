// A server over HTTP, and a relay between it and its clients.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as ask } from 'node:http'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { binary } from './binary.mjs'

// What requests carry: headers of all, metadata of a version from 2026-07-28 on, and the first request of earlier ones.
export const stateless = '2026-07-28'
export const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
const clientInfo = { name: 'test', version: '1.0.0' }
export const metaOf = (version) => ({ 'io.modelcontextprotocol/protocolVersion': version, 'io.modelcontextprotocol/clientInfo': clientInfo, 'io.modelcontextprotocol/clientCapabilities': {} })
export const hello = (protocolVersion) => ({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } })

// request returns a request of version 2026-07-28 as options of fetch.
export function request(method, params = {}, id = 1) {
  const name = params.name ?? params.uri
  return {
    method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: metaOf(stateless) } }),
    headers: { ...headers, 'MCP-Protocol-Version': stateless, 'Mcp-Method': method, ...(name && { 'Mcp-Name': name }) },
  }
}

// ending returns a function that registers what runs after the suite, the last first.
export function ending() {
  const ends = []
  after(async () => {
    for (const end of ends.reverse()) await end()
  })
  return (end) => ends.push(end)
}

// A Web is a server of the program over HTTP, on a free port unless the arguments name another one.
export class Web {
  log = [] // the lines on standard error
  url // of the first project's endpoint, once it listens
  ended // resolves to { code, signal }

  // The process ends with the test or suite to which after belongs.
  static async start(after, args, { http = '127.0.0.1:0', env = {}, program = binary() } = {}) {
    const web = new Web()
    web.process = spawn(program, ['serve', `--http=${http}`, ...args], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } })
    after(() => web.process.kill('SIGKILL'))
    web.ended = new Promise((resolve) => web.process.on('exit', (code, signal) => resolve({ code, signal })))
    await new Promise((resolve, reject) => {
      createInterface({ input: web.process.stderr }).on('line', (line) => {
        web.log.push(line)
        const match = / serving over HTTP at (\S+)/.exec(line)
        if (match) web.url ??= new URL(match[1])
        if (web.url) resolve()
      })
      web.ended.then(() => reject(new Error(`the server did not start: ${web.log.join('\n')}`)))
    })
    return web
  }

  // stop ends the server with SIGTERM, and returns how many milliseconds that took.
  async stop() {
    const start = performance.now()
    this.process.kill('SIGTERM')
    assert.deepEqual(await this.ended, { code: 0, signal: null })
    return performance.now() - start
  }
}

// freePort returns a port for a program that must know it before it listens. Systems take the ports of outgoing connections from
// a higher range, so none of them takes this port in between. No port is returned twice.
const returned = new Set()
export async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    if (returned.has(port)) continue
    const listener = createServer()
    const free = await new Promise((resolve) => listener.on('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)))
    if (!free) continue
    await new Promise((resolve) => listener.close(resolve))
    returned.add(port)
    return port
  }
}

// listening starts a web server on the loopback interface, and returns its URL. It ends with the test or suite to which after belongs.
export async function listening(after, answer) {
  const server = createServer({ keepAliveTimeout: 0 }, answer).listen(0, '127.0.0.1') // otherwise a connection may end just when a client uses it again
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${server.address().port}`
}

// A Relay forwards requests to a server, and answers as they arrive. It records requests, and can cut answers.
export class Relay {
  requests = [] // { method, headers, body }, in order
  onRequest = () => {} // called with each request before it is forwarded, and awaited
  down = false // true: connections end without an answer
  deaf = false // true: answers are held back
  kept = ''
  #open = new Set() // requests that are being answered

  static async start(after, url) {
    const relay = new Relay()
    relay.to = url
    relay.url = new URL(url.pathname, await listening(after, (request, response) => relay.#pass(request, response).catch(() => response.destroy())))
    return relay
  }

  async #pass(request, response) {
    if (this.down) return request.socket.destroy()
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const noted = { method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() }
    this.requests.push(noted)
    await this.onRequest(noted)
    const onward = ask(this.to, { method: request.method, path: request.url, headers: request.headers })
    const entry = { onward, response }
    this.#open.add(entry)
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      response.flushHeaders()
      answer.on('data', (chunk) => {
        if (this.deaf) this.kept += chunk
        else response.write(chunk)
      })
      answer.on('end', () => response.end())
      answer.on('error', () => response.destroy())
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => {
      this.#open.delete(entry)
      onward.destroy()
    })
    onward.end(noted.body)
  }

  // cut ends every answer that is being sent.
  cut() {
    for (const { response } of this.#open) response.destroy()
  }
}

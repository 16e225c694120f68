// Replicas behind nginx, clients of them that call tools, and a site that they capture.
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, listening, request, Web } from './http.mjs'
import { Proxy } from './nginx.mjs'

// A Site is a web site on the loopback interface that records its requests. A page has a new text at each request:
//
//   /page/N    text N of version V, where V counts the requests of all pages
//   /tree/ID/N page N of a tree, with links to the pages 2N+1 and 2N+2 if they are less than size. The root has no N.
export class Site {
  requests = [] // { path, at }, at in milliseconds since 1970
  pause = 20 // milliseconds before an answer
  size = 60

  // The site ends with the test or suite to which after belongs.
  static async start(after) {
    const site = new Site()
    site.url = await listening(after, (request, response) => site.#answer(request, response))
    return site
  }

  async #answer({ url: path }, response) {
    const version = this.requests.push({ path, at: Date.now() })
    const [, kind, id, n] = path.split('/')
    if (kind !== 'page' && kind !== 'tree') return response.writeHead(404).end()
    await sleep(this.pause)
    const links = kind === 'page' ? [] : [2 * n + 1, 2 * n + 2].filter((child) => child < this.size)
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<title>${path}</title><main><h1>${path}</h1><p>Text ${id} of version ${version}.</p>
${links.map((child) => `<p><a href="${child}">Page ${child}</a></p>`).join('')}</main>`)
  }

  // asked returns how often each path with a prefix was requested: path → number.
  asked(prefix) {
    const asked = new Map()
    for (const { path } of this.requests) if (path.startsWith(prefix)) asked.set(path, (asked.get(path) ?? 0) + 1)
    return asked
  }
}

// An answer to a call of a tool or a read is { ok, text, links }, where links are the URIs of its resources.
const failed = (text) => ({ ok: false, text, links: [] })

// ask sends a request and returns its result. An error of HTTP or JSON-RPC is an exception.
export async function ask(url, method, params, timeout = 60_000) {
  const answer = await fetch(url, { ...request(method, params), signal: AbortSignal.timeout(timeout) })
  let text = await answer.text()
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) text = text.split('\n').filter((line) => line.startsWith('data: ')).at(-1)?.slice(6) ?? ''
  if (!text.startsWith('{')) throw new Error(`${answer.status}: ${text.slice(0, 200)}`)
  const { result, error } = JSON.parse(text)
  if (error) throw Object.assign(new Error(error.message), { code: error.code })
  return result
}

// call calls a tool. No failure is an exception.
export async function call(url, name, args, timeout) {
  try {
    const { isError, content } = await ask(url, 'tools/call', { name, arguments: args }, timeout)
    const links = content.map((block) => block.uri ?? block.resource?.uri).filter(Boolean)
    return { ok: !isError, text: content.map((block) => block.text ?? block.resource?.text ?? '').join('\n'), links }
  } catch (error) {
    return failed(`${error.cause ?? error}`)
  }
}

// read reads a resource. No failure is an exception.
export async function read(url, uri, timeout) {
  try {
    const { contents } = await ask(url, 'resources/read', { uri }, timeout)
    return { ok: true, text: contents[0].text, links: [] }
  } catch (error) {
    return failed(`${error.cause ?? error}`)
  }
}

// A Fleet is a number of replicas of a server, behind nginx that passes each request to the next replica. They end with the test or suite to
// which after belongs.
export class Fleet {
  replicas = [] // of Web

  // options(i) are the arguments, the variables and, if it is not the server under test, the program of replica i: { args, env, program }.
  // directives are for nginx.
  static async start(after, size, options, directives = 'proxy_next_upstream error timeout non_idempotent;') {
    const fleet = new Fleet()
    fleet.after = after
    fleet.options = options
    fleet.port = await freePort()
    fleet.url = new URL(`http://127.0.0.1:${fleet.port}/mcp`)
    fleet.ports = []
    for (let i = 0; i < size; i++) fleet.ports.push(await freePort())
    await Promise.all(fleet.ports.map((_, i) => fleet.begin(i)))
    await Proxy.start(after, fleet.port, fleet.ports, directives)
    return fleet
  }

  // at returns the URL of a replica.
  at(i) {
    return new URL(`http://127.0.0.1:${this.ports[i]}/mcp`)
  }

  async begin(i) {
    const { args, env, program } = this.options(i)
    this.replicas[i] = await Web.start(this.after, ['--public-url', this.url.origin, '--trusted-proxy', '127.0.0.1', ...args], { http: `127.0.0.1:${this.ports[i]}`, env, program })
  }

  async kill(i) {
    this.replicas[i].process.kill('SIGKILL')
    await this.replicas[i].ended
  }
}

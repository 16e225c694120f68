// Measures the cost of requests to a Worker, compared with `serve --http`: `node worker-cost.mjs`. The project has 1,000 documents and
// 2,000 files. Processor time is measured for the whole process, which for the Worker includes workerd itself and its binding for
// assets.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { folder, put } from './files.mjs'
import { headers as every, hello, Web } from './http.mjs'
import { Random } from './worker-random.mjs'
import { publish, Workerd } from './workerd.mjs'

const r = new Random(1)
const words = Array.from({ length: 4000 }, () => Array.from({ length: 3 + r.below(8) }, () => r.of('abcdefghijklmnopqrstuvwxyz')).join(''))
const word = () => words[Math.floor((r.below(4000) * r.below(4000)) / 4000)] // some are frequent
const paragraph = () => `${Array.from({ length: 40 + r.below(60) }, word).join(' ')}.\n\n`
const page = () => `# ${word()} ${word()}\n\n${Array.from({ length: 6 + r.below(10) }, () => `## ${word()} ${word()}\n\n${paragraph()}${paragraph()}`).join('')}`

const ends = []
const later = (end) => ends.push(end)
const dir = folder(later)
const write = (path, text) => put(dir, { [path]: text })
for (let i = 0; i < 1000; i++) write(`docs/${words[i % 40]}/${words[i]}-${i}.md`, page())
for (let i = 0; i < 2000; i++) write(`resources/config/${words[i % 50]}/${words[i % 7]}/${words[i]}-${i}.md`, page())
write('mcp-docs-server.json', JSON.stringify({ name: 'Big', package: '@me/big', version: '1.0.0', index: true, tools: { connector: true } }))
write('resources/templates.json', JSON.stringify([{ uriTemplate: 'config://{a}/{b}/{name}.md', name: 'Pages' }]))

const output = join(folder(later), 'worker')
await publish(dir, output, '--no-auth')
const sizes = readdirSync(join(output, 'assets/b')).map((name) => statSync(join(output, 'assets/b', name)).size)
const script = readFileSync(join(output, 'worker.js'))
console.log(`worker.js: ${script.length} bytes, ${gzipSync(script, { level: 9 }).length} in gzip; ${sizes.length} assets, ${sizes.reduce((a, b) => a + b)} bytes, the largest ${Math.max(...sizes)}`)

// A Server answers requests and measures their cost.
class Server {
  #id = 0
  #session = {}

  constructor(url, process) {
    this.url = url
    this.process = process
  }

  async begin() {
    const [cost, , headers] = await this.ask('initialize', hello('2025-11-25').params)
    const session = headers.get('mcp-session-id')
    if (session) this.#session = { 'Mcp-Session-Id': session }
    return cost
  }

  // ask returns the processor time in milliseconds, the result and the headers.
  async ask(method, params) {
    const before = this.#spent()
    const headers = { ...every, ...this.#session }
    const answer = await fetch(this.url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params }) })
    const { result } = await answer.json()
    await new Promise((resolve) => setTimeout(resolve, 2)) // work after the answer counts too
    return [this.#spent() - before, result, answer.headers]
  }

  #spent() {
    const tasks = `/proc/${this.process.pid}/task`
    let sum = 0
    for (const id of readdirSync(tasks)) {
      try {
        sum += Number(readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0])
      } catch {} // it has ended
    }
    return sum / 1e6
  }
}

const web = await Web.start(later, ['--no-page', '--no-watch', dir])
const workerd = await Workerd.start(later, output)
const servers = { worker: new Server(workerd.url, workerd.process), server: new Server(web.url, web.process) }
try {
  for (const [name, server] of Object.entries(servers)) console.log(`${name}: the first request takes ${(await server.begin()).toFixed(1)} ms`)
  const [, { resources }] = await servers.server.ask('resources/list', {})
  const [, { tools }] = await servers.server.ask('tools/list', {})
  const uri = () => r.of(resources).uri
  const call = (name, given) => ['tools/call', { name, arguments: given }]
  const kinds = {
    'page of resources': () => ['resources/list', {}],
    read: () => ['resources/read', { uri: uri() }],
    completion: () => ['completion/complete', { ref: { type: 'ref/resource', uri: 'config://{a}/{b}/{name}.md' }, argument: { name: 'name', value: word().slice(0, 2) } }],
    'list_resources, glob': () => call('list_resources', { glob: '**/*{1,2}.md' }),
    'query of a word': () => call(tools[0].name, { query: word() }),
  }
  console.log(['request', 'worker: first', 'median', 'p99', 'server: median', 'p99', 'ms of processor time'].join('\t'))
  for (const [name, make] of Object.entries(kinds)) {
    const row = [name]
    for (const [which, server] of Object.entries(servers)) {
      const costs = []
      for (let i = 0; i < 230; i++) costs.push((await server.ask(...make()))[0])
      if (which === 'worker') row.push(costs[0].toFixed(1))
      const warm = costs.slice(30).sort((a, b) => a - b)
      row.push(warm[100].toFixed(2), warm[197].toFixed(2))
    }
    console.log(row.join('\t'))
  }
} finally {
  for (const end of ends.reverse()) end()
}

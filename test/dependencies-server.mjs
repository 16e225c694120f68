// A server with the documents of dependencies, for the tests of what it serves and finds.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { binary } from './binary.mjs'

// DependencyServer asks serve --deps in a folder.
export class DependencyServer {
  #waiting = new Map()
  #id = 0
  constructor(dir, cache) {
    this.process = spawn(binary(), ['serve', '--deps', '--cache-dir', cache, dir], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.process.stderr.resume()
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      const message = JSON.parse(line)
      this.#waiting.get(message.id)?.(message)
    })
  }
  ask(method, params) {
    const id = ++this.#id
    this.process.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n')
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }
  async start() {
    await this.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } })
    this.tool = (await this.ask('tools/list', {})).result.tools[0].name
  }
  async text(args) {
    for (let i = 0; ; i++) {
      const answer = await this.ask('tools/call', { name: this.tool, arguments: args })
      const text = answer.result.content.map((c) => c.text).join('\n')
      if (!text.includes('still being read') || i === 300) return text
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  // hits returns the paths of the best passages, when the index is ready.
  async hits(query, limit) {
    return [...(await this.text({ query, limit })).matchAll(/^\d+\. (\S+), line/gm)].map((m) => m[1])
  }
  stop() {
    this.process.kill()
  }
}

// plainSearch returns the three files that have the most of a query's words, as a search without an index would.
export function plainSearch(query, files) {
  const words = query.toLowerCase().split(/\W+/).filter((w) => w.length > 3)
  const ranked = []
  for (const [name, text] of files) {
    const lower = text.toLowerCase()
    const counts = words.map((w) => lower.split(w).length - 1)
    ranked.push({ name, distinct: counts.filter((c) => c).length, total: counts.reduce((a, b) => a + b, 0) })
  }
  ranked.sort((a, b) => b.distinct - a.distinct || b.total - a.total)
  return ranked.slice(0, 3).map((r) => r.name)
}

// A server with the documents of dependencies, for the tests of what it serves and finds.
import { setTimeout as sleep } from 'node:timers/promises'
import { Session } from './session.mjs'

// DependencyServer asks serve --deps in a folder. It ends with end.
export class DependencyServer extends Session {
  constructor(dir, cache) {
    super({ after() {} }, dir, { args: ['--deps', '--cache-dir', cache] })
  }

  async start() {
    await this.initialize()
    this.tool = (await this.request('tools/list')).result.tools[0].name
  }

  async text(args) {
    for (let i = 0; ; i++) {
      const answer = await this.request('tools/call', { name: this.tool, arguments: args })
      const text = answer.result.content.map((c) => c.text).join('\n')
      if (!text.includes('still being read') || i === 300) return text
      await sleep(100)
    }
  }

  // hits returns the paths of the best passages, when the index is ready.
  async hits(query, limit) {
    return [...(await this.text({ query, limit })).matchAll(/^\d+\. (\S+), line/gm)].map((m) => m[1])
  }

  // found asks questions, [query, the page that answers it], and returns how many of them have that page among the first three passages.
  async found(questions = []) {
    let found = 0
    for (const [query, page] of questions) {
      const hits = await this.hits(query, 3)
      const right = hits.some((hit) => page.test(hit))
      found += right
      console.log(`  ${right ? 'found ' : 'MISSED'} ${query}` + (right ? '' : `\n         served: ${hits.join(', ')}`))
    }
    return found
  }
}

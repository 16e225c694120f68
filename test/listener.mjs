// Sessions that write raw messages and receive notifications, and a stream of changes.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { Live, until } from './live.mjs'
import { Session } from './session.mjs'

export const eras = [{ era: 'initialize' }, { era: '2026-07-28', stateless: true }]
export const small = { 'notes/h/a.md': 'a', 'notes/h/b.md': 'b' }
export const [a, b] = ['notes://h/a.md', 'notes://h/b.md']

// live makes a project that is removed with a test.
export function live(t, files = small) {
  const project = new Live(files)
  t.after(() => project.remove())
  return project
}

// A Listener is a session that writes raw messages and receives notifications, in either era.
export class Listener extends Session {
  stateless

  // The versions from 2026-07-28 on are stateless.
  constructor(t, dir, { stateless = false, ...options } = {}) {
    super(t, dir, { version: stateless ? '2026-07-28' : undefined, ...options })
    this.stateless = stateless
  }

  // hear requests notifications of list changes, and of updates of these URIs.
  async hear(...uris) {
    if (this.stateless) return this.listen('all', { resourcesListChanged: true, resourceSubscriptions: uris })
    await this.initialize()
    for (const uri of uris) assert.deepEqual((await this.request('resources/subscribe', { uri })).result, {}, uri)
  }

  // listen sends a subscriptions/listen and returns what the server acknowledged.
  async listen(id, notifications) {
    const before = this.of(id).length // an id may be used again
    this.send(id, 'subscriptions/listen', { notifications })
    const { params } = await until(() => this.of(id).slice(before).find(({ method }) => method === 'notifications/subscriptions/acknowledged'), () => this.lines.at(-1))
    return params.notifications
  }

  cancel(requestId) {
    this.send(undefined, 'notifications/cancelled', { requestId })
  }

  // of returns the notifications that belong to a listen.
  of(id) {
    return this.notifications.filter(({ params }) => params?._meta?.['io.modelcontextprotocol/subscriptionId'] === id)
  }

  // count returns how many notifications of a method came, with a URI if one is given.
  count(method, uri) {
    return this.notifications.filter((item) => item.method === method && (uri === undefined || item.params.uri === uri)).length
  }

  // uris returns the URIs of the whole list.
  async uris() {
    const uris = []
    let cursor
    do {
      const { result } = await this.request('resources/list', { cursor })
      uris.push(...result.resources.map(({ uri }) => uri))
      cursor = result.nextCursor
    } while (cursor !== undefined)
    return uris
  }

  async read(uri) {
    return (await this.request('resources/read', { uri })).result?.contents[0].text
  }

  // usage returns the resident set of the process in MiB, and its other resources.
  usage() {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8')
    const field = (name) => Number(status.match(new RegExp(`^${name}:\\s*(\\d+)`, 'm'))[1])
    return { rss: field('VmRSS') / 1024, threads: field('Threads'), files: readdirSync(`/proc/${this.process.pid}/fd`).length }
  }
}

// rain changes a project until it is stopped: it adds, changes and removes files. It returns the number of changes.
export function rain(project, folder = 'rain/h', { files = 100, pause = 1 } = {}) {
  let raining = true
  const ended = (async () => {
    let n = 0
    for (; raining; n++) {
      const path = `${folder}/${n % files}.md`
      if (n % 7 === 3) rmSync(project.on(path), { force: true })
      else project.put(path, `drop ${n}`)
      if (pause) await sleep(pause)
      else if (n % 10 === 0) await immediate()
    }
    return n
  })()
  return () => {
    raining = false
    return ended
  }
}

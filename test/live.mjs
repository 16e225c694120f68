// Projects that change while they are served, and clients that follow them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clients, connect, list } from './clients.mjs'
import { Project } from './tree.mjs'
import { bytesOf, canonical } from './uri.mjs'

export const listChanged = 'notifications/resources/list_changed'
export const updated = 'notifications/resources/updated'

// patience is how long to wait for what should come soon, in milliseconds. Machines may be slow.
const patience = 20_000

// until waits for a condition and returns what it gave. On failure, what() says how things stand.
export async function until(condition, what = () => '') {
  for (const end = performance.now() + patience; ;) {
    const value = condition()
    if (value) return value
    assert.ok(performance.now() < end, `waited ${patience / 1000} s for ${condition}: ${what()}`)
    await sleep(2)
  }
}

// Live is a project in a temporary folder, to be changed. Paths are below resources/ and text.
export class Live extends Project {
  #resources = join(this.dir, 'resources')
  outside = join(this.dir, '../outside')

  constructor(files, templates = []) {
    super(templates)
    mkdirSync(this.outside)
    for (const [path, content] of Object.entries(files)) this.put(path, content)
  }

  on(path) {
    return join(this.#resources, path)
  }

  put(path, content) {
    mkdirSync(dirname(this.on(path)), { recursive: true })
    writeFileSync(this.on(path), content)
  }

  // replace saves a file the way many editors do: beside it first, and then in its place.
  replace(path, content) {
    const aside = join(dirname(this.on(path)), '.aside~')
    writeFileSync(aside, content)
    renameSync(aside, this.on(path))
  }

  rename(path, to) {
    mkdirSync(dirname(this.on(to)), { recursive: true })
    renameSync(this.on(path), this.on(to))
  }

  delete(path) {
    rmSync(this.on(path), { recursive: true })
  }

  git(...args) {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
    execFileSync('git', args, { cwd: this.dir, env, stdio: ['ignore', 'ignore', 'inherit'] })
  }

  // now is what is on the disk: URI → [path, bytes].
  now() {
    return new Map(readdirSync(this.#resources, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && entry.parentPath !== this.#resources)
      .map((entry) => {
        const file = join(entry.parentPath, entry.name)
        const path = bytesOf(file.slice(this.#resources.length + 1))
        return [canonical(path), [path, readFileSync(file)]]
      }))
  }
}

// A Mirror holds what a client knows that asks only when it is told to: the list, and the subscribed files.
export class Mirror {
  heard = [] // [method, URI if any], in order
  uris // sorted, of the last list
  texts = new Map() // subscribed URI → its text, or undefined if it is not found
  #ask
  #stale = new Set()
  #asking = Promise.resolve()

  // ask has list(), which returns URIs, and read(uri), which returns a text or undefined.
  constructor(ask) {
    this.#ask = ask
  }

  async start(subscribed) {
    this.uris = (await this.#ask.list()).sort()
    for (const uri of subscribed) this.texts.set(uri, await this.#ask.read(uri))
  }

  hear(method, uri) {
    this.heard.push(uri === undefined ? [method] : [method, uri])
    this.#stale.add(uri)
    this.#asking = this.#asking.then(() => this.#refresh())
  }

  async #refresh() {
    for (const uri of this.#stale) {
      this.#stale.delete(uri)
      if (uri === undefined) this.uris = (await this.#ask.list()).sort()
      else this.texts.set(uri, await this.#ask.read(uri))
    }
  }

  // settled returns what was asked last, once the answer is there.
  settled() {
    return this.#asking
  }

  // lists waits until the list is that of the project.
  async lists(project) {
    const expected = [...project.now().keys()].sort()
    await until(() => this.uris.length === expected.length && this.uris.every((uri, i) => uri === expected[i]), () => {
      const [missing, extra] = [expected.filter((uri) => !this.uris.includes(uri)), this.uris.filter((uri) => !expected.includes(uri))]
      return `${missing.length} are missing: ${missing.slice(0, 5)}; ${extra.length} are extra: ${extra.slice(0, 5)}; heard ${JSON.stringify(this.heard.slice(-10))}`
    })
    await this.settled()
  }

  // holds waits until a subscribed URI has a text.
  async holds(uri, text) {
    await until(() => this.texts.get(uri) === text, () => `${uri} is ${JSON.stringify(this.texts.get(uri))}, not ${JSON.stringify(text)}; heard ${JSON.stringify(this.heard.slice(-10))}`)
    await this.settled()
  }

  // since returns what was heard after the first n.
  since(n) {
    return this.heard.slice(n).map((item) => item.join(' '))
  }
}

// follow starts a server of the project with an official client that hears of the lists and of these URIs.
export async function follow(kind, project, subscribed = []) {
  const log = []
  const client = await connect(kind, project.dir, (line) => log.push(line))
  const mirror = new Mirror({
    list: async () => (await list(client, 'listResources', 'resources')).map(({ uri }) => uri),
    read: (uri) => client.readResource({ uri }).then(({ contents: [item] }) => item.text, () => undefined),
  })
  kind.on(client, listChanged, () => mirror.hear(listChanged))
  kind.on(client, updated, ({ params }) => mirror.hear(updated, params.uri))
  if (kind.stateless) {
    const filter = { resourcesListChanged: true, resourceSubscriptions: subscribed }
    assert.deepEqual((await client.listen(filter)).honoredFilter, subscribed.length ? filter : { resourcesListChanged: true })
  } else {
    for (const uri of subscribed) await client.subscribeResource({ uri })
  }
  await mirror.start(subscribed)
  return { client, mirror, log }
}

export { clients }

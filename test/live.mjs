// Projects that change while they are served, and clients that follow the changes.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, list } from './clients.mjs'
import { assertContent } from './content.mjs'
import { Project } from './tree.mjs'
import { bytesOf, canonical } from './uri.mjs'

export const listChanged = 'notifications/resources/list_changed'
export const updated = 'notifications/resources/updated'

// patience is the maximum time to wait for an expected event, in milliseconds. Machines may be slow.
const patience = 20_000

// until waits for a condition, which may return a promise, and returns its value. After a timeout, what() describes the state.
export async function until(condition, what = () => '') {
  for (const end = performance.now() + patience; ;) {
    const value = await condition()
    if (value) return value
    if (performance.now() >= end) assert.fail(`waited ${patience / 1000} s for ${condition}: ${what()}`)
    await sleep(2)
  }
}

// A Live is a project in a temporary folder that a test changes. Paths are relative to resources/ and are text.
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

  // replace saves a file like many editors: it writes a new file and renames it.
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

  // now returns the files on the disk: URI → [path, bytes].
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

// A Mirror holds the state of a client that reads only after notifications: the list, and the subscribed files.
export class Mirror {
  heard = [] // [method, URI if any], in order
  uris // sorted, of the last list
  texts = new Map() // subscribed URI → its text, or undefined if it is not found
  #ask
  #stale = new Set()
  #asking = Promise.resolve()

  // ask has list(), which returns URIs, and read(uri), which returns a text, or undefined for a missing resource.
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

  // settled returns the result of the last request, when its answer has arrived.
  settled() {
    return this.#asking
  }

  // lists waits until the list equals the files of the project.
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
}

// A Follower is an official client of a project that subscribes to the lists and to some URIs.
export class Follower {
  log = [] // lines of the server's standard error
  #kind
  #subscribed
  #connect
  #rounds = 0

  // The last subscribed URI is always this one. The method heard changes its file.
  static bell = 'notes://bell/0.md'

  // Without open, the client has its own server over stdio; open may return another client.
  constructor(kind, project, subscribed = [], open = () => connect(kind, project.dir, (line) => this.log.push(line))) {
    this.#kind = kind
    this.#connect = open
    this.project = project
    this.#subscribed = [...subscribed, Follower.bell]
  }

  async start() {
    this.project.put('notes/bell/0.md', '0')
    this.client = await this.#connect()
    this.mirror = new Mirror({
      list: async () => (await list(this.client, 'listResources', 'resources')).map(({ uri }) => uri),
      read: (uri) => this.client.readResource({ uri }).then(({ contents: [item] }) => item.text, () => undefined),
    })
    this.#kind.on(this.client, listChanged, () => this.mirror.hear(listChanged))
    this.#kind.on(this.client, updated, ({ params }) => this.mirror.hear(updated, params.uri))
    if (this.#kind.stateless) {
      const filter = { resourcesListChanged: true, resourceSubscriptions: this.#subscribed }
      assert.deepEqual((await this.client.listen(filter)).honoredFilter, filter)
    } else {
      await until(async () => (await list(this.client, 'listResources', 'resources')).some(({ uri }) => uri === Follower.bell)) // a server that runs already has to notice the file
      for (const uri of this.#subscribed) await this.client.subscribeResource({ uri })
    }
    await this.mirror.start(this.#subscribed)
  }

  async stop() {
    await this.client?.close()
    this.project.remove()
  }

  // settles waits until the list is right, and then reads every file.
  async settles() {
    await this.mirror.lists(this.project)
    for (const [uri, [path, bytes]] of this.project.now()) {
      const { contents } = await this.client.readResource({ uri })
      assert.deepEqual(contents.map((item) => item.uri), [uri])
      assertContent(contents[0], path, bytes)
    }
  }

  // misses checks that a URI is not found. Version 2 of the client turns both codes into one error.
  async misses(uri) {
    await assert.rejects(this.client.readResource({ uri }), { code: this.#kind.name.startsWith('client') ? -32602 : -32002 }, uri)
  }

  // heard calls act, changes one more file, and returns each notification that arrived before the one about that file, once each.
  async heard(act) {
    const start = this.mirror.heard.length
    await act()
    const text = `${++this.#rounds}`
    this.project.replace('notes/bell/0.md', text)
    await this.mirror.holds(Follower.bell, text)
    const items = [...new Set(this.mirror.heard.slice(start).map((item) => item.join(' ')))]
    return items.filter((item) => item !== `${updated} ${Follower.bell}`).sort()
  }
}

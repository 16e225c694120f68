// Every official client over HTTP, in every era that it supports: lists, reads, notifications, and the end of sessions and tokens.
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { clients, each, list } from './clients.mjs'
import { assertContent, assertSame } from './content.mjs'
import { folder } from './files.mjs'
import { ending, freePort, headers, listening, Relay, Web } from './http.mjs'
import { Follower, listChanged, Live, until, updated } from './live.mjs'
import { awkward } from './tree.mjs'
import { canonical } from './uri.mjs'

const limit = { timeout: 100_000 }
const eras = clients.filter(({ stateless }) => !stateless)

// open returns a client of a server, and its transport.
async function open({ create, HTTP }, url, options) {
  const client = create()
  const transport = new HTTP(url, options)
  await client.connect(transport)
  return { client, transport }
}

const bearer = (token) => token && { requestInit: { headers: { Authorization: `Bearer ${token}` } } }

describe('a tree of awkward names', limit, () => {
  let project, web
  const later = ending()
  before(async () => {
    project = await awkward()
    later(() => project.remove())
    web = await Web.start(later, [project.dir])
  })

  for (const kind of clients) {
    test(`is listed and read byte for byte: ${kind.name}`, async () => {
      const { client } = await open(kind, web.url)
      const items = await list(client, 'listResources', 'resources')
      assertSame(items.map((item) => item.uri), [...project.files.keys()].map(canonical), 'URIs')
      assert.equal((await list(client, 'listResourceTemplates', 'resourceTemplates')).length, project.templates.length)
      await each([...project.files], async ([path, bytes]) => {
        const { contents } = await client.readResource({ uri: canonical(path) })
        assert.deepEqual(contents.map((item) => item.uri), [canonical(path)])
        assertContent(contents[0], path, bytes)
      })
      await assert.rejects(client.readResource({ uri: 'config://ascii/nothing' }), /not found/)
      await assert.rejects(client.listResources({ cursor: 'made up' }), { code: -32602 })
      await client.close()
    })
  }
})

describe('each client is notified of', { ...limit, concurrency: true }, () => {
  for (const kind of clients) {
    test(`changes: ${kind.name}`, async (t) => {
      const [a, space, gone] = ['notes://h/a.md', 'NOTES://h/%77ith%20space.md', 'notes://h/gone.md']
      const project = new Live({ 'notes/h/a.md': 'a', 'notes/h/with space.md': 'space', 'notes/h/gone.md': 'here' })
      const web = await Web.start((end) => t.after(end), [project.dir])
      const f = new Follower(kind, project, [a, space, gone], async () => (await open(kind, web.url)).client)
      t.after(() => f.stop())
      await f.start()
      assert.deepEqual(await f.heard(() => {
        project.put('notes/h/new.md', 'new')
        return f.settles()
      }), [listChanged])
      assert.deepEqual(await f.heard(async () => {
        project.put('notes/h/a.md', 'A')
        project.put('notes/h/with space.md', 'SPACE')
        await f.mirror.holds(a, 'A')
        await f.mirror.holds(space, 'SPACE')
      }), [`${updated} ${space}`, `${updated} ${a}`])
      assert.deepEqual(await f.heard(async () => {
        project.delete('notes/h/gone.md')
        await f.mirror.holds(gone, undefined)
        await f.settles()
      }), [listChanged, `${updated} ${gone}`])
      await f.misses(gone)
    })

    test(`what changed while a connection was lost: ${kind.name}`, async (t) => {
      const a = 'notes://h/a.md'
      const project = new Live({ 'notes/h/a.md': 'a' })
      const web = await Web.start((end) => t.after(end), [project.dir])
      const relay = await Relay.start((end) => t.after(end), web.url)
      const f = new Follower(kind, project, [a], async () => (await open(kind, relay.url, {
        reconnectionOptions: { initialReconnectionDelay: 20, maxReconnectionDelay: 100, reconnectionDelayGrowFactor: 1, maxRetries: 100 },
      })).client)
      t.after(() => f.stop())
      await f.start()
      await f.heard(() => f.settles())
      const streams = () => relay.requests.filter(({ method }) => method === 'GET')
      for (const text of ['first', 'second']) {
        const opened = streams().length
        relay.down = true
        relay.cut()
        project.replace('notes/h/a.md', text)
        project.put(`notes/h/${text}.md`, text)
        // Another client has been notified: the change happened while this client was disconnected.
        const { client } = await open(eras[0], web.url)
        await until(async () => (await list(client, 'listResources', 'resources')).some(({ uri }) => uri.endsWith(`/${text}.md`)))
        await client.close()
        relay.down = false
        if (kind.stateless) { // such a stream cannot be resumed: the client listens again, and then reads
          const filter = { resourcesListChanged: true, resourceSubscriptions: [a, Follower.bell] }
          assert.deepEqual((await f.client.listen(filter)).honoredFilter, filter)
          assert.equal((await f.client.readResource({ uri: a })).contents[0].text, text)
          f.mirror.hear(updated, a)
          await until(async () => { // a list may be kept for a second
            f.mirror.hear(listChanged)
            await f.mirror.settled()
            return f.mirror.uris.includes(`notes://h/${text}.md`)
          })
        } else {
          await until(() => streams().length > opened)
          assert.ok(streams().at(-1).headers['last-event-id'])
        }
        await f.mirror.holds(a, text)
        await f.mirror.lists(project)
      }
      if (!kind.stateless) { // notifications that did not arrive are sent again
        relay.deaf = true
        project.replace('notes/h/a.md', 'third')
        await until(() => relay.kept.includes(a))
        relay.deaf = false
        relay.cut()
        await f.mirror.holds(a, 'third')
      }
      await f.heard(() => f.settles()) // the client is still notified
    })
  }
})

describe('a session', limit, () => {
  let project
  before(() => { project = new Live({ 'notes/h/a.md': 'a' }) })
  after(() => project.remove())

  for (const kind of eras) {
    test(`ends when the client ends it: ${kind.name}`, async (t) => {
      const web = await Web.start((end) => t.after(end), [project.dir])
      const { client, transport } = await open(kind, web.url)
      const id = transport.sessionId
      const ping = () => fetch(web.url, { method: 'POST', headers: { ...headers, 'Mcp-Session-Id': id }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })
      assert.equal((await ping()).status, 200)
      await transport.terminateSession()
      assert.equal(transport.sessionId, undefined)
      assert.equal((await ping()).status, 404)
      await client.close()
    })

    test(`goes on after a restart of the server: ${kind.name}`, async (t) => {
      const slow = await listening((end) => t.after(end), ({ url }, answer) => setTimeout(() => answer.end('<title>Slow</title><p>A page that takes three seconds.</p>'), url === '/slow' ? 3000 : 0))
      const at = `127.0.0.1:${await freePort()}`
      const begin = () => Web.start((end) => t.after(end), ['--capture', '--allow=127.0.0.1:*', project.dir], { http: at })
      const web = await begin()
      const { client, transport } = await open(kind, web.url)
      t.after(() => client.close())
      const session = transport.sessionId
      const heard = []
      kind.on(client, 'notifications/resources/updated', ({ params }) => { heard.push(params.uri) })
      await client.subscribeResource({ uri: 'notes://h/a.md' })
      const running = client.callTool({ name: 'scrape', arguments: { url: `${slow}/slow` } })
      await sleep(500)
      await web.stop()
      assert.match(JSON.stringify((await running).content), /takes three seconds/, 'the call that ran')
      await sleep(4000)
      const next = await begin()
      assert.equal(next.url.href, web.url.href)
      assert.equal((await client.listResources()).resources.length, 1)
      assert.equal(transport.sessionId, session)
      await until(async () => { // the stream comes back after five seconds
        project.replace('notes/h/a.md', `changed ${Date.now()}`)
        await sleep(500)
        return heard.includes('notes://h/a.md')
      })
    })
  }

  for (const kind of clients) {
    test(`with a stream does not delay the end of the server: ${kind.name}`, async (t) => {
      const web = await Web.start((end) => t.after(end), [project.dir])
      const { client } = await open(kind, web.url)
      if (kind.stateless) {
        const subscription = await client.listen({ resourcesListChanged: true })
        await web.stop()
        assert.equal(await subscription.closed, 'graceful')
      } else {
        await client.subscribeResource({ uri: 'notes://h/a.md' })
        await web.stop()
      }
      assert.deepEqual(web.log.filter((line) => line.includes('not finished')), []) // the server did not wait for the stream
      await client.close()
    })
  }
})

describe('tokens of a file', { ...limit, concurrency: true }, () => {
  const [ada, bob] = ['a'.repeat(40), 'b'.repeat(40)]
  let project
  before(() => { project = new Live({ 'notes/h/a.md': 'a' }) })
  after(() => project.remove())

  for (const kind of clients) {
    test(`admit clients that have one: ${kind.name}`, async (t) => {
      const file = join(folder((end) => t.after(end)), 'tokens')
      const save = (text) => {
        writeFileSync(file + '~', text, { mode: 0o600 })
        renameSync(file + '~', file)
      }
      save(`ada ${ada}\nbob ${bob}\n`)
      const web = await Web.start((end) => t.after(end), ['--token-file', file, project.dir])
      await assert.rejects(open(kind, web.url), /401|[Uu]nauthorized|token/)
      await assert.rejects(open(kind, web.url, bearer('c'.repeat(40))), /401|[Uu]nauthorized|token/)
      const [one, other] = [await open(kind, web.url, bearer(ada)), await open(kind, web.url, bearer(bob))]
      for (const { client } of [one, other]) assert.equal((await client.listResources()).resources.length, 1)
      // No client can take over another client's session.
      if (one.transport.sessionId) {
        const stolen = await fetch(web.url, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}', headers: { ...headers, Authorization: `Bearer ${bob}`, 'Mcp-Session-Id': one.transport.sessionId } })
        assert.equal(stolen.status, 404)
      }

      // Removing a token ends the streams of its caller, and no others.
      let over
      if (kind.stateless) over = (await one.client.listen({ resourcesListChanged: true })).closed
      save(`bob ${bob}\n`)
      await until(() => one.client.listResources().then(() => false, (error) => /401|[Uu]nauthorized|token/.test(error.message)))
      await over
      assert.equal((await other.client.listResources()).resources.length, 1)
      save(`ada ${ada}\nbob ${bob}\n`)
      await until(() => open(kind, web.url, bearer(ada)).then(({ client }) => client.close().then(() => true), () => false))
      await one.client.close()
      await other.client.close()
    })
  }
})

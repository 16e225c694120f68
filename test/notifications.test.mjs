// Notifications on the wire: to which listen they belong, how many arrive, and how a server behaves during a stream of changes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { a, b, eras, Listener, live, rain, small } from './listener.mjs'
import { listChanged, Mirror, until, updated } from './live.mjs'

const limit = { timeout: 120_000 }
const unix = { ...limit, skip: process.platform === 'win32' }
const linux = { ...limit, skip: process.platform !== 'linux' }
describe('two listens of one session', limit, () => {
  test('end separately', async (t) => {
    const project = live(t)
    const session = new Listener(t, project.dir, { stateless: true })
    const none = 'notes://h/none.md'
    assert.deepEqual(await session.listen('one', { resourcesListChanged: true, resourceSubscriptions: [none, a, 'not a URI'] }), { resourcesListChanged: true, resourceSubscriptions: [a] })
    assert.deepEqual(await session.listen(2, { resourcesListChanged: true, resourceSubscriptions: [a, b] }), { resourcesListChanged: true, resourceSubscriptions: [a, b] })

    // change edits both files and adds one. It returns the notifications of each listen when the second one, or all, have enough.
    let round = 0
    const change = async (ids) => {
      const start = new Map(['one', 2, 3].map((id) => [id, session.of(id).length]))
      const since = (id) => [...new Set(session.of(id).slice(start.get(id)).filter(({ method }) => !method.endsWith('acknowledged')).map(({ method, params }) => params.uri ?? method))].sort()
      round++
      for (const name of ['a', 'b', `new ${round}`]) project.replace(`notes/h/${name}.md`, `${name} ${round}`)
      await until(() => ids.every((id) => since(id).includes(listChanged) && since(id).includes(a)), () => JSON.stringify(session.notifications.slice(-5)))
      assert.equal(await session.read(a), `a ${round}`)
      return ['one', 2, 3].map(since)
    }
    const all = [a, b, listChanged].sort(), first = [a, listChanged].sort()
    assert.deepEqual(await change(['one', 2]), [first, all, []])
    session.cancel('one')
    assert.deepEqual(await change([2]), [[], all, []])
    await session.listen(3, { resourcesListChanged: true, resourceSubscriptions: [a] })
    assert.deepEqual(await change([2, 3]), [[], all, first])
    session.cancel(2)
    assert.deepEqual(await change([3]), [[], [], first])
    session.cancel(3)
    project.put('notes/h/unheard.md', '')
    await until(async () => (await session.uris()).includes('notes://h/unheard.md'))
    await session.listen('one', { resourcesListChanged: true, resourceSubscriptions: [a] }) // its id is free again
    assert.deepEqual(await change(['one']), [first, [], []])
    assert.deepEqual(session.lines.filter((line) => 'error' in JSON.parse(line)), [])
    await session.end()
  })
})

for (const { era, stateless } of eras) {
  describe(`during a stream of changes, ${era}`, limit, () => {
    test('SIGTERM ends the server at once', unix, async (t) => {
      const project = live(t)
      const session = new Listener(t, project.dir, { stateless })
      await session.hear(a)
      const stop = rain(project, 'notes/h', { pause: 0 })
      await until(() => session.count(listChanged) > 1)
      const time = await session.kill('SIGTERM')
      assert.ok(time < 4_000, `${time} ms`)
      assert.ok(await stop() > 10)
      session.assertOnlyMessages()
    })

    test('the end of input ends the server after the pending answers', async (t) => {
      const project = live(t, { ...small, 'notes/long/x.md': 'x'.repeat(100_000) })
      const session = new Listener(t, project.dir, { stateless })
      await session.hear(a)
      const stop = rain(project)
      await until(() => session.count(listChanged) > 1)
      const answers = Array.from({ length: 100 }, (_, i) => i % 2 ? session.read('notes://long/x.md') : session.uris())
      const start = performance.now()
      await session.end()
      const time = performance.now() - start
      for (const [i, answer] of (await Promise.all(answers)).entries()) assert.ok(i % 2 ? answer.length === 100_000 : answer.includes(a), `${i}`)
      assert.ok(time < 4_000, `${time} ms`)
      await stop()
    })

    test('2,000 files in 3 seconds cost few notifications, and the last is right', async (t) => {
      const project = live(t)
      const session = new Listener(t, project.dir, { stateless })
      await session.hear()
      const mirror = new Mirror({ list: () => session.uris() })
      await mirror.start([])
      session.onMessage = ({ method }) => method === listChanged && mirror.hear(method)
      const start = performance.now()
      for (let i = 0; i < 2_000; i++) {
        project.put(`burst/h/${i % 40}/${i}.md`, `${i}`)
        while (performance.now() < start + i * 1.5) await sleep(1)
      }
      await mirror.lists(project)
      const count = session.count(listChanged)
      const seconds = (performance.now() - start) / 1000 // with the last announcement, which may be late
      t.diagnostic(`${count} notifications of ${seconds.toFixed(1)} s of changes`)
      assert.ok(count <= 2 + Math.ceil(seconds), `${count} notifications of ${seconds} s`)
      await session.end()
      assert.equal(session.count(listChanged), count)
    })
  })

  test(`a client that does not read for 5 seconds receives few notifications, ${era}`, linux, async (t) => {
    const long = 'x'.repeat(1_000_000)
    const project = live(t, { ...small, 'notes/long/x.md': long, '../mcp-docs-server.json': '{"search": {"resources": false}}' }) // an index takes memory
    const session = new Listener(t, project.dir, { stateless })
    await session.hear(a, b)
    await until(async () => await session.read(a) === 'a')
    session.process.stdout.pause()
    const answers = Array.from({ length: 50 }, () => session.read('notes://long/x.md')) // more than the pipe holds
    const stop = rain(project)
    for (let i = 0; i < 10; i++) project.replace('notes/h/a.md', `changed ${i}`)
    await sleep(1_000)
    const before = session.usage()
    await sleep(4_000)
    const after = session.usage()
    const changes = await stop()
    project.replace('notes/h/b.md', 'the last')
    const heard = session.notifications.length
    session.process.stdout.resume()
    for (const answer of answers) assert.ok(await answer === long)
    await until(() => session.count(updated, b) > 0)
    assert.equal(await session.read(a), 'changed 9')
    assert.deepEqual((await session.uris()).sort(), [...project.now().keys()].sort())
    const found = session.notifications.length - heard
    t.diagnostic(`${found} notifications of ${changes} changes; memory ${before.rss.toFixed(1)} MiB after 1 s, ${after.rss.toFixed(1)} MiB after 5 s`)
    assert.ok(found <= 8, `${found} notifications`)
    assert.ok(after.rss < before.rss + 10, `memory grew from ${before.rss} to ${after.rss} MiB`)
    await session.end()
  })
}

// How soon changes are announced, and how long clients may keep answers.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { a, b, eras, Listener, live, small } from './listener.mjs'
import { listChanged, until, updated } from './live.mjs'

const limit = { timeout: 120_000 }
// The tests mostly wait, so they run at the same time.
describe('freshness', { concurrency: true }, () => {
  for (const { era, stateless } of eras) {
    test(`polling finds changes, ${era}`, limit, async (t) => {
      const project = live(t)
      const session = new Listener(t, project.dir, { stateless, args: ['--poll=200ms'] })
      await session.hear(a, b)
      project.put('notes/h/new.md', 'new')
      project.put('notes/h/a.md', 'edited')
      await until(() => session.count(listChanged) && session.count(updated, a))
      assert.deepEqual((await session.uris()).sort(), [a, b, 'notes://h/new.md'])
      assert.equal(await session.read(a), 'edited')
      if (stateless) {
        for (const [method, params] of [['resources/list'], ['resources/templates/list'], ['resources/read', { uri: a }]]) {
          const { ttlMs } = (await session.request(method, params)).result
          assert.ok(ttlMs <= 1_000, `${method} may be kept for ${ttlMs} ms`)
        }
      }
      project.delete('notes/h/b.md')
      await until(() => session.count(updated, b))
      assert.deepEqual((await session.uris()).sort(), [a, 'notes://h/new.md'])
      await session.end()
    })

    test(`without watching nothing is announced and nothing may be kept, ${era}`, limit, async (t) => {
      const project = live(t)
      const [session, watching] = [['--no-watch'], []].map((args) => new Listener(t, project.dir, { stateless, args }))
      await session.hear(a)
      await watching.hear(a)
      const requests = [['resources/list'], ['resources/templates/list'], ['prompts/list'], ['tools/list'], ['resources/read', { uri: a }]]
      for (const [method, params] of requests) assert.equal((await session.request(method, params)).result.ttlMs, stateless ? 0 : undefined, method)
      for (let i = 1; i <= 3; i++) {
        project.put('notes/h/a.md', `edited ${i}`)
        project.put(`notes/h/new ${i}.md`, 'new')
        await until(() => watching.count(updated, a) >= i && watching.count(listChanged) >= i)
      }
      assert.deepEqual((await session.uris()).sort(), [a, b])
      assert.equal(await session.read(a), 'edited 3')
      assert.equal(session.count(listChanged) + session.count(updated), 0)
      await session.end()
      await watching.end()
    })
  }

  test('only answers that a listen covers may be kept', limit, async (t) => {
    const session = new Listener(t, live(t).dir, { stateless: true })
    const lists = { resourcesListChanged: ['resources/list', 'resources/templates/list'], promptsListChanged: ['prompts/list'], toolsListChanged: ['tools/list'] }
    for (const key of Object.keys(lists)) {
      await session.listen(key, { [key]: true })
      for (const [other, methods] of Object.entries(lists)) {
        for (const method of methods) {
          const { ttlMs } = (await session.request(method)).result
          assert.ok(key === other || ttlMs <= 1_000, `${method} may be kept for ${ttlMs} ms under a listen of ${key}`)
        }
      }
      session.cancel(key)
    }
    await session.end()
  })

  test('no outdated answer that may be kept follows the notification', limit, async (t) => {
    const text = (round) => `${round} `.padEnd(2_000_000, 'x')
    const project = live(t, { 'notes/h/a.md': text(0) })
    const session = new Listener(t, project.dir, { stateless: true })
    await session.hear(a)
    let round = 0, heard = false, reading = true
    const late = []
    session.onMessage = ({ method, result }) => {
      heard ||= method === updated
      const read = parseInt(result?.contents?.[0].text)
      if (heard && read < round && result.ttlMs > 0) late.push(`after change ${round}: ${read}, for ${result.ttlMs} ms`)
    }
    const readers = Array.from({ length: 20 }, async () => {
      while (reading) {
        await session.request('resources/read', { uri: a })
        session.lines.length = 0 // they are long
      }
    })
    while (round < 5) {
      heard = false
      project.replace('notes/h/a.md', text(++round))
      await until(() => heard)
      await sleep(1_100)
    }
    reading = false
    await Promise.all(readers)
    assert.deepEqual(late, [])
    await session.end()
  })

  test('a single change is announced soon', limit, async (t) => {
    const project = live(t, { ...small, ...Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`notes/h/${i}.md`, ''])) })
    const sessions = eras.map(({ stateless }) => new Listener(t, project.dir, { stateless }))
    for (const session of sessions) {
      await session.hear(a)
      await session.uris()
    }
    const times = []
    for (let i = 0; i < 20; i++) {
      await sleep(1_100) // changes in quick succession would be announced together
      const method = i % 2 ? updated : listChanged
      const counts = sessions.map((session) => session.count(method))
      const start = performance.now()
      project.replace(i % 2 ? 'notes/h/a.md' : `notes/h/new ${i}.md`, `${i}`)
      await until(() => sessions.every((session, k) => session.count(method) > counts[k]))
      times.push(...sessions.map((session) => session.notifications.at(-1).at - start))
    }
    times.sort((x, y) => x - y)
    const median = times[times.length / 2]
    t.diagnostic(`announced after ${median.toFixed(1)} ms (median), ${times[0].toFixed(1)} to ${times.at(-1).toFixed(1)} ms`)
    assert.ok(median < 500, `${median} ms`)
    for (const session of sessions) await session.end()
  })
})

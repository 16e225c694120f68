// A hundred thousand changes while a client of each era follows them, on Linux: SOAK=1 node --test soak.mjs
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { Listener } from './listener.mjs'
import { listChanged, Live, Mirror, updated } from './live.mjs'

const total = 100_000, step = 10_000

test('memory and other resources do not grow', { skip: !process.env.SOAK, timeout: 1_800_000 }, async (t) => {
  const project = new Live(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`notes/h/${i}.md`, `${i}`])))
  t.after(() => project.remove())
  const subscribed = Array.from({ length: 10 }, (_, i) => `notes://h/${i}.md`)
  const clients = await Promise.all([false, true].map(async (stateless) => {
    const session = new Listener(t, project.dir, { stateless })
    await session.hear(...subscribed)
    const mirror = new Mirror({ list: () => session.uris(), read: (uri) => session.read(uri) })
    await mirror.start(subscribed)
    session.onMessage = ({ method, params }) => [listChanged, updated].includes(method) && mirror.hear(method, params.uri)
    return { session, mirror, usages: [] }
  }))
  const start = performance.now()
  for (let n = 1; n <= total; n++) {
    const path = `notes/h/${n * 37 % 100}.md`
    if (n % 3 === 0) rmSync(project.on(path), { force: true })
    else if (n % 3 === 1) project.put(path, `edited ${n}`)
    else project.replace(path, `saved ${n}`)
    if (n % 5 === 0) await immediate()
    if (n % step) continue
    for (const { session, mirror, usages } of clients) {
      await mirror.lists(project)
      const now = project.now()
      for (const uri of subscribed) await mirror.holds(uri, now.get(uri)?.[1].toString())
      await sleep(2_000)
      usages.push(session.usage())
      const { rss, threads, files } = usages.at(-1)
      t.diagnostic(`${n} changes, ${((performance.now() - start) / 1000).toFixed(0)} s, ${session.stateless ? '2026-07-28' : 'initialize'}: ${rss.toFixed(1)} MiB, ${threads} threads, ${files} files; ${session.count(listChanged)} list_changed, ${session.count(updated)} updated`)
    }
  }
  for (const { session, usages } of clients) {
    const [first, last] = [usages[0], usages.at(-1)]
    assert.ok(last.rss < first.rss * 1.25 + 5, `memory: ${first.rss} MiB, then ${last.rss} MiB`)
    assert.ok(last.threads <= first.threads + 3, `threads: ${first.threads}, then ${last.threads}`)
    assert.equal(last.files, first.files, 'open files')
    await session.end()
  }
})

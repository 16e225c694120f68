// What replicas ask of their database: statements for a scrape, and for a poll of a crawl.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder } from './files.mjs'
import { call, Fleet, Site } from './fleet.mjs'
import { until } from './live.mjs'
import { missing as missingNginx } from './nginx.mjs'
import { missing, Postgres } from './postgres.mjs'

const calls = 20

test('statements of a scrape and of a poll', { timeout: 100_000, skip: missing || missingNginx }, async (t) => {
  const after = (end) => t.after(end)
  const dir = folder(after, { 'README.md': '# Notes\n' })
  const postgres = await Postgres.start(after, { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_utility': 'on' })
  await postgres.query('CREATE EXTENSION pg_stat_statements')
  const site = await Site.start(after)
  site.size = 20
  const fleet = await Fleet.start(after, 3, () => ({ args: ['--capture', '--allow=127.0.0.1:*', dir], env: { MCP_DOCS_STORE: postgres.url } }))

  // counted returns the statements of a call, without the statements of replicas that have nothing to do.
  const counted = async (act) => {
    const statements = async () => Number((await postgres.query("SELECT sum(calls) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_%'"))[0][0])
    const [before, began] = [await statements(), performance.now()]
    for (let i = 0; i < calls; i++) {
      const { ok, text } = await act(i)
      assert.ok(ok, text)
      await sleep(50) // the replicas read the log after each call
    }
    return (await statements() - before - 3 * (performance.now() - began) / 2000) / calls
  }
  await counted((i) => call(fleet.at(0), 'scrape', { url: `${site.url}/page/first-${i}` })) // the replicas connect meanwhile
  let scrape = Infinity // the least of three rounds: on a computer with much to do, periodic statements are more than what is taken off for them
  for (const round of ['a', 'b', 'c']) scrape = Math.min(scrape, await counted((i) => call(fleet.at(0), 'scrape', { url: `${site.url}/page/${round}-${i}` })))
  t.diagnostic(`scrape: ${scrape.toFixed(2)}`)
  // 8 at the replica that captures, 2 at each other one. On a computer with much to do, that replica may read its own entry of the log before it knows that it wrote it: one more.
  assert.ok(scrape < 13.2)

  const id = /Job ID: (\S+)/.exec((await call(fleet.at(0), 'crawl', { url: `${site.url}/tree/a/` })).text)[1]
  await until(async () => /^Crawl Status: completed/.test((await call(fleet.at(1), 'crawl', { jobId: id })).text))
  const kept = async () => Number((await postgres.query('SELECT count(*) FROM mcp_docs.captures'))[0][0])
  const before = await kept()
  for (const replica of [0, 1]) {
    const poll = await counted(() => call(fleet.at(replica), 'crawl', { jobId: id }))
    t.diagnostic(`poll of 20 pages: ${poll.toFixed(2)}`)
    assert.ok(poll < 3) // whatever the number of pages
  }
  assert.equal(await kept(), before)
})

// What replicas ask of their database: statements for a scrape, and for a poll of a crawl.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder } from './files.mjs'
import { call, Fleet, Site } from './fleet.mjs'
import { until } from './live.mjs'
import { missing as missingNginx } from './nginx.mjs'
import { missing, Postgres } from './postgres.mjs'

const calls = 40

test('statements of a scrape and of a poll', { timeout: 100_000, skip: missing || missingNginx }, async (t) => {
  const after = (end) => t.after(end)
  const dir = folder(after, { 'README.md': '# Notes\n' })
  const postgres = await Postgres.start(after, { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_utility': 'on' })
  await postgres.query('CREATE EXTENSION pg_stat_statements')
  const site = await Site.start(after)
  site.size = 20
  const fleet = await Fleet.start(after, 3, () => ({ args: ['--capture', '--allow=127.0.0.1:*', dir], env: { MCP_DOCS_STORE: postgres.url } }))

  // counted returns the statements of a call. A replica that has nothing to do makes some from time to time, so the lower quartile of many calls counts.
  const counted = async (act) => {
    const statements = async () => Number((await postgres.query("SELECT sum(calls) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_%'"))[0][0])
    const counts = []
    for (let i = 0; i < calls; i++) {
      const before = await statements()
      const { ok, text } = await act(i)
      assert.ok(ok, text)
      await sleep(50) // the replicas read the log after each call
      counts.push(await statements() - before)
    }
    return counts.sort((a, b) => a - b)[calls / 4]
  }
  for (let i = 0; i < 20; i++) await call(fleet.at(0), 'scrape', { url: `${site.url}/page/first-${i}` }) // the replicas connect meanwhile
  const scrape = await counted((i) => call(fleet.at(0), 'scrape', { url: `${site.url}/page/${i}` }))
  t.diagnostic(`scrape: ${scrape}`)
  // 9 at the replica that captures, the last of which reads its own entry of the log, and 2 at each other one.
  assert.ok(scrape <= 13)

  const id = /Job ID: (\S+)/.exec((await call(fleet.at(0), 'crawl', { url: `${site.url}/tree/a/` })).text)[1]
  await until(async () => /^Crawl Status: completed/.test((await call(fleet.at(1), 'crawl', { jobId: id })).text))
  const kept = async () => Number((await postgres.query('SELECT count(*) FROM mcp_docs.captures'))[0][0])
  const before = await kept()
  for (const replica of [0, 1]) {
    const poll = await counted(() => call(fleet.at(replica), 'crawl', { jobId: id }))
    t.diagnostic(`poll of 20 pages: ${poll}`)
    assert.ok(poll <= 2) // whatever the number of pages
  }
  assert.equal(await kept(), before)
})

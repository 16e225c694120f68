// Figures of replicas with a store, compared with one process, as Markdown tables: node replicas-figures.mjs [spread ...]
//
// FIGURES_CAPTURES is the largest number of captures, by default 100,000; FIGURES_REPLICAS is the largest number of replicas, by default 20.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder } from './files.mjs'
import { ask, call, Fleet, read, Site } from './fleet.mjs'
import { request, Web } from './http.mjs'
import { Postgres } from './postgres.mjs'

const mostCaptures = Number(process.env.FIGURES_CAPTURES ?? 100_000)
const mostReplicas = Number(process.env.FIGURES_REPLICAS ?? 20)
const started = performance.now()

const table = (title, head, rows) => {
  const line = (cells) => `| ${cells.join(' | ')} |`
  console.log(`\n### ${title} (after ${((performance.now() - started) / 1000).toFixed(0)} s)\n\n${[line(head), line(head.map((_, i) => (i ? '--:' : '---'))), ...rows.map(line)].join('\n')}`)
}
const sorted = (list) => [...list].sort((a, b) => a - b)
const quantile = (list, q) => sorted(list)[Math.min(list.length - 1, Math.floor(q * list.length))]
const ms = (n) => (n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2))
const median = (list) => quantile(list, 0.5)

// timed calls act a number of times, one after the other, and returns the milliseconds of each.
async function timed(times, act) {
  const list = []
  for (let i = 0; i < times; i++) {
    const start = performance.now()
    await act(i)
    list.push(performance.now() - start)
  }
  return list
}

const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))[1]) / 1024 // MB

const ends = []
const later = (end) => ends.push(end)
const dir = folder(later, { 'resources/notes/h/a.md': 'a' })

// withFleet runs act with replicas, and ends them.
async function withFleet(postgres, size, act) {
  const from = ends.length
  await act(await Fleet.start(later, size, withStore(postgres.url)))
  for (const end of ends.splice(from).reverse()) await end()
}

const capturing = ['--capture', '--allow=127.0.0.1:*', '--log-level=warn', dir]
const limits = { MCP_RESOURCE_MAX_ITEMS: '10000000', MCP_RESOURCE_MAX_SIZE: '100000', MCP_DOCS_SESSION_KEY: '0123456789abcdef0123456789abcdef' }
const withStore = (url) => (i) => ({ args: capturing, env: { ...limits, MCP_DOCS_STORE: `${url}?application_name=replica-${i}` } })
async function writes(postgres, site) {
  const rows = []
  for (const [name, args, env] of [['memory', capturing, limits], ['files', ['--capture-dir', folder(later), ...capturing], limits], ['a store', capturing, { ...limits, MCP_DOCS_STORE: postgres.url }]]) {
    const web = await Web.start(later, args, { env })
    const uris = []
    await call(web.url, 'scrape', { url: `${site.url}/page/first` })
    const puts = await timed(200, async (i) => {
      const { ok, text, links } = await call(web.url, 'scrape', { url: `${site.url}/page/${name}-${i}` })
      assert.ok(ok, text)
      uris.push(links[0])
    })
    const gets = await timed(500, async (i) => assert.ok((await read(web.url, uris[i % uris.length])).ok))
    rows.push([name, ms(median(puts)), ms(quantile(puts, 0.99)), ms(median(gets)), ms(quantile(gets, 0.99))])
    await web.stop()
  }
  table('A scrape of a new page, which a site answers at once, and a read of a capture', ['captures in', 'scrape p50 ms', 'p99', 'read p50 ms', 'p99'], rows)
}

// listen subscribes to a resource at a replica. hear is called with the time of each notification.
async function listen(url, uri, hear) {
  const end = new AbortController()
  later(() => end.abort())
  const answer = await fetch(url, { ...request('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }), signal: end.signal })
  ;(async () => {
    for await (const chunk of answer.body) if (Buffer.from(chunk).toString().includes('notifications/resources/updated')) hear(performance.now())
  })().catch(() => {})
}

async function notices(postgres, site) {
  const page = `${site.url}/page/noticed`
  const [here, others, between] = [[], [], []]
  await withFleet(postgres, 3, async (fleet) => {
    const { links: [uri] } = await call(fleet.at(0), 'scrape', { url: page })
    const heard = [0, 0, 0]
    await Promise.all(heard.map((_, i) => listen(fleet.at(i), uri, (at) => { heard[i] = at })))
    for (let n = 0; n < 60; n++) {
      heard.fill(0)
      const { ok, text } = await call(fleet.at(0), 'scrape', { url: page, forceRescrape: true })
      assert.ok(ok, text)
      const answered = performance.now()
      const limit = answered + 10_000
      while (heard.some((at) => !at) && performance.now() < limit) await sleep(1)
      assert.ok(heard.every(Boolean), `heard ${heard}`)
      here.push(Math.max(0, heard[0] - answered))
      others.push(Math.max(0, heard[1] - answered, heard[2] - answered))
      between.push(Math.max(0, Math.max(heard[1], heard[2]) - heard[0]))
      await sleep(1100) // a server notifies at most once a second while changes go on
    }
  })
  table('From the answer of a scrape to the notification of a subscriber, ms. The server waits for further changes for up to 100 ms', ['', 'p50', 'p99', 'most'],
    [['at the same replica', here], ['at both other replicas', others], ['the difference', between]].map(([name, list]) => [name, ms(median(list)), ms(quantile(list, 0.99)), ms(quantile(list, 1))]))
}

const statements = async (postgres) => (await postgres.query('SELECT sum(calls), sum(rows), sum(shared_blks_hit + shared_blks_read) FROM pg_stat_statements WHERE query NOT LIKE \'%pg_stat_%\''))[0].map(Number)
const scans = async (postgres) => (await postgres.query("SELECT coalesce(sum(seq_tup_read), 0), coalesce(sum(idx_tup_fetch), 0) FROM pg_stat_user_tables WHERE schemaname = 'mcp_docs'"))[0].map(Number)

// cost returns what a request costs in PostgreSQL: statements, rows and pages of 8 KB. What replicas ask for without requests is subtracted.
async function cost(postgres, times, act) {
  const measure = async (run) => {
    const before = await statements(postgres)
    const start = performance.now()
    await run()
    const seconds = (performance.now() - start) / 1000
    return { seconds, sums: (await statements(postgres)).map((n, i) => n - before[i]) }
  }
  const idle = await measure(() => sleep(4000))
  const busy = await measure(() => timed(times, act))
  await sleep(500)
  return busy.sums.map((n, i) => Math.max(0, (n - idle.sums[i] / idle.seconds * busy.seconds) / times))
}

// fill copies a capture until there are so many.
async function fill(postgres, from, to) {
  await postgres.query(`
    CREATE TEMP TABLE model AS SELECT * FROM mcp_docs.captures ORDER BY key LIMIT 1;
    CREATE TEMP TABLE copies AS SELECT 'copy-' || n AS version, 'copy-' || n AS key FROM generate_series(${from}::int + 1, ${to}::int) n;
    INSERT INTO mcp_docs.captures (project, key, version, meta, used)
      SELECT model.project, copies.key, copies.version, convert_to(replace(convert_from(model.meta, 'UTF8'), model.key, copies.key), 'UTF8'), model.used FROM model, copies;
    INSERT INTO mcp_docs.capture_parts (project, key, version, tier, part, data)
      SELECT model.project, copies.key, copies.version, parts.tier, parts.part, parts.data FROM mcp_docs.capture_parts parts JOIN model USING (version), copies`, { timeout: 300_000 })
  await postgres.query('VACUUM ANALYZE')
}

async function growth(postgres, site) {
  const rows = []
  let have = 0
  for (let many = 1000; many <= mostCaptures; many *= 10) {
    await withFleet(postgres, 1, (fleet) => call(fleet.at(0), 'scrape', { url: `${site.url}/page/model` }))
    await fill(postgres, have, have = many)
    const start = performance.now()
    await withFleet(postgres, 3, async (fleet) => {
      const at = fleet.at(0)
      const ready = performance.now() - start
      await sleep(2000)
      const { resources } = await ask(at, 'resources/list', {})
      assert.ok(resources.length > 0)
      const uris = []
      const put = await cost(postgres, 100, async (i) => uris.push((await call(at, 'scrape', { url: `${site.url}/page/${many}-${i}`, forceRescrape: true })).links[0]))
      const again = await cost(postgres, 100, (i) => call(at, 'scrape', { url: `${site.url}/page/${many}-${i}` }))
      const get = await cost(postgres, 100, (i) => read(fleet.at(1), uris[i]))
      const list = await cost(postgres, 20, () => ask(at, 'resources/list', {}))
      const cell = ([calls, results, blocks]) => `${calls.toFixed(1)}, ${results.toFixed(1)}, ${blocks.toFixed(0)}`
      rows.push([many.toLocaleString('en'), ...[put, again, get, list].map(cell), ms(ready), memory(fleet.replicas[0].process.pid).toFixed(0)])
    })
  }
  table('What a request costs with three replicas: statements, rows, pages of 8 KB', ['captures', 'scrape of a new page', 'of a page that is kept', 'read at another replica', 'list', 'ms until three replicas listen', 'MB of a replica'], rows)
}

async function spread(postgres, site) {
  const rows = []
  for (const size of [1, 3, 10, 20].filter((n) => n <= mostReplicas)) {
    await withFleet(postgres, size, async (fleet) => {
      await sleep(3000)
      const before = await statements(postgres)
      await sleep(10_000)
      const idle = (await statements(postgres)).map((n, i) => (n - before[i]) / 10)
      const uris = []
      const [calls] = await cost(postgres, 100, async (i) => {
        uris.push((await call(fleet.at(i % size), 'scrape', { url: `${site.url}/page/spread-${size}-${i}`, forceRescrape: true })).links[0])
        await sleep(20)
      })
      const gets = await cost(postgres, 100, (i) => read(fleet.at((i + 1) % size), uris[i]))
      const [[connections]] = await postgres.query("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'replica-%'")
      rows.push([size, connections, (idle[0] / size).toFixed(2), calls.toFixed(1), (calls / size).toFixed(1), gets.slice(0, 2).map((n) => n.toFixed(1)).join(', ')])
    })
  }
  table('What replicas cost', ['replicas', 'connections', 'statements a second of an idle replica', 'statements for a scrape, at all replicas', 'for each replica', 'statements, rows for a read'], rows)
}

const postgres = await Postgres.start(later, { shared_preload_libraries: 'pg_stat_statements', max_connections: 5 * mostReplicas + 20, 'pg_stat_statements.track_utility': 'on' })
const site = await Site.start(later)
site.pause = 0
try {
  await postgres.query('CREATE EXTENSION pg_stat_statements')
  for (const figure of [writes, notices, spread, growth]) if (process.argv.length < 3 || process.argv.includes(figure.name)) await figure(postgres, site)
  console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s in all`)
} finally {
  for (const end of ends.reverse()) await end()
}

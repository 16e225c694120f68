// Replicas with one store: what was acknowledged stays, whatever is killed, paused or cut off. .ci/long runs these tests at full size.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { binary } from './binary.mjs'
import { folder, put } from './files.mjs'
import { call, Fleet, read, Site } from './fleet.mjs'
import { ending } from './http.mjs'
import { until } from './live.mjs'
import { missing as missingNginx } from './nginx.mjs'
import { Bouncer, Link, missing, missingBouncer, Postgres } from './postgres.mjs'

const size = (name, normal) => Number(process.env[name] ?? normal)
const kills = size('STORE_KILLS', 4) // of replicas
const databaseKills = size('STORE_DATABASE_KILLS', 1)

const another = process.env.STORE_OTHER_PROGRAM // path of another version of the program
const clock = process.env.STORE_CLOCK // seconds by which the clock of a replica is wrong

const key = '0123456789abcdef0123456789abcdef'
const random = (n) => Math.floor(Math.random() * n)
const missed = missing || missingNginx

// replica returns the arguments and variables of a replica that uses the store at a URL. Its connections have its name. It serves what was
// published, from a copy in dir, or the project in dir.
const replica = (dir, url, i, published) => ({
  args: ['--capture', '--allow=127.0.0.1:*', ...(published ? ['--from', published, '--cache-dir', join(dir, `cache-${i}`)] : [dir])],
  env: { MCP_DOCS_STORE: `${url}?application_name=replica-${i}`, MCP_DOCS_SESSION_KEY: key, MCP_RESOURCE_MAX_ITEMS: '100000', MCP_RESOURCE_MAX_SIZE: '1000' },
})

// staged starts a site, PostgreSQL with these settings, and the replicas that start returns, before the tests of a suite. All have ended after it.
function staged(start, settings) {
  const stage = { later: ending() }
  before(async () => {
    stage.site = await Site.start(stage.later)
    stage.dir = folder(stage.later, { 'resources/notes/h/a.md': 'a' })
    stage.postgres = await Postgres.start(stage.later, settings)
    stage.fleet = await start(stage)
    await stage.postgres.query(witness)
  })
  return stage
}

// A Publication is a project whose files all have the number of its last version.
class Publication {
  number = 0
  #dir

  constructor(after, name, store) {
    this.name = name
    this.env = { ...process.env, MCP_DOCS_STORE: store }
    this.uris = Array.from({ length: 20 }, (_, i) => `notes://h/${i}.md`)
    this.#dir = folder(after, { 'mcp-docs-server.json': '{"name": "Test", "package": "test", "version": "1.0.0"}' })
  }

  write() {
    this.number++
    put(this.#dir, Object.fromEntries(this.uris.map((_, i) => [`resources/notes/h/${i}.md`, `${this.number}`])))
  }

  // publish begins a publication. done resolves to whether it was acknowledged.
  publish() {
    const process = spawn(binary(), ['publish', '--target', 'store', '--to', this.name, this.#dir], { stdio: ['ignore', 'ignore', 'pipe'], env: this.env })
    let log = ''
    process.stderr.on('data', (chunk) => { log += chunk })
    return { kill: () => process.kill('SIGKILL'), log: () => log, done: new Promise((resolve) => process.on('exit', (code) => resolve(code === 0))) }
  }
}

// witness records in the database which replica keeps which pages of crawls.
const witness = `
  CREATE TABLE public.witness (n bigint GENERATED ALWAYS AS IDENTITY, replica text DEFAULT current_setting('application_name'), job text, url text);
  CREATE FUNCTION public.captured() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN INSERT INTO public.witness (job, url) SELECT meta->>'job', meta->>'url'
      FROM (SELECT convert_from(NEW.meta, 'UTF8')::json AS meta) AS capture WHERE meta->>'job' IS NOT NULL; RETURN NULL; END$$;
  CREATE TRIGGER witness AFTER INSERT OR UPDATE OF meta ON mcp_docs.captures FOR EACH ROW EXECUTE FUNCTION public.captured()`

// testimony returns which pages were kept: { replica, job }, in the order of the inserts.
async function testimony(postgres) {
  const rows = await postgres.query('SELECT replica, job FROM public.witness ORDER BY n')
  return rows.map(([replica, job]) => ({ replica, job }))
}

// keeper returns the number of the replica that keeps pages of a job, as soon as there is one.
async function keeper(postgres, job) {
  let kept
  await until(async () => (kept = (await testimony(postgres)).find((row) => row.job === job)))
  return Number(kept.replica.replace('replica-', ''))
}

// Work is what clients do while replicas end, and which answers they got.
class Work {
  writes = 0
  publications = 0
  failures = [] // messages of calls that failed
  jobs = new Map() // id → tree, of crawls that were completed
  #kept = new Map() // URI → { path, version } of the last acknowledged capture
  #ended = false
  #running = []
  static #count = 0

  constructor(fleet, site) {
    this.fleet = fleet
    this.site = site
    this.name = Work.#count++ // no other work asks for the same pages
  }

  begin(writers, crawlers, publication) {
    if (publication) this.#running.push(this.#publishes(publication))
    for (let i = 0; i < writers; i++) this.#running.push(this.#write(i))
    for (let i = 0; i < crawlers; i++) this.#running.push(this.#crawls(i))
  }

  // end lets the crawls that have begun end.
  async end() {
    this.#ended = true
    await Promise.all(this.#running)
  }

  async call(...args) {
    const answer = await call(this.fleet.url, ...args)
    if (!answer.ok) {
      this.failures.push(answer.text)
      await sleep(20)
    }
    return answer
  }

  // Each page has one writer, so the order of its versions is known.
  async #write(writer) {
    while (!this.#ended) {
      const path = `/page/${this.name}-${writer}-${random(5)}`
      const { ok, text, links } = await this.call('scrape', { url: this.site.url + path, forceRescrape: true, maxChars: 10_000 })
      if (!ok || !links[0]) continue // without the store, the answer has the page and no resource
      this.writes++
      this.#kept.set(links[0], { path, version: Number(/ of version (\d+)/.exec(text)[1]) })
    }
  }

  async #crawls(crawler) {
    for (let n = 0; !this.#ended; n++) {
      await this.complete(`${this.name}-${crawler}-${n}`)
    }
  }

  // crawl begins a crawl, and returns its id if that was acknowledged. The call does not go through nginx, which repeats it at another
  // replica if the first one is killed: then two crawls request the same pages.
  async crawl(tree, at = this.fleet.at(random(this.fleet.ports.length))) {
    const { ok, text } = await call(at, 'crawl', { url: `${this.site.url}/tree/${tree}/`, limit: 1000 })
    return ok ? /Job ID: (\S+)/.exec(text)[1] : sleep(20) // the replica may be down
  }

  // crawled waits for the end of a crawl, and returns its state.
  async crawled(id, tree) {
    for (;;) {
      const { ok, text } = await this.call('crawl', { jobId: id, wait: 1000, maxResults: 1 })
      const state = ok && /^Crawl Status: (\w+)/.exec(text)[1]
      if (state === 'completed') this.jobs.set(id, tree)
      if (state && state !== 'scraping') return state
      await sleep(50)
    }
  }

  // complete begins a crawl again until no replica ends meanwhile.
  async complete(tree) {
    for (;;) {
      const id = await this.crawl(tree)
      if (id && await this.crawled(id, tree) === 'completed') return
    }
  }

  // Every file of a publication has its number. Some programs that publish are killed, but not the last one.
  async #publishes(publication) {
    for (let last = false; !last || this.published !== publication.number;) {
      last = this.#ended
      publication.write()
      const publishing = publication.publish()
      if (!last && random(4) === 0) setTimeout(() => publishing.kill(), random(400))
      if (await publishing.done) {
        this.publications++
        this.published = publication.number
      }
    }
    this.publication = publication
  }

  // check compares what the replicas have now with what was acknowledged.
  async check() {
    for (const [uri, { path, version }] of this.#kept) {
      for (const i of this.fleet.ports.keys()) {
        const { ok, text } = await read(this.fleet.at(i), uri)
        assert.ok(ok, `${path} at ${i}: ${text}`)
        const now = Number(/ of version (\d+)/.exec(text)[1])
        assert.ok(now >= version, `${path} has version ${now} at ${i}, but ${version} was acknowledged`)
      }
    }
    for (const [id, tree] of this.jobs) await this.#checkJob(id, tree)
    for (const i of this.publication ? this.fleet.ports.keys() : []) {
      let numbers
      await until(async () => {
        numbers = new Set(await Promise.all(this.publication.uris.map(async (uri) => Number((await read(this.fleet.at(i), uri)).text))))
        return numbers.size === 1 && [...numbers][0] >= this.published
      }, () => `replica ${i} serves ${[...numbers]}, but ${this.published} was published`)
    }
  }

  async #checkJob(id, tree) {
    const pages = []
    for (;;) {
      const { text } = await call(this.fleet.url, 'crawl', { jobId: id, maxResults: 1000, startIndex: pages.length })
      assert.match(text, /^Crawl Status: completed/)
      pages.push(...JSON.parse(text.slice(text.indexOf('\n[{') + 1)))
      if (!text.includes('[More results available.')) break
    }
    const paths = pages.map(({ url }) => new URL(url).pathname)
    assert.deepEqual(paths.sort(), Array.from({ length: this.site.size }, (_, n) => `/tree/${tree}/${n || ''}`).sort(), `pages of crawl ${id}: ${(await call(this.fleet.url, 'crawl', { jobId: id, command: 'errors' })).text}`)
    for (const { url, uri, markdown } of pages) assert.ok(markdown?.includes(`Text ${tree} of version `), `${url} at ${uri}: ${markdown}`)
  }
}

describe('replicas with one store', { timeout: 3_000_000, skip: missed }, () => {
  let link, publication
  const stage = staged(async ({ later, dir, postgres }) => {
    link = await Link.start(later, postgres.port)
    publication = new Publication(later, 'test', postgres.url)
    publication.write()
    const first = publication.publish()
    assert.ok(await first.done, first.log())
    return Fleet.start(later, 3, (i) => replica(dir, i === 2 ? link.url : postgres.url, i, publication.name))
  })

  test('what was acknowledged stays when replicas and the database are killed', async (t) => {
    const work = new Work(stage.fleet, stage.site)
    work.begin(3, 2, publication)
    const order = [...Array(kills).fill('replica'), ...Array(databaseKills).fill('database')].sort(() => Math.random() - 0.5)
    for (const what of order) {
      await sleep(200 + random(2500))
      if (what === 'database') {
        await stage.postgres.kill()
        await sleep(random(1000))
        await stage.postgres.restart()
      } else {
        const i = random(stage.fleet.ports.length)
        await stage.fleet.kill(i)
        await stage.fleet.begin(i)
      }
    }
    await work.end()
    t.diagnostic(`${work.writes} writes, ${work.jobs.size} crawls and ${work.publications} of ${publication.number} publications were acknowledged; ${work.failures.length} calls failed: ${[...new Set(work.failures)].slice(0, 10).join(' | ')}`)
    for (const message of work.failures) assert.match(message, /store/)
    await work.check()
    const again = [...stage.site.asked('/tree/').values()].reduce((sum, times) => sum + times - 1, 0)
    t.diagnostic(`${again} requests of crawls were repeated`)
  })

  test('a crawl of a replica that is paused is interrupted, and continues', async () => {
    const work = new Work(stage.fleet, stage.site)
    stage.site.pause = 200 // a crawl takes long enough
    const id = await work.crawl('paused')
    const i = await keeper(stage.postgres, id)
    const { process } = stage.fleet.replicas[i]
    const other = stage.fleet.at((i + 1) % 3)
    process.kill('SIGSTOP')
    try {
      await until(async () => (await call(other, 'crawl', { jobId: id })).text.startsWith('Crawl Status: interrupted'))
    } finally {
      stage.site.pause = 20
      process.kill('SIGCONT')
    }
    await until(async () => (await call(other, 'crawl', { jobId: id })).text.startsWith('Crawl Status: completed'))
    assert.equal(await work.crawled(id, 'paused'), 'completed')
    await work.check()
  })

  test('a crawl is cancelled at another replica', async () => {
    const work = new Work(stage.fleet, stage.site)
    stage.site.pause = 200
    const id = await work.crawl('cancelled')
    const i = await keeper(stage.postgres, id)
    assert.ok((await call(stage.fleet.at((i + 1) % 3), 'crawl', { jobId: id, cancel: true })).ok)
    await until(async () => (await call(stage.fleet.at((i + 2) % 3), 'crawl', { jobId: id })).text.startsWith('Crawl Status: cancelled'))
    stage.site.pause = 20
  })

  test('a replica that is cut off from the database serves files, and catches up', async () => {
    const work = new Work(stage.fleet, stage.site)
    const [well, cut] = [stage.fleet.at(0), stage.fleet.at(2)]
    const unreachable = 'the store cannot be reached'
    const scrape = (at, path, resultHandling) => call(at, 'scrape', { url: `${stage.site.url}/page/${path}`, resultHandling })
    const health = async (path) => {
      const answer = await fetch(new URL(path, cut))
      return { code: answer.status, store: (await answer.json().catch(() => ({}))).store }
    }
    const { links: [early] } = await scrape(well, 'early')
    await until(async () => (await read(cut, early)).ok)
    assert.equal((await health('/ready?store')).code, 200)
    stage.site.pause = 100
    const id = await work.crawl('cut', cut)
    await keeper(stage.postgres, id)
    link.cut()
    try {
      const start = performance.now()
      const refused = await scrape(cut, 'refused', 'saveOnly')
      assert.ok(!refused.ok && refused.text.includes(unreachable), refused.text)
      assert.ok(performance.now() - start < 30_000)
      await until(async () => (await health('/health')).store === 'unreachable')
      assert.equal((await health('/health')).code, 200)
      assert.equal((await health('/ready?store')).code, 503)
      const begun = performance.now()
      assert.ok((await scrape(cut, 'refused')).text.includes(unreachable)) // after the text of the page
      assert.ok((await read(cut, early)).text.includes(unreachable))
      assert.ok(performance.now() - begun < 5_000) // the replica knows
      assert.deepEqual(await read(cut, 'notes://h/1.md'), { ok: true, text: `${publication.number}`, links: [] })
      const { links: [late] } = await scrape(well, 'late')
      await until(async () => (await call(well, 'crawl', { jobId: id, maxResults: 1 })).text.startsWith('Crawl Status: interrupted'))
      const again = await work.crawl('cut', well)
      assert.equal(await work.crawled(again, 'cut'), 'completed')
      link.restore()
      await until(async () => (await read(cut, late)).ok)
      await until(async () => (await health('/ready?store')).code === 200)
      assert.equal((await scrape(cut, 'again')).ok, true)
      assert.equal(stage.site.asked('/page/again').get('/page/again'), 1)
    } finally {
      link.restore()
      stage.site.pause = 20
    }
    await work.check()
  })
})

// A new version may add to the schema. Replicas of both versions run together during an update.
describe('an update of replicas, one after the other', { timeout: 100_000, skip: missed }, () => {
  let program = another
  const stage = staged(({ later, dir, postgres }) => Fleet.start(later, 3, (i) => ({ ...replica(dir, postgres.url, i), program })))

  const schema = async () => (await stage.postgres.query('SELECT version FROM mcp_docs.schema_version'))[0][0]
  const update = async (change) => {
    const work = new Work(stage.fleet, stage.site)
    work.begin(2, 1)
    await sleep(500)
    await change?.()
    const before = await schema()
    for (const i of stage.fleet.ports.keys()) {
      await stage.fleet.replicas[i].stop()
      await stage.fleet.begin(i)
      await sleep(500)
    }
    await work.end()
    const emptied = before !== await schema() // of captures and crawls, as release notes say
    assert.deepEqual(work.failures.filter((text) => !emptied || !/there is no crawl|or a later release/.test(text)), [])
    if (!emptied) await work.check()
  }

  test('from another version of the program', { skip: !another && 'STORE_OTHER_PROGRAM is not set' }, () => update(() => { program = undefined }))

  test('when a later version has added to the schema', async () => {
    await update(async () => {
      const tables = await stage.postgres.query("SELECT tablename FROM pg_tables WHERE schemaname = 'mcp_docs'")
      for (const [table] of tables) await stage.postgres.query(`ALTER TABLE mcp_docs.${table} ADD COLUMN later integer NOT NULL DEFAULT 0`)
      await stage.postgres.query('UPDATE mcp_docs.schema_version SET version = version + 1')
    })
  })

  test('a version that the schema excludes serves files, and captures nothing', async () => {
    await stage.postgres.query('UPDATE mcp_docs.schema_version SET version = version + 1, oldest = version + 1')
    await stage.fleet.kill(0)
    await stage.fleet.begin(0)
    for (const i of stage.fleet.ports.keys()) { // the others run, and are the old program of an update
      const { text } = await call(stage.fleet.at(i), 'scrape', { url: `${stage.site.url}/tree/excluded/` })
      assert.match(text, /Text excluded[^]*Resource storage failed.* needs .* or a later release of this program/)
      await until(async () => (await fetch(new URL('/ready?store', stage.fleet.at(i)))).status === 503)
      assert.equal((await fetch(new URL('/ready', stage.fleet.at(i)))).status, 200)
      assert.ok((await read(stage.fleet.at(i), 'notes://h/a.md')).ok)
    }
    assert.match(stage.fleet.replicas[0].log.join(''), /needs .* or a later release of this program/)
  })
})

// The tables are on a small disk, which a file fills.
describe('a store whose disk is full', { timeout: 200_000, skip: missed || (process.getuid() !== 0 && 'only root can mount a small disk') }, () => {
  let disk
  const stage = staged(async ({ later, dir, postgres }) => {
    disk = join(postgres.dir, 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=777', 'small', disk])
    later(async () => {
      await postgres.shut()
      execFileSync('umount', ['-l', disk])
    })
    mkdirSync(join(disk, 'tables'), { mode: 0o700 })
    execFileSync('chown', ['-R', 'postgres', join(disk, 'tables')])
    await postgres.query(`CREATE TABLESPACE small LOCATION '${join(disk, 'tables')}'`)
    await postgres.query('ALTER DATABASE postgres SET default_tablespace = small')
    return Fleet.start(later, 2, (i) => {
      const { args, env } = replica(dir, postgres.url, i)
      return { args, env: { ...env, MCP_DOCS_METRICS_KEY: key } }
    })
  }, { log_connections: 'on' })

  test('captures say why they are not kept, everything is read, and nothing connects again', async (t) => {
    const scrape = (at, path) => call(at, 'scrape', { url: `${stage.site.url}/page/${path}`, maxChars: 10_000 })
    const ready = async (i) => (await fetch(new URL('/ready?store', stage.fleet.at(i)))).status
    const gauge = async (i, name) => {
      const text = await (await fetch(new URL('/metrics', stage.fleet.at(i)), { headers: { Authorization: `Bearer ${key}` } })).text()
      return Number(new RegExp(`^mcp_docs_${name}{[^}]*} (\\d)`, 'm').exec(text)[1])
    }
    const early = []
    for (let i = 0; i < 5; i++) early.push((await scrape(stage.fleet.at(i % 2), `early-${i}`)).links[0])
    assert.deepEqual([await ready(0), await ready(1)], [200, 200])
    const connected = () => (stage.postgres.log().match(/connection authorized/g) ?? []).length
    const connections = connected()
    execFileSync('sh', ['-c', `cat /dev/zero > '${join(disk, 'ballast')}' 2> /dev/null || true`])
    let refused = 0
    for (let i = 0; refused < 10; i++) { // the pages of the tables have some room
      assert.ok(i < 2000)
      const { ok, text, links } = await scrape(stage.fleet.at(i % 2), `late-${i}`)
      assert.match(text, /Text late-/) // the caller has the page
      if (links.length > 0) continue
      assert.match(text, /Resource storage failed.*: the disk of the store is full/)
      assert.equal(ok, true)
      refused++
    }
    for (const i of [0, 1]) {
      await until(async () => await ready(i) === 503) // a probe writes at most once a second
      assert.equal((await fetch(new URL('/ready', stage.fleet.at(i)))).status, 200)
      assert.match(await (await fetch(new URL('/ready?store', stage.fleet.at(i)))).text(), /"store":"not writable"/)
      assert.deepEqual([await gauge(i, 'store_reachable'), await gauge(i, 'store_writable')], [1, 0])
      assert.ok(stage.fleet.replicas[i].log.some((line) => line.includes('warning: the store cannot be written')), stage.fleet.replicas[i].log.join('\n'))
      assert.ok((await read(stage.fleet.at(i), 'notes://h/a.md')).ok)
      for (const uri of early) assert.ok((await read(stage.fleet.at(i), uri)).ok)
    }
    await sleep(3000)
    assert.ok(connected() - connections < 10, `${connected() - connections} connections while the disk was full`) // those of the pools
    const crawl = await call(stage.fleet.at(0), 'crawl', { url: `${stage.site.url}/tree/full/` })
    t.diagnostic(crawl.text)
    rmSync(join(disk, 'ballast'))
    await until(async () => (await scrape(stage.fleet.at(0), 'again')).links.length > 0)
    await until(async () => (await scrape(stage.fleet.at(1), 'once-more')).links.length > 0)
    await until(async () => await ready(0) === 200 && await ready(1) === 200)
    assert.deepEqual([await gauge(0, 'store_writable'), await gauge(1, 'store_writable')], [1, 1])
  })
})

// The program reads the clock without calling the system, so it is built with a package time whose clock is wrong.
function buildWithClock(seconds, dir) {
  const go = (...args) => execFileSync('go', args, { cwd: join(import.meta.dirname, '..'), stdio: ['ignore', 'pipe', 'inherit'] }).toString().trim()
  const source = join(go('env', 'GOROOT'), 'src/time/time.go')
  const reading = '\tsec, nsec, mono := runtimeNow()\n'
  const text = readFileSync(source, 'utf8')
  assert.ok(text.includes(reading))
  writeFileSync(join(dir, 'time.go'), text.replace(reading, `${reading}\tsec += ${seconds}\n`))
  writeFileSync(join(dir, 'overlay.json'), JSON.stringify({ Replace: { [source]: join(dir, 'time.go') } }))
  go('build', '-overlay', join(dir, 'overlay.json'), '-o', join(dir, 'program'), './cmd/mcp-docs-server')
  return join(dir, 'program')
}

describe('a replica whose clock is wrong', { timeout: 600_000, skip: missed || (!clock && 'STORE_CLOCK is not set: the program must be built again') }, () => {
  const stage = staged(({ later, dir, postgres }) => {
    const wrong = buildWithClock(Number(clock), dir)
    return Fleet.start(later, 3, (i) => {
      const { args, env } = replica(dir, postgres.url, i)
      return { args, env: { ...env, MCP_RESOURCE_TTL: '300' }, program: i === 1 ? wrong : undefined } // seconds, less than the error of the clock
    })
  })

  test('the clock is wrong', async () => {
    const { timestamp } = await (await fetch(new URL('/health', stage.fleet.at(1)))).json()
    assert.ok(Math.abs(Date.parse(timestamp) - Date.now() - Number(clock) * 1000) < 10_000, timestamp)
  })

  test('captures of all replicas last as long, and are read by all', async () => {
    for (const by of [0, 1]) {
      const path = `/page/by-${by}`
      const { links: [uri] } = await call(stage.fleet.at(by), 'scrape', { url: stage.site.url + path })
      for (const i of [0, 1, 2]) {
        await until(async () => (await read(stage.fleet.at(i), uri)).ok)
        const before = stage.site.asked(path).get(path)
        assert.ok((await call(stage.fleet.at(i), 'scrape', { url: stage.site.url + path })).ok)
        assert.equal(stage.site.asked(path).get(path), before) // the capture is fresh enough
      }
    }
    for (const [meta] of await stage.postgres.query("SELECT convert_from(meta, 'UTF8') FROM mcp_docs.captures")) {
      assert.ok(Math.abs(Date.parse(JSON.parse(meta).timestamp) - Date.now()) < 60_000, meta)
    }
  })
})

describe('replicas behind PgBouncer', { timeout: 100_000, skip: missed || missingBouncer }, () => {
  let bouncer
  const stage = staged(async ({ later, dir, postgres }) => {
    bouncer = await Bouncer.start(later, postgres.port, 3)
    return Fleet.start(later, 3, (i) => replica(dir, bouncer.url, i))
  })

  test('captures and crawls work in transactions on any connection', async (t) => {
    const work = new Work(stage.fleet, stage.site)
    work.begin(4, 2)
    await sleep(1000)
    await stage.fleet.kill(1)
    await stage.fleet.begin(1)
    await sleep(2000)
    await work.end()
    if (bouncer.crashes > 0) t.diagnostic(`PgBouncer ended ${bouncer.crashes} times by itself, and ${work.failures.length} calls failed`)
    else assert.deepEqual(work.failures, [])
    await work.check()
    const { links: [uri] } = await call(stage.fleet.at(0), 'scrape', { url: `${stage.site.url}/page/new` })
    await until(async () => (await read(stage.fleet.at(1), uri)).ok && (await read(stage.fleet.at(2), uri)).ok)
  })
})

// Backup and restore of the store, by the script that docs/serve/database.md describes, under a replica that runs all the time.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { binary } from './binary.mjs'
import { folder, put } from './files.mjs'
import { read } from './fleet.mjs'
import { Web } from './http.mjs'
import { until } from './live.mjs'
import { missing, Postgres } from './postgres.mjs'

test('a dump and a point in time are restored under a running replica', { skip: missing, timeout: 300_000 }, async (t) => {
  const after = (end) => t.after(end)
  const postgres = await Postgres.start(after)
  const dir = folder(after, { 'project/mcp-docs-server.json': '{"name": "Test", "package": "test", "version": "1.0.0"}' })
  const env = { MCP_DOCS_STORE: postgres.url, MCP_DOCS_SESSION_KEY: '0123456789abcdef0123456789abcdef' }
  const publish = (text) => {
    put(dir, { 'project/resources/notes/h/a.md': text })
    execFileSync(binary(), ['publish', '--target', 'store', '--to', 'test', join(dir, 'project')], { stdio: 'pipe', env: { ...process.env, ...env } })
  }
  const script = join(postgres.dir, 'store-backup.sh') // the user of PostgreSQL can read it there
  copyFileSync(fileURLToPath(new URL('../packaging/store-backup.sh', import.meta.url)), script)
  chmodSync(script, 0o755)
  const backup = (...args) => postgres.run('sh', script, ...args)
  const archive = join(postgres.dir, 'archive')
  const data = join(postgres.dir, 'data')

  publish('one')
  const replica = await Web.start(after, ['--from', 'test', '--cache-dir', join(dir, 'cache')], { env })
  const ready = async () => (await fetch(new URL('/ready?store', replica.url))).status
  const serves = async (text) => {
    await until(async () => (await read(replica.url, 'notes://h/a.md')).text === text, () => replica.log.join('\n'))
    await until(async () => (await ready()) === 200, () => replica.log.join('\n'))
  }
  await serves('one')

  backup('dump', join(postgres.dir, 'store.dump'))
  assert.equal(statSync(join(postgres.dir, 'store.dump')).mode & 0o777, 0o600) // it has the key of sessions
  assert.throws(() => postgres.run('env', 'PGDATABASE=none', 'sh', script, 'dump', join(postgres.dir, 'store.dump')))
  assert.deepEqual(readdirSync(postgres.dir).filter((name) => name.startsWith('store.dump')), ['store.dump'])
  publish('two')
  await serves('two')
  writeFileSync(join(postgres.dir, 'no.dump'), 'no dump')
  assert.throws(() => backup('restore', join(postgres.dir, 'no.dump')))
  await serves('two') // nothing was removed
  backup('restore', join(postgres.dir, 'store.dump'))
  await serves('one')

  backup('archive', archive)
  await postgres.shut()
  await postgres.restart()
  assert.equal((await postgres.query('SHOW archive_timeout'))[0][0], '5min')
  backup('base', archive)
  publish('three')
  await serves('three')
  await sleep(1100)
  const time = (await postgres.query('SELECT clock_timestamp()'))[0][0]
  await sleep(1100)
  publish('four')
  await serves('four')
  assert.throws(() => backup('recover', archive, time)) // it runs
  await postgres.shut()
  backup('recover', archive, time)
  await postgres.restart()
  await until(async () => (await postgres.query('SELECT pg_is_in_recovery()'))[0][0] === 'f')
  await serves('three')
  // Otherwise a standby that is made from it would promote itself.
  assert.doesNotMatch(readFileSync(join(data, 'postgresql.auto.conf'), 'utf8'), /recover|restore/)
  publish('five') // the database can be written
  await serves('five')
  const archived = () => readdirSync(join(archive, 'wal'))
  const before = archived()
  backup('base', archive) // the log from before it goes
  assert.ok(before.some((name) => /^[0-9A-F]+$/.test(name) && !archived().includes(name)))
  assert.deepEqual(archived().filter((name) => name.endsWith('.history')), ['00000002.history'])

  // The disk is lost: without a folder of the data, and with an empty one.
  for (const [text, make] of [['six', () => {}], ['seven', () => postgres.run('mkdir', '-m', '755', data)]]) {
    publish(text)
    await serves(text)
    const wal = (await postgres.query('SELECT pg_walfile_name(pg_current_wal_lsn())'))[0][0]
    await postgres.query('SELECT pg_switch_wal()')
    await until(() => archived().includes(wal))
    await postgres.shut()
    for (const name of [data, `${data}.old`]) rmSync(name, { recursive: true, force: true })
    make()
    assert.throws(() => backup('recover', join(postgres.dir, 'none')))
    assert.ok(!existsSync(join(data, 'recovery.signal')) && !existsSync(`${data}.old`))
    backup('recover', archive)
    await postgres.restart()
    await until(async () => (await postgres.query('SELECT pg_is_in_recovery()'))[0][0] === 'f')
    await serves(text)
  }
})

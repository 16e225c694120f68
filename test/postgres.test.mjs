// What the tests with a store rely on: a PostgreSQL that can be killed, PgBouncer, and a connection that can be cut.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ending } from './http.mjs'
import { ask, Bouncer, Link, missing, missingBouncer, Postgres } from './postgres.mjs'

describe('PostgreSQL of the tests', { timeout: 100_000, skip: missing }, () => {
  let postgres
  const later = ending()
  before(async () => { postgres = await Postgres.start(later) })

  test('keeps what was committed before a kill', async () => {
    await postgres.query('CREATE TABLE kept (n int)')
    for (let n = 0; n < 3; n++) {
      await postgres.query(`INSERT INTO kept VALUES (${n})`)
      await postgres.kill()
      await assert.rejects(postgres.query('SELECT 1'))
      await postgres.restart()
    }
    assert.deepEqual(await postgres.query("SELECT n, 'text ' || n FROM kept ORDER BY n"), [['0', 'text 0'], ['1', 'text 1'], ['2', 'text 2']])
  })

  test('a cut link passes nothing, and later everything', async () => {
    const link = await Link.start(later, postgres.port)
    assert.deepEqual(await ask(link.port, 'SELECT 1'), [['1']])
    let answered = 0
    const slow = ask(link.port, "SELECT 'begun', pg_sleep(0.5)").finally(() => answered++)
    while ((await postgres.query("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT ''begun''%'"))[0][0] === '0');
    link.cut()
    const fresh = ask(link.port, 'SELECT 2').finally(() => answered++)
    await sleep(1500)
    assert.equal(answered, 0)
    link.restore()
    assert.deepEqual(await slow, [['begun', '']])
    assert.deepEqual(await fresh, [['2']])
    link.delay = 100
    const start = performance.now()
    assert.deepEqual(await ask(link.port, 'SELECT 3'), [['3']])
    assert.ok(performance.now() - start > 400) // at least two round trips
  })

  test('PgBouncer passes transactions', { skip: missingBouncer }, async () => {
    const bouncer = await Bouncer.start(later, postgres.port, 1)
    // With one connection, the second client waits only if the first one is in a transaction.
    const [[first], [second]] = await Promise.all([ask(bouncer.port, 'SELECT pg_backend_pid()'), ask(bouncer.port, 'SELECT pg_backend_pid()')])
    assert.deepEqual(first, second)
  })
})

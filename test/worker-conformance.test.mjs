// The official conformance suite against the Worker. It runs all scenarios that the server passes, except the scenarios of sessions, streams
// and notifications.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { expected } from './conformance/expectations.mjs'
import { folder as suite, missing, runAll } from './conformance/suite.mjs'
import { folder } from './files.mjs'
import { publish, Workerd } from './workerd.mjs'

// Scenarios that need a server with notifications or sessions.
const unmet = {
  '2025-11-25': ['resources-subscribe', 'resources-unsubscribe', 'server-sse-multiple-streams', 'server-sse-polling'],
  '2026-07-28': [],
}
// Both versions take a while, so only the later one is tested unless WORKER_REQUESTS asks for more.
const versions = Object.entries(unmet).filter(([version]) => version === '2026-07-28' || process.env.WORKER_REQUESTS)
const notifies = /listen|subscription|list-changed|notification|stream/

for (const [version, except] of versions) {
  test(`the scenarios of ${version}`, { timeout: 100_000, skip: missing }, async (t) => {
    const work = folder((end) => t.after(end))
    await publish(join(suite, 'project'), join(work, 'worker'), '--no-auth', '--allow-host', 'localhost')
    const { url } = await Workerd.start((end) => t.after(end), join(work, 'worker'))
    const checks = new Map()
    await runAll(url, version, join(work, 'results'), checks)
    const rows = expected(version)
    assert.deepEqual([...checks.keys()].sort(), rows.map((row) => row.scenario).sort())
    for (const { scenario, fails } of rows.filter((row) => !except.includes(row.scenario))) {
      const missed = checks.get(scenario).filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO').map(({ id }) => id)
      const more = missed.filter((id) => !(fails ?? []).includes(id) && !(scenario === 'server-stateless' && notifies.test(id)))
      assert.deepEqual(more, [], scenario)
    }
  })
}

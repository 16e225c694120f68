// The official conformance suite, against a project of plain files.
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { expected } from './conformance/expectations.mjs'
import { folder as suite, missing, run, runAll } from './conformance/suite.mjs'
import { folder, put } from './files.mjs'
import { Fleet } from './fleet.mjs'
import { ending, Relay, Web } from './http.mjs'
import { missing as missingNginx } from './nginx.mjs'
import { missing as missingPostgres, Postgres } from './postgres.mjs'

// changes are the changes that the suite expects from a tool of the server. The tools of this server change nothing, so the test makes
// the changes.
const changes = {
  test_trigger_prompt_change: (dir, n) => put(dir, { [`prompts/change-${n}.md`]: '---\ndescription: One more\n---\nA prompt.\n' }),
  test_trigger_tool_change: (dir, n) => put(dir, { [`docs/change-${n}.md`]: `# Change ${n}\n` }),
}

const absent = /there is no (tool|prompt|method) "|resources\/subscribe is not offered|Not testable: |Tool '\w+' not found|Expected InputRequiredResult|instead of re-requesting via|^Prerequisite failed|^not applicable on negotiated protocol/

const runs = [
  { version: '2025-06-18' }, { version: '2025-11-25' }, { version: '2026-07-28' },
  { version: '2025-11-25', replicas: 3 }, { version: '2026-07-28', replicas: 3 },
]

for (const { version, replicas } of runs) {
  const skip = missing || (replicas && (missingNginx || missingPostgres))
  describe(replicas ? `${version}, ${replicas} replicas with a store behind nginx` : version, { timeout: 100_000, skip }, () => {
    const checks = new Map() // scenario → its checks
    const later = ending()
    before(async () => {
      const results = folder(later)
      const dir = join(results, 'project')
      cpSync(join(suite, 'project'), dir, { recursive: true })
      const serve = async () => {
        if (!replicas) return (await Web.start(later, [dir])).url
        const postgres = await Postgres.start(later)
        const fleet = await Fleet.start(later, replicas, () => ({ args: [dir], env: { MCP_DOCS_STORE: postgres.url, MCP_DOCS_SESSION_KEY: '0123456789abcdef0123456789abcdef' } }))
        return fleet.url
      }
      const relay = await Relay.start(later, await serve())
      let n = 0
      relay.onRequest = ({ headers }) => changes[headers['mcp-name']]?.(dir, ++n)
      await runAll(relay.url, version, results, checks)
      const again = (scenario) => run(relay.url, version, results, checks, '--scenario', scenario)
      // This scenario waits 1.5 seconds for notifications, which may be too short on a busy machine.
      const late = () => checks.get('server-stateless')?.some(({ id, status }) => status === 'WARNING' && id.includes('list-changed'))
      for (let tries = 0; late() && tries < 3; tries++) await again('server-stateless')
      // Replicas learn of the end of a session some milliseconds later.
      const known = () => checks.get('server-session-lifecycle')?.every(({ status }) => status !== 'FAILURE')
      for (let tries = 0; replicas && version === '2025-11-25' && !known() && tries < 5; tries++) await again('server-session-lifecycle')
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

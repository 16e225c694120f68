// Runs every *.test.mjs against one build of the server and of a release: `npm test [-- options of node --test]`.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { binary } from './binary.mjs'
import { release } from './release.mjs'

// Some versions of `node --test` treat every file in a folder named test as a test.
if (!process.env.NODE_TEST_CONTEXT) {
  const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.mjs'))
  tests.sort((a, b) => (b === 'release.test.mjs') - (a === 'release.test.mjs')) // it takes the longest, so it starts first
  const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=2', ...process.argv.slice(2), ...tests], {
    cwd: import.meta.dirname,
    env: { ...process.env, MCP_DOCS_SERVER_BINARY: resolve(binary()), MCP_DOCS_SERVER_RELEASE: resolve(release()) },
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
}

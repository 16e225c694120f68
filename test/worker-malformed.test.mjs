// The Worker refuses malformed requests, and never fails. WORKER_REQUESTS is their number, WORKER_SEED the seed.
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder } from './files.mjs'
import { Malformed, send } from './worker-malformed.mjs'
import { Random } from './worker-random.mjs'
import { publish, Workerd } from './workerd.mjs'

const count = Number(process.env.WORKER_REQUESTS ?? 1000)
const seed = Number(process.env.WORKER_SEED ?? 1)

test(`malformed requests, seed ${seed}`, async (t) => {
  const work = folder((end) => t.after(end))
  await publish(join(import.meta.dirname, '../examples/acme'), join(work, 'worker'), '--no-auth')
  const worker = await Workerd.start((end) => t.after(end), join(work, 'worker'))
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const malformed = new Malformed(new Random(seed))
  const deep = (n) => ({ headers: [['Content-Type', 'application/json']], body: Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"searchAcme","arguments":{"query":${'['.repeat(n)}${']'.repeat(n)}}}}`) })
  for (const ask of [deep(100), deep(5_000), deep(1_000_000), ...Array.from({ length: count }, () => malformed.next())]) {
    const { status, text } = await send(worker.url, ask, agent)
    const name = `${JSON.stringify(ask.headers)} ${ask.body.subarray(0, 300)}: ${status} ${text}`
    assert.ok(status < 500, name)
    assert.doesNotMatch(text, /-32603/, name)
  }
  assert.equal(worker.log, '', 'nothing went wrong in the Worker')
})

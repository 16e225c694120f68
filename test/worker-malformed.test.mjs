// The Worker answers malformed requests with the same status and error code as `serve --http`. WORKER_REQUESTS is their number, WORKER_SEED the seed.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { outcome, Pair } from './worker-pair.mjs'
import { Malformed, send } from './worker-malformed.mjs'
import { Random } from './worker-random.mjs'

const work = mkdtempSync(join(tmpdir(), 'worker-malformed-'))
after(() => rmSync(work, { recursive: true, force: true }))

const count = Number(process.env.WORKER_REQUESTS ?? 400)
const seed = Number(process.env.WORKER_SEED ?? 1)
const each = 4000 // requests for one server, which allows a caller 2,000 sessions

// beginsSession reports whether a body is an initialize, which is sent without a session.
function beginsSession(body) {
  try {
    const { method, id } = JSON.parse(body)
    return method === 'initialize' && ['string', 'number'].includes(typeof id)
  } catch {
    return false
  }
}

// repeats reports whether a body has an object with several members of the same name. The server may read the first of them too.
function repeats(body) {
  let members = 0
  try {
    JSON.parse(body, function (name, value) {
      if (name !== '' && !Array.isArray(this)) members++
      return value
    })
  } catch {
    return false
  }
  return members !== (body.toString().match(/"(?:[^"\\]|\\.)+"\s*:/g) ?? []).length
}

// read returns the parts of an answer that must be equal. An id is compared in its original spelling.
function read({ status, text }) {
  const id = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^,]*)/.exec(text)?.[1]
  let body = text
  try {
    body = JSON.parse(text)
  } catch {}
  return { ...outcome({ status, body }), id }
}

for (let start = 0; start < count; start += each) {
  test(`malformed requests from ${start} on, seed ${seed}`, async (t) => {
    const pair = await Pair.start((end) => t.after(end), join(import.meta.dirname, '../examples/acme'), join(work, `worker-${start}`))
    // Only sessions of the oldest version have batches. A Worker accepts batches from clients that name no later version.
    const session = pair.session
    await pair.begin('2025-03-26')
    const agents = [1, 2].map(() => new Agent({ keepAlive: true }))
    t.after(() => agents.forEach((agent) => agent.destroy()))
    const malformed = new Malformed(new Random(seed * 1_000_003 + start))
    for (let i = start; i < Math.min(count, start + each); i++) {
      const ask = malformed.next()
      const asks = { ...ask }
      if (!beginsSession(ask.body) && !ask.headers.some(([name]) => name === 'Mcp-Session-Id')) {
        asks.headers = [...ask.headers, ['Mcp-Session-Id', ask.body.toString().trimStart()[0] === '[' ? pair.session : session]]
      }
      const [server, worker] = await Promise.all([send(pair.web.url, asks, agents[0]), send(pair.worker.url, ask, agents[1])])
      const name = `request ${i}: ${JSON.stringify(ask.headers)} ${ask.body}`
      if (repeats(ask.body)) assert.ok(worker.status < 500 && read(worker).body?.error !== -32603, name)
      else assert.deepEqual(read(worker), read(server), name)
    }
    assert.equal(pair.worker.log, '', 'nothing went wrong in the Worker')
  })
}

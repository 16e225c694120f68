// Standard input and output: the bytes on the wire, and the end of the process.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { Session } from './session.mjs'
import { awkward } from './tree.mjs'
import { canonical } from './uri.mjs'

let project
before(async () => { project = await awkward() })
after(() => project?.remove())

const limit = { timeout: 30_000 }
// atOnce is the maximum time in milliseconds in which a process must end. It is less than the 5 s that it has after its input is
// closed.
const atOnce = 4_000
const eras = [
  ...['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map((version) => ({ version, notFound: -32002, open: async (s) => assert.equal((await s.initialize(version)).protocolVersion, version) })),
  { version: '2026-07-28', notFound: -32602, stateless: true, open: async (s) => assert.ok((await s.request('server/discover')).result.supportedVersions.includes('2026-07-28')) },
]

for (const { version, notFound, stateless, open } of eras) {
  test(`answers in ${version}`, limit, async (t) => {
    const session = new Session(t, project.dir, { version: stateless && version })
    await open(session)
    for (const uri of ['config://ascii/no such', 'config://contents/crlf.tx', 'none://h/x', 'config://h/.env', 'links://h/passwd', 'config://h/../../etc/passwd', 'not a URI']) {
      const { error } = await session.request('resources/read', { uri })
      assert.equal(error?.code, notFound, uri)
      assert.equal(error.data.uri, uri)
      assert.ok(!JSON.stringify(error).includes(project.dir), uri)
    }
    for (const [method, key] of [['resources/list', 'resources'], ['resources/templates/list', 'resourceTemplates'], ['prompts/list', 'prompts'], ['tools/list', 'tools']]) {
      const { result } = await session.request(method)
      assert.ok(Array.isArray(result[key]), method)
      assert.equal((await session.request(method, { cursor: 'made up' })).error?.code, -32602, method)
    }
    assert.equal((await session.request('no/such/method')).error?.code, -32601)
    assert.equal((await session.request('prompts/get', { name: 'none' })).error?.code, -32602)
    await Promise.all([...project.files.keys()].map(async (path) => {
      const { result } = await session.request('resources/read', { uri: canonical(path) })
      assert.equal(result?.contents[0].uri, canonical(path))
    }))
    await session.end()
  })
}

for (const { version, stateless, open } of eras) {
  test(`has the fields of ${version} and no later ones`, limit, async (t) => {
    const session = new Session(t, project.dir, { version: stateless && version })
    await open(session)
    const wrong = []
    for (const method of ['resources/list', 'resources/templates/list', 'prompts/list', 'tools/list', 'resources/read']) {
      const { result } = await session.request(method, method.endsWith('read') ? { uri: 'config://contents/crlf.txt' } : {})
      const fields = Object.keys(result).filter((key) => ['resultType', 'ttlMs', 'cacheScope'].includes(key)).sort()
      if (fields.join() !== (stateless ? 'cacheScope,resultType,ttlMs' : '')) wrong.push(`${method} has ${fields.join(', ') || 'none'}`)
    }
    assert.deepEqual(wrong, [])
    await session.end()
  })
}

test('continues after lines that are not requests', limit, async (t) => {
  const session = new Session(t, project.dir)
  await session.initialize()
  for (const line of ['', '{', 'text', '[]', 'null', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":7,"method":7}', '\ufeff', '{"jsonrpc":"2.0","method":"notifications/unknown"}', '{"jsonrpc":"2.0","id":99,"result":{}}']) session.write(line)
  assert.deepEqual((await session.request('ping')).result, {})
  await session.end()
})

test('ends when its input does, before any request', limit, async (t) => {
  await new Session(t, project.dir).end()
})

test('answers what is pending when its input ends', limit, async (t) => {
  const session = new Session(t, project.dir)
  await session.initialize()
  const answers = Array.from({ length: 100 }, (_, i) => session.request('resources/read', { uri: `config://contents/${i % 2 ? 'long.md' : 'no such'}` }))
  await session.end()
  const results = await Promise.all(answers)
  assert.equal(results.filter((answer) => answer.result).length, 50)
})

for (const signal of ['SIGTERM', 'SIGINT']) {
  test(`ends at once on ${signal}`, { ...limit, skip: process.platform === 'win32' }, async (t) => {
    const session = new Session(t, project.dir)
    await session.initialize()
    const time = await session.kill(signal)
    assert.ok(time < atOnce, `${time} ms`)
    session.assertOnlyMessages()
  })
}

test('ends at once on SIGTERM before any request', { ...limit, skip: process.platform === 'win32' }, async (t) => {
  const session = new Session(t, project.dir)
  await session.loaded
  const time = await session.kill('SIGTERM')
  assert.ok(time < atOnce, `${time} ms`)
})

test('ends at once on SIGTERM while nobody reads its output', { ...limit, skip: process.platform === 'win32' }, async (t) => {
  const session = new Session(t, project.dir, { version: '2026-07-28', reading: false })
  for (let i = 0; i < 50; i++) session.request('resources/read', { uri: 'config://contents/long-line.txt' }).catch(() => {})
  await once(session.process.stdout, 'readable') // the first answers have filled the pipe or are about to
  const time = await session.kill('SIGTERM')
  assert.ok(time < atOnce, `${time} ms`)
  session.process.stdout.destroy()
})

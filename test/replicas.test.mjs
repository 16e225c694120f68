// Three replicas of a server behind a proxy that passes each request to the next of them.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { clients, list } from './clients.mjs'
import { ending, freePort, headers, hello, Web } from './http.mjs'
import { listChanged, Live, until } from './live.mjs'
import { missing, Proxy } from './nginx.mjs'
import { missing as missingPostgres, Postgres } from './postgres.mjs'

const key = { MCP_DOCS_SESSION_KEY: '0123456789abcdef0123456789abcdef' }
const initialize = hello('2025-11-25')
const ask = (at, body, session, method = 'POST') => fetch(at, { method, ...(body && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }) }), headers: { ...headers, ...(session && { 'Mcp-Session-Id': session }) } })

for (const stored of [false, true]) describe(`replicas behind a proxy, ${stored ? 'with' : 'without'} a store`, { timeout: 100_000, skip: missing || (stored && missingPostgres) }, () => {
  let project, nginx, url, ports, replicas
  const env = { ...key }
  const later = ending()
  const replica = (port, variables = env) => Web.start(later, ['--public-url', url.origin, '--trusted-proxy', '127.0.0.1', project.dir], { http: `127.0.0.1:${port}`, env: variables })
  before(async () => {
    project = new Live({ 'notes/h/a.md': 'a' })
    later(() => project.remove())
    for (let i = 0; i < 500; i++) project.put(`pages/h/${i % 10}/${i}.md`, `page ${i}`) // more than one page of a list
    if (stored) env.MCP_DOCS_STORE = (await Postgres.start(later)).url.replace('postgres@', 'postgres:password-of-the-store@')
    const port = await freePort()
    url = new URL(`http://127.0.0.1:${port}/mcp`)
    ports = [await freePort(), await freePort(), await freePort()]
    replicas = await Promise.all(ports.map((p) => replica(p)))
    nginx = await Proxy.start(later, port, ports, 'proxy_next_upstream error timeout non_idempotent;')
  })

  test('the start says what replicas do not have, and no secrets', () => {
    const lines = replicas.flatMap(({ log }) => log).join('\n')
    assert.equal(lines.includes('resources/subscribe is not offered'), !stored, lines)
    for (const secret of [key.MCP_DOCS_SESSION_KEY, 'password-of-the-store']) assert.ok(!lines.includes(secret), lines)
  })

  for (const kind of clients) {
    test(`${kind.name}: every replica answers, and changes arrive`, async (t) => {
      const client = kind.create()
      let heard = 0
      kind.on(client, listChanged, () => heard++)
      await client.connect(new kind.HTTP(url))
      t.after(() => client.close())
      if (kind.stateless) await client.listen({ resourcesListChanged: true })
      else assert.equal(client.getServerCapabilities().resources.subscribe ?? false, false)
      const begun = nginx.passed().length
      await until(async () => (await list(client, 'listResources', 'resources')).length === project.now().size) // a replica may be late
      for (let i = 0; i < 12; i++) assert.equal((await client.readResource({ uri: 'notes://h/a.md' })).contents[0].text, 'a')
      assert.equal(new Set(nginx.passed().slice(begun).map(({ server }) => server)).size, ports.length)
      const before = heard
      project.put(`notes/h/${kind.name}.md`, 'new')
      await until(() => heard > before, () => `heard ${heard}`)
    })
  }

  test('the end of a session', { skip: !stored && 'needs a store' }, async () => {
    const session = (await ask(url, initialize)).headers.get('mcp-session-id')
    for (let i = 0; i < 3; i++) assert.equal((await ask(url, { method: 'ping' }, session)).status, 200)
    assert.ok((await ask(url, undefined, session, 'DELETE')).ok)
    for (let known = 0; known < 3;) known = (await ask(url, { method: 'ping' }, session)).status === 404 ? known + 1 : 0 // within milliseconds
  })

  // A replica without the key does not know the sessions of the others, and says so by the status for which clients begin again.
  test('the sessions of a replica without the key are its own', async () => {
    const port = await freePort()
    await replica(port, {})
    const alone = new URL(`http://127.0.0.1:${port}/mcp`)
    const sealed = (await ask(url, initialize)).headers.get('mcp-session-id')
    assert.match(sealed, /^[\w-]{1,512}$/)
    for (let i = 0; i < 3; i++) assert.equal((await ask(url, { method: 'ping' }, sealed)).status, 200)
    assert.equal((await ask(alone, { method: 'ping' }, sealed)).status, 404)
    assert.equal((await ask(url, { method: 'ping' }, (await ask(alone, initialize)).headers.get('mcp-session-id'))).status, 404)
  })

  for (const kind of clients) {
    test(`${kind.name}: replicas are killed, and begin again`, async (t) => {
      const client = kind.create()
      await client.connect(new kind.HTTP(url))
      t.after(() => client.close())
      for (const i of ports.keys()) {
        replicas[i].process.kill('SIGKILL')
        await replicas[i].ended
        for (let n = 0; n < 6; n++) assert.equal((await client.readResource({ uri: 'notes://h/a.md' })).contents[0].text, 'a')
        replicas[i] = await replica(ports[i])
        for (let n = 0; n < 6; n++) assert.equal((await client.readResource({ uri: 'notes://h/a.md' })).contents[0].text, 'a')
      }
    })
  }
})

// Compares the Worker that `publish --target cloudflare` writes, in workerd, with `serve --http` of the same project. WORKER_REQUESTS is
// the number of random requests.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { binary } from './binary.mjs'
import { clients } from './clients.mjs'
import { folder } from './files.mjs'
import { ending, headers, hello, request } from './http.mjs'
import { until } from './live.mjs'
import { comparable, Pair } from './worker-pair.mjs'
import { project, Random, Requests } from './worker-random.mjs'
import { publish, settings, Workerd } from './workerd.mjs'

const root = resolve(import.meta.dirname, '..')
const work = folder(after)

// stateless returns the body of a request of 2026-07-28, and the headers that only such requests have, without Mcp-Name.
const stateless = (method, params) => ({ body: request(method, params).body, headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method } })

// Each test has its own seed, and a tenth of the requests.
const requests = Number(process.env.WORKER_REQUESTS ?? 150)
const projects = Math.max(2, Math.round(requests / 250))

describe('the same answers', () => {
  for (let seed = 1; seed <= projects; seed++) {
    test(`to random requests, seed ${seed}`, async (t) => {
      const r = new Random(seed)
      const dir = join(work, `project-${seed}`)
      project(r, dir)
      const pair = await Pair.start((end) => t.after(end), dir, join(work, `worker-${seed}`))
      const ask = async (method, params) => (await pair.ask(method, params)).server.body.result
      const random = new Requests(r, ask)
      await random.learn()
      const batch = []
      for (let i = 0; i < Math.ceil(requests / projects); i++) {
        const [method, params] = random.next()
        const era = r.chance(50) ? 'stateless' : 'handshake'
        const { server, worker } = await pair.ask(method, params, era)
        assert.deepEqual(comparable(worker), comparable(server), `seed ${seed}, ${era}: ${method} ${JSON.stringify(params)}`)
        if (batch.length < 20) batch.push({ jsonrpc: '2.0', id: i, method, params })
      }
      assert.equal(pair.worker.log, '', 'nothing went wrong in the Worker')
      await pair.begin('2025-03-26')
      const { server, worker } = await pair.raw(JSON.stringify(batch))
      assert.deepEqual(comparable(worker), comparable(server), 'a batch')
    })
  }

  test('to tools that read resources that are too large for an answer', async (t) => {
    const dir = join(work, 'large')
    cpSync(join(root, 'examples/acme'), dir, { recursive: true })
    const config = JSON.parse(readFileSync(join(dir, 'mcp-docs-server.json'), 'utf8'))
    writeFileSync(join(dir, 'mcp-docs-server.json'), JSON.stringify({ ...config, index: true, tools: { connector: true }, limits: { maxFrameBytes: 1024 } }))
    writeFileSync(join(dir, 'docs/long.md'), `# Long\n\n${'word '.repeat(400)}\n`)
    const pair = await Pair.start((end) => t.after(end), dir, join(work, 'large-worker'))
    const index = ['capability-index://full', 'capability-index://summary', 'capability-index://elements/document', 'CAPABILITY-INDEX://elements/resource/', 'capability-index://elements/x']
    for (const uri of [...index, 'docs://Acme/long.md', 'config://schemas/app.json']) {
      for (const [method, params] of [
        ['resources/read', { uri }], ['tools/call', { name: 'fetch', arguments: { id: uri } }], ['tools/call', { name: 'fetch', arguments: { id: `${uri}#L2` } }], ['tools/call', { name: 'read_resource', arguments: { uri } }], ['tools/call', { name: 'read_resource', arguments: { uri, limit: 2 } }],
      ]) {
        const { server, worker } = await pair.ask(method, params)
        assert.deepEqual(comparable(worker), comparable(server), `${method} ${JSON.stringify(params)}`)
      }
    }
    assert.equal(pair.worker.log, '')
  })

  test('to messages that are not requests', async (t) => {
    const pair = await Pair.start((end) => t.after(end), join(root, 'examples/acme'), join(work, 'acme'))
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const version = { 'MCP-Protocol-Version': '2025-11-25' }
    const call = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const limited = (limit) => call('tools/call', { name: 'list_resources', arguments: { limit: 0 } }).replace('"limit":0', `"limit":${limit}`)
    const list = stateless('resources/list')
    const read = stateless('resources/read', { uri: 'config://schemas/app.json' })
    for (const [body, headers = version, era = 'handshake'] of [
      ['{'], [''], [' '], ['5'], ['"x"'], ['[]'], ['\xff\xfe'], ['{}'], ['{"jsonrpc":"2.0"}'], ['{"jsonrpc":"1.0","id":1,"method":"ping"}'],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}'], ['{"jsonrpc":"2.0","id":{},"method":"ping"}'],
      ['{"jsonrpc":"2.0","id":12345678901234567,"method":"ping"}'], ['{"jsonrpc":"2.0","id":1e2,"method":"ping"}'], ['{"jsonrpc":"2.0","id":"\\u00e9\\ud800","method":"ping"}'],
      ['{"jsonrpc":"2.0","id":1,"method":5}'], ['{"jsonrpc":"2.0","id":1,"result":{}}'], ['{"jsonrpc":"2.0","method":"notifications/initialized"}'],
      ['{"jsonrpc":"2.0","id":1,"method":"constructor"}'], ['{"jsonrpc":"2.0","id":1,"method":"resources/read","params":[]}'],
      ['{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"__proto__":{"cursor":"x"}}}'],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call"}'], [call('completion/complete', { ref: { type: 'ref/resource', uri: 'x', name: 'y' }, argument: { name: 'a', value: '' } })],
      ...['http:///x', 'docs:///Acme/index.md', 'docs://Acme//index.md', 'docs://Acme//', 'docs:///Acme'].flatMap((uri) => ['resources/read', 'resources/directory/read'].map((method) => [call(method, { uri })])),
      ...['1.0', '1.5', '1e999', '3'].map((n) => [limited(n)]), ...['{"toString":1}', '[1]'].flatMap((wrong) => [[limited(wrong)], [limited(`1,"glob":${wrong}`)]]), [limited('2,"LIMIT":1.0')],
      [JSON.stringify([ping])], [JSON.stringify(ping), { 'MCP-Protocol-Version': '2020-01-01' }], [JSON.stringify(ping), { 'MCP-Protocol-Version': '2024-11-05' }],
      [JSON.stringify(ping), { ...version, Accept: 'application/json' }], [JSON.stringify(ping), { ...version, 'Content-Type': 'text/plain' }],
      [JSON.stringify(ping), { ...version, 'Content-Type': 'application/json; charset=latin1' }], [JSON.stringify(ping), { ...version, 'Content-Encoding': 'gzip' }],
      [list.body, list.headers, 'stateless'], [list.body, {}, 'stateless'], [list.body, { 'MCP-Protocol-Version': '2026-07-28' }, 'stateless'], [list.body, { ...list.headers, 'Mcp-Method': 'tools/list' }, 'stateless'],
      [list.body, { ...list.headers, 'MCP-Protocol-Version': '2027-01-01' }, 'stateless'], [list.body.replace('2026-07-28', '2027-01-01'), { ...list.headers, 'MCP-Protocol-Version': '2027-01-01' }, 'stateless'],
      [list.body.replace('clientCapabilities":{}', 'clientCapabilities":5'), list.headers, 'stateless'], [list.body.replace('_meta', 'meta'), list.headers, 'stateless'],
      [read.body, read.headers, 'stateless'], [read.body, { ...read.headers, 'Mcp-Name': 'config://schemas/app.json' }, 'stateless'], [read.body, { ...read.headers, 'Mcp-Name': 'other' }, 'stateless'],
      [read.body, { ...read.headers, 'Mcp-Name': '=?base64?Y29uZmlnOi8vc2NoZW1hcy9hcHAuanNvbg==?=' }, 'stateless'], [read.body, { ...read.headers, 'Mcp-Name': '=?base64?!?=' }, 'stateless'],
      [call('resources/list', { cursor: `${Buffer.from('rconfig://images/logo.png\x08\x83\x1f\x5c', 'latin1').toString('base64url')}\n` })],
    ]) {
      const { server, worker } = await pair.raw(Buffer.from(body, body.startsWith('\xff') ? 'latin1' : 'utf8'), headers, era)
      assert.deepEqual(comparable(worker), comparable(server), `${body} ${JSON.stringify(headers)}`)
    }
    for (const protocolVersion of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2026-07-28', '2030-01-01', '1', undefined]) {
      pair.session = '' // initialize begins one
      const { server, worker } = await pair.raw(JSON.stringify(hello(protocolVersion)))
      assert.deepEqual(comparable(worker), comparable(server), `initialize with ${protocolVersion}`)
    }
    for (const id of ['9007199254740993', '-9007199254740993', '"a"']) {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"ping"}`
      const answer = await fetch(pair.worker.url, { method: 'POST', body, headers: { ...version, 'Content-Type': 'application/json', Accept: '*/*' } })
      assert.equal(await answer.text(), `{"jsonrpc":"2.0","id":${id},"result":{}}`, 'an id is returned unchanged')
    }
    for (const wrong of [{ protocolVersion: {} }, { capabilities: 5 }, { clientInfo: 5 }, { clientInfo: { name: 5 } }]) {
      const { server } = await pair.raw(call('initialize', { ...hello('2025-11-25').params, ...wrong }))
      assert.doesNotMatch(JSON.stringify(server), /unmarshal|mcp\./, 'no names of types')
    }
    const other = stateless('resources/read', { uri: '\ufffd' })
    const mangled = await pair.raw(other.body, { ...other.headers, 'Mcp-Name': `=?base64?${Buffer.from([0xff]).toString('base64')}?=` }, 'stateless')
    for (const { status, body } of Object.values(mangled)) assert.deepEqual([status, body.error.code], [400, -32020], 'a name that is not UTF-8')
    await pair.begin('2025-03-26')
    const { server, worker } = await pair.raw(`[${limited('1')},{"jsonrpc":"2.0","id":12345678901234567,"method":"ping"},${limited('2.0')},[{"id":1.0}]]`)
    assert.deepEqual(comparable(worker), comparable(server), 'a batch')
    assert.equal(pair.worker.log, '')
  })
})

describe('a Worker', () => {
  const output = join(work, 'repository')
  const later = ending()
  let worker

  before(async () => {
    await publish(root, output, '--no-auth')
    worker = await Workerd.start(later, output)
  })

  for (const kind of clients) {
    test(`serves the official client ${kind.name}`, async () => {
      const client = kind.create()
      await client.connect(new kind.HTTP(worker.url))
      const { resources } = await client.listResources()
      for (const { uri } of resources) assert.equal((await client.readResource({ uri })).contents[0].uri, uri)
      const { tools } = await client.listTools()
      const answer = await client.callTool({ name: tools[0].name, arguments: { query: 'capability index' } })
      assert.match(answer.content[0].text, /capability-index\.md/)
      await assert.rejects(client.readResource({ uri: 'config://schemas/nothing' }), /not found/)
      await client.close()
    })
  }

  test('does not give direct access to assets', async () => {
    const { vars } = settings(output)
    for (const path of [`/${vars.MANIFEST}`, `/assets/${vars.MANIFEST}`, `/mcp/../${vars.MANIFEST}`, '/worker.js', '/wrangler.jsonc', '/']) {
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(new URL(path, worker.url), { method })
        assert.equal(answer.status, 404, path)
        assert.match(await answer.text(), /there is nothing at this path/)
      }
    }
    assert.equal(settings(output).assets.run_worker_first, true)
  })

  test('has no streams, no sessions and no notifications', async () => {
    for (const method of ['subscriptions/listen', 'resources/subscribe', 'resources/unsubscribe']) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { uri: 'config://schemas/x' } })
      const answer = await (await fetch(worker.url, { method: 'POST', body, headers })).json()
      assert.deepEqual([answer.error.code, answer.error.message], [-32601, `${method}: the files of this server do not change, so it notifies nobody`])
    }
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await fetch(worker.url, { method, headers: { Accept: 'text/event-stream' } })
      assert.equal(answer.status, 405)
      assert.equal(answer.headers.get('Allow'), 'POST')
    }
  })

  test('refuses a body that is too large', async () => {
    const body = ' '.repeat((16 << 20) + 1)
    const answer = await fetch(worker.url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }).catch(() => undefined)
    if (answer) assert.equal(answer.status, 413) // otherwise the connection was closed while the body was sent
  })

  test('answers many requests at a time without mixing them', async () => {
    const uris = ['docs', 'config', 'nothing'].flatMap((scheme) => Array.from({ length: 40 }, (_, i) => `${scheme}://${i}`))
    const answers = await Promise.all(uris.map(async (uri, id) => (await fetch(worker.url, request('resources/read', { uri }, id))).json()))
    answers.forEach((answer, id) => assert.deepEqual([answer.id, answer.error.data.uri], [id, uris[id]]))
  })
})

describe('access to a Worker', () => {
  const output = join(work, 'closed')
  const token = 'a-token-of-some-length'
  const ask = (url, more) => {
    const options = request('resources/list')
    return fetch(url, { ...options, headers: { ...options.headers, ...more } })
  }

  before(() => publish(join(root, 'examples/acme'), output, '--allow-host', 'docs.example.com', '--allow-origin', 'https://app.example.com'))

  test('clients with the token', async (t) => {
    const { url } = await Workerd.start((end) => t.after(end), output, { secrets: { MCP_DOCS_TOKEN: `another-token-of-some-length ${token}` } })
    for (const [header, status, error] of [
      [undefined, 401], ['Basic abc', 401], ['Bearer', 401], ['Bearer ', 401], [`Bearer ${token}x`, 401, 'invalid_token'], [`Bearer ${token.slice(1)}`, 401, 'invalid_token'], [`Bearer x y`, 400, 'invalid_request'],
      [`Bearer ${token}`, 200], [`bearer  ${token} `, 200], ['Bearer another-token-of-some-length', 200],
    ]) {
      const answer = await ask(url, header === undefined ? {} : { Authorization: header })
      assert.equal(answer.status, status, header)
      const challenge = answer.headers.get('WWW-Authenticate') ?? ''
      if (status !== 200) assert.match(challenge, error ? new RegExp(`^Bearer realm="mcp-docs-server", error="${error}"`) : /^Bearer realm="mcp-docs-server"$/)
      assert.ok(!(await answer.text()).includes(token))
    }
    assert.equal((await ask(new URL(`?access_token=${token}`, url))).status, 401)
    assert.equal((await fetch(new URL('/health', url))).status, 200)
  })

  test('nobody until a token is set', async (t) => {
    for (const secrets of [{}, { MCP_DOCS_TOKEN: '' }, { MCP_DOCS_TOKEN: 'short' }]) {
      const { url } = await Workerd.start((end) => t.after(end), output, { secrets })
      assert.equal((await ask(url, { Authorization: `Bearer ${secrets.MCP_DOCS_TOKEN ?? 'x'}` })).status, 503)
    }
  })

  test('hosts and origins', async (t) => {
    const worker = await Workerd.start((end) => t.after(end), output, { variables: { ACCESS: 'open' } })
    for (const [host, status] of [['docs.example.com', 200], ['DOCS.example.com.', 200], ['docs.example.com:8443', 200], ['localhost', 200], ['127.0.0.1', 200], ['evil.example', 403], ['docs.example.com.evil.example', 403]]) {
      const { port } = worker.url
      const out = execFileSync(process.execPath, ['-e', `require('http').get({port:${port},path:'/mcp',agent:false,headers:{Host:${JSON.stringify(host)}}},r=>{console.log(r.statusCode);r.destroy()})`])
      assert.equal(Number(out) === 403 ? 403 : 200, status, host)
    }
    for (const [origin, status] of [['https://app.example.com', 200], ['HTTPS://APP.example.com:443', 200], ['http://app.example.com', 403], ['null', 403], ['https://evil.example', 403], [worker.url.origin, 200]]) {
      const answer = await ask(worker.url, { Origin: origin })
      assert.equal(answer.status, status, origin)
      assert.equal(answer.headers.get('Access-Control-Allow-Origin'), status === 200 ? origin : null)
    }
    const preflight = await fetch(worker.url, { method: 'OPTIONS', headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' } })
    assert.equal(preflight.status, 204)
    const { port } = worker.url
    const strange = execFileSync(process.execPath, ['-e', `require('http').get({port:${port},path:'/mcp',agent:false,headers:{Host:'a, b'}},r=>{console.log(r.statusCode);r.destroy()})`])
    assert.equal(Number(strange), 400, 'a host that no URL has')
  })

  test('internal errors are not shown', async (t) => {
    const broken = join(work, 'broken')
    cpSync(output, broken, { recursive: true })
    for (const name of readdirSync(join(broken, 'assets/b'))) {
      if (!settings(broken).vars.MANIFEST.endsWith(name)) rmSync(join(broken, 'assets/b', name))
    }
    const worker = await Workerd.start((end) => t.after(end), broken, { variables: { ACCESS: 'open' } })
    assert.match(await (await ask(worker.url)).text(), /"code":-32603,"message":"internal error: see the log of the server"/)
    await until(() => /asset b\/[0-9a-f]{64} is missing/.test(worker.log), () => worker.log) // its output may come after the answer
  })
})

test('the sources have no type errors', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'test/node_modules/typescript/bin/tsc'), '-p', join(root, 'internal/publish/worker/src')], { encoding: 'utf8' })
  assert.equal(status, 0, stdout)
})

test('the same project gives the same Worker, and a change of the project changes few files', async () => {
  const dir = join(work, 'twice')
  const config = project(new Random(7), dir)
  writeFileSync(join(dir, 'mcp-docs-server.json'), JSON.stringify({ ...config, limits: { ...config.limits, pageSize: 1000 } }))
  const files = (output) => readdirSync(output, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).map((e) => join(e.parentPath ?? e.path, e.name).slice(output.length)).sort()
  const [first, second] = [join(work, 'first'), join(work, 'second')]
  await publish(dir, first)
  await publish(dir, second)
  assert.deepEqual(files(first), files(second))
  for (const file of files(first)) assert.ok(readFileSync(first + file).equals(readFileSync(second + file)), file)
  writeFileSync(join(dir, 'resources/config/new.txt'), 'new')
  await publish(dir, second) // the new Worker replaces the old one
  const added = files(second).filter((file) => !files(first).includes(file))
  assert.ok(added.length > 0 && added.length <= 20, `${added.length} assets`)
  writeFileSync(join(second, 'mine.txt'), '')
  assert.throws(() => execFileSync(binary(), ['publish', '--target', 'cloudflare', '--with-errors', '--output', second, dir], { stdio: 'pipe' }), /mine\.txt is not a file of the Worker/)
})

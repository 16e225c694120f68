// Replicas behind HAProxy, with the configuration of docs/serve/replicas.md.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, Web } from './http.mjs'
import { Live, until } from './live.mjs'

const missing = spawnSync('haproxy', ['-v']).status !== 0 && 'haproxy is not installed'
const page = readFileSync(new URL('../docs/serve/replicas.md', import.meta.url), 'utf8')

test('a paused replica and a killed one cost no request', { timeout: 100_000, skip: missing }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'mds-haproxy-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const project = new Live({ 'notes/h/a.md': 'a' })
  t.after(() => project.remove())
  const url = new URL(`http://127.0.0.1:${await freePort()}/mcp`)
  const ports = [await freePort(), await freePort(), await freePort()]
  const replicas = await Promise.all(ports.map((port) => Web.start((end) => t.after(end), ['--public-url', url.origin, '--trusted-proxy', '127.0.0.1', project.dir],
    { http: `127.0.0.1:${port}`, env: { MCP_DOCS_SESSION_KEY: '0123456789abcdef0123456789abcdef' } })))
  t.after(() => replicas[0].process.kill('SIGCONT'))
  const config = page.match(/```haproxy\n([^`]*)```/)[1].replace('bind :80', `bind ${url.host}`).replace(/10\.0\.0\.(\d):3060/g, (_, n) => `127.0.0.1:${ports[n - 1]}`)
  writeFileSync(join(dir, 'haproxy.cfg'), config)
  const proxy = spawn('haproxy', ['-db', '-f', join(dir, 'haproxy.cfg')], { stdio: 'ignore' })
  t.after(() => proxy.kill())
  const post = async (body, session) => {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }), headers: {
      'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...(session && { 'Mcp-Session-Id': session }) } })
    return { status: answer.status, session: answer.headers.get('mcp-session-id'), text: await answer.text() }
  }
  await until(() => fetch(new URL('/health', url)).then((answer) => answer.ok, () => false))
  const { session } = await post({ method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } })
  for (const [n, signal] of ['SIGSTOP', 'SIGKILL'].entries()) {
    replicas[n].process.kill(signal)
    const answers = await Promise.all(Array.from({ length: 30 }, () => post({ method: 'ping' }, session)))
    assert.deepEqual(answers.filter(({ status }) => status !== 200), [], signal)
  }
})

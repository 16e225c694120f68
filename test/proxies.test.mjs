// Replicas behind nginx and HAProxy, with the configurations in the folder packaging.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder } from './files.mjs'
import { ask } from './fleet.mjs'
import { freePort, headers, hello, Web } from './http.mjs'
import { Live, until } from './live.mjs'
import { missing as missingNginx, Proxy } from './nginx.mjs'

const missingHAProxy = spawnSync('haproxy', ['-v']).status !== 0 && 'haproxy is not installed'

// configuration returns a configuration for these ports.
const configuration = (file, port, ports) => readFileSync(new URL(`../packaging/${file}`, import.meta.url), 'utf8')
  .replace('listen 80', `listen 127.0.0.1:${port}`).replace('bind :80', `bind 127.0.0.1:${port}`).replace(/10\.0\.0\.(\d):3060/g, (_, n) => `127.0.0.1:${ports[n - 1]}`)

const proxies = [
  ['nginx', missingNginx, (t, port, ports) => Proxy.run((end) => t.after(end), port, configuration('nginx-replicas.conf', port, ports))],
  ['HAProxy', missingHAProxy, async (t, port, ports) => {
    const dir = folder((end) => t.after(end), { 'haproxy.cfg': configuration('haproxy-replicas.cfg', port, ports) })
    const proxy = spawn('haproxy', ['-db', '-f', join(dir, 'haproxy.cfg')], { stdio: 'ignore' })
    t.after(() => proxy.kill())
  }],
]

// replicas starts three replicas of a project behind a proxy. restart starts one again.
async function replicated(t, start) {
  const project = new Live({ 'notes/h/a.md': 'a' })
  t.after(() => project.remove())
  const url = new URL(`http://127.0.0.1:${await freePort()}/mcp`)
  const ports = [await freePort(), await freePort(), await freePort()]
  const restart = (n) => Web.start((end) => t.after(end), ['--public-url', url.origin, '--trusted-proxy', '127.0.0.1', project.dir],
    { http: `127.0.0.1:${ports[n]}`, env: { MCP_DOCS_SESSION_KEY: '0123456789abcdef0123456789abcdef' } })
  const replicas = await Promise.all(ports.map((_, n) => restart(n)))
  await start(t, url.port, ports)
  await until(() => fetch(new URL('/health', url)).then((answer) => answer.ok, () => false))
  return { url, replicas, restart }
}

for (const [name, missing, start] of proxies) {
  test(`three replicas that restart one after the other lose no request behind ${name}`, { timeout: 100_000, skip: missing }, async (t) => {
    const { url, replicas, restart } = await replicated(t, start)
    let [ended, asked] = [false, 0]
    const callers = Array.from({ length: 6 }, async () => {
      while (!ended) {
        await ask(url, 'resources/read', { uri: 'notes://h/a.md' }) // an error is an exception
        asked++
        await sleep(5)
      }
    })
    const all = Promise.all(callers)
    for (const [n, replica] of replicas.entries()) {
      await Promise.race([replica.stop(), all])
      const again = await restart(n)
      await until(() => fetch(new URL('/ready', again.url)).then((answer) => answer.ok, () => false))
    }
    ended = true
    await all
    t.diagnostic(`${asked} requests`)
  })

  test(`a paused replica and a killed one cost no request behind ${name}`, { timeout: 100_000, skip: missing }, async (t) => {
    const { url, replicas } = await replicated(t, start)
    t.after(() => replicas[0].process.kill('SIGCONT'))
    assert.equal((await fetch(url, { method: 'POST', headers, body: JSON.stringify(hello('2025-11-25')) })).status, 200)
    for (const [n, signal] of ['SIGSTOP', 'SIGKILL'].entries()) {
      replicas[n].process.kill(signal)
      const began = performance.now()
      await Promise.all(Array.from({ length: 30 }, () => ask(url, 'resources/list', {}))) // an error is an exception
      t.diagnostic(`${signal}: ${Math.round(performance.now() - began)} ms`)
    }
  })
}

// `cloudflare dev`, with the real workerd from npm, until Ctrl-C.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { binary } from './binary.mjs'

// running returns the command lines of the processes whose command line contains a word.
const running = (word) => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).map((pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // it has ended
  }
}).filter((line) => line.includes(word))

test('cloudflare dev', { timeout: 100_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloudflare-'))
  const project = resolve(import.meta.dirname, '../examples/acme')
  const dev = spawn(binary(), ['cloudflare', 'dev', '--port', '0', project], {
    env: { ...process.env, TMPDIR: folder, TEMP: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  after(() => {
    dev.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  let errors = ''
  dev.stderr.on('data', (chunk) => (errors += chunk))
  const exit = once(dev, 'exit')
  const line = await Promise.race([once(createInterface({ input: dev.stdout }), 'line').then(([text]) => text), exit.then(() => undefined)])
  assert.match(line ?? errors, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/)

  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(line)))
  const { tools } = await client.listTools()
  const { content } = await client.callTool({ name: tools[0].name, arguments: { query: 'setup' } })
  assert.match(content[0].text, /guides\/setup\.md/)
  await client.close()

  dev.kill('SIGINT')
  assert.deepEqual(await exit, [0, null], errors)
  await assert.rejects(fetch(line))
  assert.deepEqual(readdirSync(folder), [])
  if (existsSync('/proc')) assert.deepEqual(running(folder), [])
})

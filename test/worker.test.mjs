// The Worker that `publish --target cloudflare` writes, in workerd, beside `serve --http` of the same project.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { publish, Workerd } from './workerd.mjs'

const root = resolve(import.meta.dirname, '..')

describe('a project as a Worker', () => {
  const work = mkdtempSync(join(tmpdir(), 'worker-'))
  const output = join(work, 'out')
  const ends = []
  let worker

  before(async () => {
    await publish(root, output, '--no-auth')
    worker = await Workerd.start((end) => ends.push(end), output)
  })
  after(() => {
    for (const end of ends) end()
    rmSync(work, { recursive: true, force: true })
  })

  test('official client', async () => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(worker.url))
    const { resources } = await client.listResources()
    assert.ok(resources.length > 0)
    const { tools } = await client.listTools()
    assert.ok(tools.length > 0)
    await client.close()
  })
})

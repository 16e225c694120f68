// Desktop bundles, container images and server.json, checked with the tools that read them: mcpb, and Docker or Podman.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { binary } from './binary.mjs'
import { assertContent } from './content.mjs'
import { folder, put } from './files.mjs'

const run = (file, args, options) => execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options })
const root = resolve(import.meta.dirname, '..')
const works = (tool, args) => { try { return Boolean(run(tool, args)) } catch { return false } }
const has = (tool) => works(tool, ['--version'])

const files = {
  'mcp-docs-server.json': '{"name": "Bell Tower", "package": "@bell/tower", "version": "1.2.3", "docs": "docs"}',
  'package.json': '{"description": "All about bells", "author": "Bell & Sons", "license": "MIT", "mcpName": "io.github.bell/tower", "repository": "github:bell/tower"}',
  'docs/index.md': '# Index\n\nStart here.\n',
  'prompts/review.md': '---\nargs:\n  file: {description: which}\n---\nReview it.\n\n[it](bells://h/{{file}})\n',
  'resources/bells/h/one.txt': 'one\n',
  'resources/bells/h/empty.txt': '',
  'resources/bells/h/é 100%.txt': 'é',
  'resources/bells/h/bell.png': '\x89PNG\r\n\x1a\n\0\xff',
}
const odd = { name: 'resources/bells/h/' + 'long '.repeat(40) + 'a:b?.txt', content: 'no name for Windows' }

describe('publish', () => {
  const dir = folder(after)
  const out = (name) => join(dir, name)
  const project = out('project')
  put(project, files, 'latin1')
  const publish = (target, output, ...args) => run(binary(), ['publish', project, '--target', target, '--output', out(output), ...args])
  const sha256 = (name) => createHash('sha256').update(readFileSync(out(name))).digest('hex')

  // serves starts a server and compares all its resources with the files.
  async function serves(command, args) {
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }))
    try {
      const wanted = Object.entries(files).filter(([name]) => name.startsWith('resources/'))
      const { resources } = await client.listResources()
      assert.equal(resources.length, wanted.length)
      for (const [name, content] of wanted) {
        const uri = 'bells://h/' + encodeURIComponent(name.slice('resources/bells/h/'.length))
        assertContent((await client.readResource({ uri })).contents[0], name, Buffer.from(content, 'latin1'))
      }
      assert.match((await client.callTool({ name: 'searchBellTower', arguments: { paths: ['docs/index'] } })).content[0].text, /Start here/)
    } finally {
      await client.close()
    }
  }

  test('a desktop bundle, for mcpb', async () => {
    const mcpb = (...args) => run(process.execPath, [join(import.meta.dirname, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js'), ...args])
    publish('mcpb', 'one.mcpb')
    utimesSync(join(project, 'docs/index.md'), 1, 1)
    publish('mcpb', 'two.mcpb')
    assert.equal(sha256('one.mcpb'), sha256('two.mcpb'))

    mcpb('unpack', out('one.mcpb'), out('unpacked'))
    assert.match(mcpb('validate', out('unpacked/manifest.json')), /validation passes/)
    assert.match(mcpb('info', out('one.mcpb')), /Size: /)
    const manifest = JSON.parse(readFileSync(out('unpacked/manifest.json'), 'utf8'))
    assert.equal(manifest.name, 'bell-tower')
    assert.deepEqual(manifest.author, { name: 'Bell & Sons' })
    assert.deepEqual(manifest.tools.map(({ name }) => name), ['searchBellTower', 'list_resources', 'read_resource'])
    assert.deepEqual(manifest.prompts, [{ name: 'review', description: 'Review it.', arguments: ['file'], text: 'Review it.\n\n[it](bells://h/${arguments.file})' }])

    assert.deepEqual(manifest.server.mcp_config, { command: 'node', args: ['${__dirname}/project/bin/stdio.js'] })
    await serves('node', [out('unpacked/project/bin/stdio.js')])
    assert.ok(readFileSync(out('one.mcpb')).length < 100_000)
  })

  const builder = ['docker', 'podman', 'buildah'].find((tool) => has(tool) && (tool !== 'docker' || works('docker', ['info'])))
  test('a container image, by the Dockerfile of the page', { skip: !builder && 'neither Docker nor Podman nor Buildah runs here' }, async () => {
    const context = out('image')
    publish('npm', 'image/acme-docs')
    mkdirSync(join(context, 'linux'))
    run('go', ['build', '-trimpath', '-o', join(context, 'linux/mcp-docs-server'), './cmd/mcp-docs-server'], { cwd: root, env: { ...process.env, CGO_ENABLED: '0' } })
    const page = readFileSync(join(root, 'docs/publish/container.md'), 'utf8')
    const own = readFileSync(join(root, 'packaging/Dockerfile'), 'utf8').replace(/^FROM .*$/m, 'FROM scratch').replace('COPY internal/publish/bundle/licences/ /licenses/\n', '')
    writeFileSync(join(context, 'Program'), own)
    writeFileSync(join(context, 'Dockerfile'), /```dockerfile\n([^]*?)```/.exec(page)[1].replace(/^FROM .*$/m, 'FROM localhost/program'))
    run(builder, ['build', '--build-arg', 'TARGETPLATFORM=linux', '--file', join(context, 'Program'), '--tag', 'localhost/program', context])
    run(builder, ['build', '--tag', 'localhost/acme-docs', context])
    if (builder !== 'buildah') await serves(builder, ['run', '--rm', '-i', 'localhost/acme-docs'])
  })

  test('a desktop bundle refuses names that Windows cannot unpack', () => {
    writeFileSync(join(project, odd.name), odd.content)
    try {
      assert.throws(() => publish('mcpb', 'odd.mcpb'), ({ status, stderr }) => status === 1 && /cannot be unpacked on every system: has ':' in its name/.test(stderr))
      assert.ok(!existsSync(out('odd.mcpb')), 'nothing is left behind')
    } finally {
      rmSync(join(project, odd.name))
    }
  })

  test('a token in a resource stops every target', () => {
    const token = 'npm_' + '7Kq2ZwB9xMfT'.repeat(3)
    writeFileSync(join(project, 'resources/bells/h/setup.txt'), `Setup\n\nUse ${token}.\n`)
    try {
      for (const target of ['npm', 'mcpb', 'server-json']) {
        assert.throws(() => publish(target, 'secret'),
          ({ status, stdout, stderr }) => status === 1 && !stdout && stderr.includes('resources/bells/h/setup.txt:3: holds an npm token') && !stderr.includes(token), target)
        assert.ok(!existsSync(out('secret')), target)
      }
    } finally {
      rmSync(join(project, 'resources/bells/h/setup.txt'))
    }
  })

  test('server.json', () => {
    publish('server-json', 'server.json')
    publish('server-json', 'again.json')
    assert.equal(sha256('server.json'), sha256('again.json'))
    const server = JSON.parse(readFileSync(out('server.json'), 'utf8'))
    assert.equal(server.$schema, 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json')
    assert.equal(server.name, 'io.github.bell/tower')
    assert.equal(server.repository.url, 'https://github.com/bell/tower')
    assert.deepEqual(server.packages, [{ registryType: 'npm', identifier: '@bell/tower', version: '1.2.3', runtimeHint: 'npx', transport: { type: 'stdio' } }])
  })

  test('missing values are reported, with the file to write them to', () => {
    const bare = out('bare')
    cpSync(project, bare, { recursive: true })
    rmSync(join(bare, 'package.json'))
    assert.throws(() => run(binary(), ['publish', bare, '--target', 'server-json', '--output', out('never')]),
      ({ status, stderr }) => status === 1 && /write "description" into package\.json/.test(stderr))
    assert.ok(!existsSync(out('never')))
  })
})

// Desktop bundles, container images and server.json, as the tools that take them see them: mcpb, skopeo and umoci.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { after, before, describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { binary } from './binary.mjs'
import { assertContent } from './content.mjs'

const repository = fileURLToPath(new URL('..', import.meta.url))
const run = (file, args, options) => execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options })
const has = (tool) => { try { return Boolean(run(tool, ['--version'])) } catch { return false } }
const publishes = run(binary(), ['publish', '--help']).includes('--target')

const files = {
  'mcp-docs-server.json': '{"name": "Bell Tower", "package": "@bell/tower", "version": "1.2.3"}',
  'package.json': '{"description": "All about bells", "author": "Bell & Sons", "license": "MIT", "mcpName": "io.github.bell/tower", "repository": "github:bell/tower"}',
  'docs/index.md': '# Index\n\nStart here.\n',
  'prompts/review.md': '---\nargs:\n  file: {description: which}\n---\nReview it.\n\n[it](bells://h/{{file}})\n',
  'resources/bells/h/one.txt': 'one\n',
  'resources/bells/h/empty.txt': '',
  'resources/bells/h/é 100%.txt': 'é',
  'resources/bells/h/bell.png': '\x89PNG\r\n\x1a\n\0\xff',
}
const odd = { name: 'resources/bells/h/' + 'long '.repeat(40) + 'a:b?.txt', content: 'no name for Windows' }

// The platforms in Node's words, with what the Go tool calls them.
const platforms = {
  'linux-x64': ['linux', 'amd64'], 'linux-arm64': ['linux', 'arm64'],
  'darwin-x64': ['darwin', 'amd64'], 'darwin-arm64': ['darwin', 'arm64'],
  'win32-x64': ['windows', 'amd64'],
}
const program = (platform) => `mcp-docs-server-${platform}${platform.startsWith('win32') ? '.exe' : ''}`

describe('publish', { skip: !publishes && 'there is no publish --target' }, () => {
  let dir, project, binaries
  const out = (name) => join(dir, name)
  const publish = (target, output, ...args) => run(binary(), ['publish', project, '--target', target, '--binaries', binaries, '--output', out(output), ...args])
  const sha256 = (name) => createHash('sha256').update(readFileSync(out(name))).digest('hex')

  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'mcp-docs-server-bundles-'))
    project = out('project')
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(project, name)), { recursive: true })
      writeFileSync(join(project, name), content, 'latin1')
    }
    binaries = process.env.MCP_DOCS_SERVER_BINARIES
    if (binaries) return
    binaries = out('binaries')
    for (const [platform, [GOOS, GOARCH]] of Object.entries(platforms)) {
      execFileSync('go', ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', join(binaries, program(platform)), './cmd/mcp-docs-server'],
        { cwd: repository, env: { ...process.env, GOOS, GOARCH, CGO_ENABLED: '0' }, stdio: ['ignore', 'inherit', 'inherit'] })
    }
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  // serves starts a program on a project and compares all its resources with the files.
  async function serves(command, folder, extra = {}) {
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StdioClientTransport({ command, args: ['serve', folder], stderr: 'ignore' }))
    try {
      const wanted = Object.entries({ ...files, ...extra }).filter(([name]) => name.startsWith('resources/'))
      const { resources } = await client.listResources()
      assert.equal(resources.length, wanted.length)
      for (const [name, content] of wanted) {
        const uri = 'bells://h/' + encodeURIComponent(name.slice('resources/bells/h/'.length))
        assertContent((await client.readResource({ uri })).contents[0], name, Buffer.from(content, 'latin1'))
      }
      assert.match((await client.callTool({ name: 'searchBellTower', arguments: { paths: ['index'] } })).content[0].text, /Start here/)
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
    assert.deepEqual(manifest.prompts, [{ name: 'review', arguments: ['file'], text: 'Review it.\n\n[it](bells://h/${arguments.file})' }])

    const launch = { darwin: manifest.server.mcp_config, ...manifest.server.mcp_config.platform_overrides }
    for (const [system, { command, args }] of Object.entries(launch)) {
      assert.deepEqual(args, ['serve', '${__dirname}/project'])
      const file = command.replace('${__dirname}', out('unpacked'))
      assert.ok(statSync(file).mode & 0o100 || process.platform === 'win32', `${system}: ${command} can be run`)
      if (system === process.platform && ['x64', 'arm64'].includes(process.arch)) await serves(file, out('unpacked/project'))
    }
    for (const [system, platform] of [['linux', 'linux-x64'], ['win32', 'win32-x64']]) {
      assert.ok(readFileSync(launch[system].command.replace('${__dirname}', out('unpacked'))).equals(readFileSync(join(binaries, program(platform)))), system)
    }
  })

  test('a container image, for skopeo and umoci', { skip: !(has('skopeo') && has('umoci')) && 'skopeo and umoci are not installed' }, async () => {
    writeFileSync(join(project, odd.name), odd.content)
    try {
      publish('oci', 'one.tar')
      utimesSync(join(project, 'docs/index.md'), 2, 2)
      publish('oci', 'two.tar')
      assert.equal(sha256('one.tar'), sha256('two.tar'))
      const image = `oci-archive:${out('one.tar')}:1.2.3`
      const layers = []
      for (const [platform, architecture] of [['linux-x64', 'amd64'], ['linux-arm64', 'arm64']]) {
        const as = ['--override-os', 'linux', '--override-arch', architecture]
        const seen = JSON.parse(run('skopeo', ['inspect', ...as, image]))
        assert.equal(seen.Architecture, architecture)
        assert.equal(seen.Labels['io.modelcontextprotocol.server.name'], 'io.github.bell/tower')
        assert.equal(seen.Labels['org.opencontainers.image.title'], 'Bell Tower')
        layers.push(seen.Layers)
        const { config } = JSON.parse(run('skopeo', ['inspect', '--config', ...as, image]))
        assert.equal(config.User, '65532:65532')
        assert.deepEqual([...config.Entrypoint, ...config.Cmd], ['/mcp-docs-server', 'serve', '/project'])

        run('skopeo', ['--insecure-policy', 'copy', ...as, image, `oci:${out(architecture)}:it`])
        run('umoci', ['unpack', '--rootless', '--image', `${out(architecture)}:it`, out(`root-${architecture}`)])
        const root = join(out(`root-${architecture}`), 'rootfs')
        assert.deepEqual(readdirSync(root).sort(), ['mcp-docs-server', 'project'])
        assert.ok(readFileSync(join(root, 'mcp-docs-server')).equals(readFileSync(join(binaries, program(platform)))))
        if (platform === `${process.platform}-${process.arch}`) await serves(join(root, 'mcp-docs-server'), join(root, 'project'), { [odd.name]: odd.content })
      }
      assert.equal(layers[0].length, 2)
      assert.equal(layers[0][1], layers[1][1], 'the layer of the project is shared')
    } finally {
      rmSync(join(project, odd.name))
    }
  })

  test('what Windows cannot unpack is in no desktop bundle', () => {
    writeFileSync(join(project, odd.name), odd.content)
    try {
      assert.throws(() => publish('mcpb', 'odd.mcpb'), ({ status, stderr }) => status === 1 && /cannot be unpacked on every system: its name has the character ':'/.test(stderr))
      assert.ok(!existsSync(out('odd.mcpb')), 'nothing is left behind')
    } finally {
      rmSync(join(project, odd.name))
    }
  })

  test('server.json', () => {
    publish('server-json', 'server.json')
    const server = JSON.parse(readFileSync(out('server.json'), 'utf8'))
    assert.equal(server.$schema, 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json')
    assert.equal(server.name, 'io.github.bell/tower')
    assert.equal(server.repository.url, 'https://github.com/bell/tower')
    assert.deepEqual(server.packages, [{ registryType: 'npm', identifier: '@bell/tower', version: '1.2.3', runtimeHint: 'npx', transport: { type: 'stdio' } }])
  })

  test('what is missing is told, with where to write it', () => {
    const bare = out('bare')
    cpSync(project, bare, { recursive: true })
    rmSync(join(bare, 'package.json'))
    for (const target of ['mcpb', 'server-json']) {
      assert.throws(() => run(binary(), ['publish', bare, '--target', target, '--binaries', binaries, '--output', out('never')]),
        ({ status, stderr }) => status === 1 && /"description"[^\n]*package\.json|write "description" into package\.json/.test(stderr), target)
    }
    assert.ok(!existsSync(out('never')))
  })
})

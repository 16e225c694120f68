// Desktop bundles, container images and server.json, checked with the tools that read them: mcpb, skopeo and umoci.
//
// skopeo and umoci are packages for Linux. Their tests are skipped if they are not installed.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { binary } from './binary.mjs'
import { assertContent } from './content.mjs'
import { program, release, version } from './release.mjs'

const run = (file, args, options) => execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options })
const has = (tool) => { try { return Boolean(run(tool, ['--version'])) } catch { return false } }

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

describe('publish', () => {
  let dir, project
  const out = (name) => join(dir, name)
  const publish = (target, output, ...args) => run(binary(), ['publish', project, '--target', target, '--output', out(output), ...args])
  const binaries = () => ['--binaries', join(release(), 'bin')]
  const sha256 = (name) => createHash('sha256').update(readFileSync(out(name))).digest('hex')

  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'mcp-docs-server-bundles-'))
    project = out('project')
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(project, name)), { recursive: true })
      writeFileSync(join(project, name), content, 'latin1')
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

  // assertLicences compares the licences in a folder with the licences that the program prints.
  function assertLicences(folder) {
    const texts = ['LICENSE', 'THIRD-PARTY-LICENSES'].map((name) => readFileSync(join(folder, name), 'utf8'))
    const here = program(`${process.platform}-${process.arch}`)
    if (existsSync(here)) assert.equal(texts.join('\n'), run(here, ['version', '--licenses']))
  }

  // archives makes a folder with the archives of a release.
  function archives() {
    mkdirSync(out('archives'))
    for (const platform of ['linux-x64', 'linux-arm64']) {
      const dir = out(platform)
      mkdirSync(dir)
      cpSync(program(platform), join(dir, 'mcp-docs-server'))
      run('tar', ['-czf', out(`archives/mcp-docs-server-${version}-${platform}.tar.gz`), '-C', dir, 'mcp-docs-server'])
    }
    return out('archives')
  }

  test('a desktop bundle, for mcpb', async () => {
    const mcpb = (...args) => run(process.execPath, [join(import.meta.dirname, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js'), ...args])
    publish('mcpb', 'one.mcpb', ...binaries())
    utimesSync(join(project, 'docs/index.md'), 1, 1)
    publish('mcpb', 'two.mcpb', ...binaries())
    assert.equal(sha256('one.mcpb'), sha256('two.mcpb'))

    mcpb('unpack', out('one.mcpb'), out('unpacked'))
    assert.match(mcpb('validate', out('unpacked/manifest.json')), /validation passes/)
    assert.match(mcpb('info', out('one.mcpb')), /Size: /)
    assertLicences(out('unpacked/server'))
    const manifest = JSON.parse(readFileSync(out('unpacked/manifest.json'), 'utf8'))
    assert.equal(manifest.name, 'bell-tower')
    assert.deepEqual(manifest.author, { name: 'Bell & Sons' })
    assert.deepEqual(manifest.tools.map(({ name }) => name), ['searchBellTower', 'list_resources', 'read_resource'])
    assert.deepEqual(manifest.prompts, [{ name: 'review', description: 'Review it.', arguments: ['file'], text: 'Review it.\n\n[it](bells://h/${arguments.file})' }])

    const launch = { darwin: manifest.server.mcp_config, ...manifest.server.mcp_config.platform_overrides }
    for (const [system, { command, args }] of Object.entries(launch)) {
      assert.deepEqual(args, ['serve', '${__dirname}/project'])
      const file = command.replace('${__dirname}', out('unpacked'))
      assert.ok(statSync(file).mode & 0o100 || process.platform === 'win32', `${system}: ${command} can be run`)
      if (system === process.platform && ['x64', 'arm64'].includes(process.arch)) await serves(file, out('unpacked/project'))
    }
    for (const [system, platform] of [['linux', 'linux-x64'], ['win32', 'win32-x64']]) {
      assert.ok(readFileSync(launch[system].command.replace('${__dirname}', out('unpacked'))).equals(readFileSync(program(platform))), system)
    }
  })

  test('a container image, of programs in a folder or in archives', () => {
    publish('oci', 'one.tar', ...binaries())
    utimesSync(join(project, 'docs/index.md'), 2, 2)
    publish('oci', 'two.tar', '--binaries', archives())
    assert.equal(sha256('one.tar'), sha256('two.tar'))
  })

  test('a container image, for skopeo and umoci', { skip: !(has('skopeo') && has('umoci')) && 'skopeo and umoci are not installed' }, async () => {
    writeFileSync(join(project, odd.name), odd.content)
    try {
      publish('oci', 'image.tar', ...binaries())
      const image = `oci-archive:${out('image.tar')}:1.2.3`
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
        assert.deepEqual(readdirSync(root).sort(), ['licenses', 'mcp-docs-server', 'project'])
        assertLicences(join(root, 'licenses'))
        assert.ok(readFileSync(join(root, 'mcp-docs-server')).equals(readFileSync(program(platform))))
        if (platform === `${process.platform}-${process.arch}`) await serves(join(root, 'mcp-docs-server'), join(root, 'project'), { [odd.name]: odd.content })
      }
      assert.equal(layers[0].length, 2)
      assert.equal(layers[0][1], layers[1][1], 'the layer of the project is shared')
    } finally {
      rmSync(join(project, odd.name))
    }
  })

  test('a desktop bundle refuses names that Windows cannot unpack', () => {
    writeFileSync(join(project, odd.name), odd.content)
    try {
      assert.throws(() => publish('mcpb', 'odd.mcpb', ...binaries()), ({ status, stderr }) => status === 1 && /cannot be unpacked on every system: has ':' in its name/.test(stderr))
      assert.ok(!existsSync(out('odd.mcpb')), 'nothing is left behind')
    } finally {
      rmSync(join(project, odd.name))
    }
  })

  test('a token in a resource stops every target', () => {
    const token = 'npm_' + '7Kq2ZwB9xMfT'.repeat(3)
    writeFileSync(join(project, 'resources/bells/h/setup.txt'), `Setup\n\nUse ${token}.\n`)
    try {
      for (const target of ['mcpb', 'oci', 'server-json']) {
        assert.throws(() => publish(target, 'secret', ...target === 'server-json' ? [] : binaries()),
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
    for (const target of ['mcpb', 'server-json']) {
      assert.throws(() => run(binary(), ['publish', bare, '--target', target, '--output', out('never')]),
        ({ status, stderr }) => status === 1 && /"description"[^\n]*package\.json|write "description" into package\.json/.test(stderr), target)
    }
    assert.ok(!existsSync(out('never')))
  })
})

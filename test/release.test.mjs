// A project is published to npm, installed and started with each package manager.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { binary } from './binary.mjs'
import { each, list } from './clients.mjs'
import { assertContent, assertSame } from './content.mjs'
import { folder as folderOf } from './files.mjs'
import { ending } from './http.mjs'
import { Registry } from './registry.mjs'
import { local, platforms, program, tarballs, version } from './release.mjs'
import { awkward } from './tree.mjs'
import { canonical, decode, text } from './uri.mjs'

const repository = fileURLToPath(new URL('..', import.meta.url))
const windows = process.platform === 'win32'
const here = `${process.platform}-${process.arch}`
const execute = promisify(execFile)

let registry, project, temporary, env
let refused // the result of publish for the initial tree

const at = (...path) => join(temporary, ...path)

// folder makes a new empty folder with a package that belongs to no workspace.
let folders = 0
function folder() {
  const dir = at(`folder-${folders++}`)
  mkdirSync(dir)
  writeFileSync(join(dir, 'package.json'), '{"private": true}')
  writeFileSync(join(dir, '.npmrc'), `registry=${registry.url}\n`)
  return dir
}

// run runs a command and returns { code, stdout, stderr }. npm and other package managers use no settings of this machine.
async function run(cwd, command, args, more = {}) {
  try {
    return { code: 0, ...await execute(command, args, { cwd, env: { ...env, ...more }, maxBuffer: 1 << 28, shell: windows }) }
  } catch (error) {
    if (error.stderr === undefined) throw error
    return { code: error.code ?? error.signal, stdout: error.stdout, stderr: error.stderr }
  }
}

async function succeed(...args) {
  const result = await run(...args)
  assert.equal(result.code, 0, `${args[1]} ${args[2].join(' ')}: ${result.stdout}\n${result.stderr}`)
  return result
}

const publish = (args, dir = project.dir) => run(repository, binary(), ['publish', dir, ...args])

// carried reports whether every package manager keeps the name of a file.
function carried(path) {
  const name = text(path)
  return name !== undefined && !/[\x00-\x08\x0a-\x0c\x0e-\x1f\\]/.test(name)
}

// assertServes starts a command as a client does, and reads every file of the project.
async function assertServes(command, args, cwd, more = {}) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StdioClientTransport({ command, args, cwd, env: { ...env, ...more }, stderr: 'pipe' })
  let said = ''
  transport.stderr.on('data', (chunk) => { said += chunk })
  try {
    await client.connect(transport)
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')}: ${error.message}\n${said}`)
  }
  try {
    const items = await list(client, 'listResources', 'resources')
    assertSame(items.map((item) => item.uri), [...project.files.keys()].map(canonical), 'URIs')
    const pathOf = new Map([...project.files.keys()].map((path) => [decode(canonical(path)), path]))
    await each(items, async ({ uri }) => {
      const path = pathOf.get(decode(uri))
      const { contents: [item] } = await client.readResource({ uri })
      assertContent(item, path, project.files.get(path))
    })
    assert.deepEqual((await client.listPrompts()).prompts.map((prompt) => prompt.name), ['deep/review'])
    const { content } = await client.callTool({ name: 'searchAwkward', arguments: { paths: ['guide.md'] } })
    assert.match(JSON.stringify(content), /# Guide/)
  } finally {
    await client.close()
  }
}

const later = ending()
before(async () => {
  temporary = folderOf(later)
  registry = await new Registry().start(later)
  mkdirSync(at('home'))
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|pnpm_|yarn_|bun_|node_options$|.*_proxy$|mcp_docs_server_|node_test_context$)/i.test(name)))
  env = {
    ...environment, HOME: at('home'), USERPROFILE: at('home'), XDG_CACHE_HOME: at('home/.cache'), XDG_DATA_HOME: at('home/.data'), XDG_CONFIG_HOME: at('home/.config'), XDG_STATE_HOME: at('home/.state'),
    npm_config_cache: at('cache'), npm_config_userconfig: at('home/.npmrc'), npm_config_globalconfig: at('home/none'), npm_config_prefix: at('prefix'), npm_config_registry: registry.url,
    npm_config_update_notifier: 'false', npm_config_audit: 'false', npm_config_fund: 'false', npm_config_loglevel: 'error',
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  }
  writeFileSync(at('home/.npmrc'), `${registry.url.replace(/^http:/, '')}:_authToken=nobody\n//127.0.0.1:9/:_authToken=nobody\n`)

  project = await awkward()
  later(() => project.remove())
  writeFileSync(join(project.dir, 'mcp-docs-server.json'), JSON.stringify({ name: 'awkward', package: '@acme/docs', version: '1.2.3' }))
  writeFileSync(join(project.dir, 'package.json'), JSON.stringify({ private: true, license: 'MIT', description: 'Awkward names', mcpName: 'io.github.acme/docs' }))
  mkdirSync(join(project.dir, 'prompts/deep'), { recursive: true })
  writeFileSync(join(project.dir, 'prompts/deep/review.md'), 'Review it.\n')
  refused = await publish(['--dry-run'])
  for (const path of [...project.files.keys()].filter((path) => !carried(path))) {
    rmSync(project.at(path), { force: true })
    project.files.delete(path)
  }
})

describe('publish', { timeout: 600_000, skip: windows && 'the tree needs names that Windows does not have' }, () => {
  test('refuses names that npm does not keep, and no others', () => {
    assert.equal(refused.code, 1)
    const lines = refused.stderr.split('\n').filter((line) => line.includes('cannot be published with npm'))
    assert.ok(lines.length > 20 && lines.every((line) => /is not UTF-8|has a (back-slash|control character)/.test(line)), lines.join('\n'))
  })

  test('reports omitted files, and makes the same package again', async () => {
    const first = await publish(['--output', at('first.tgz')])
    assert.equal(first.code, 0, first.stderr)
    for (const path of ['config/h/.env', 'config/h/.git/', 'loose.txt']) assert.ok(first.stderr.includes(`left out: resources/${path} `), path)
    utimesSync(join(project.dir, 'docs/guide.md'), new Date(), new Date(0))
    chmodSync(join(project.dir, 'docs/guide.md'), 0o755)
    await publish(['--output', at('second.tgz')])
    const hash = (name) => createHash('sha256').update(readFileSync(at(name))).digest('hex')
    assert.equal(hash('first.tgz'), hash('second.tgz'))
    assert.ok(first.stdout.endsWith(` ${hash('first.tgz')}\n`), first.stdout)
    const listed = execFileSync('tar', ['-tzf', at('first.tgz')], { encoding: 'utf8' })
    assert.ok(listed.startsWith('package/package.json\n') && !/secret|\.env|\.git\/|\.npmrc/.test(listed), 'nothing hidden')
  })

  test('stops at a token', async () => {
    const file = join(project.dir, 'resources/config/h/setup.txt')
    const token = 'npm_' + '7Kq2ZwB9xMfT'.repeat(3)
    writeFileSync(file, `# Setup\n\n    export NPM_TOKEN=${token}\n`)
    try {
      const { code, stderr } = await publish([])
      assert.equal(code, 1)
      assert.match(stderr, /resources\/config\/h\/setup\.txt:3: holds an npm token \(npm_…\)/)
      assert.ok(!stderr.includes(token))
      assert.deepEqual(registry.requests, [], 'npm was not asked for anything')
    } finally {
      rmSync(file)
    }
  })

  test('npm accepts a package of each kind in a dry run', async () => {
    for (const tarball of [...tarballs().slice(-2), at('first.tgz')]) {
      const { stdout } = await succeed(folder(), 'npm', ['publish', tarball, '--dry-run', '--json'])
      const integrity = 'sha512-' + createHash('sha512').update(readFileSync(tarball)).digest('base64')
      assert.ok(stdout.includes(integrity), `${tarball}: ${stdout}`)
    }
    assert.equal(registry.packages.size, 0)
  })

  // Each failure is one sentence on the last line, without the log of npm.
  test('says in one sentence why nothing is published', async () => {
    const lost = await run(repository, binary(), ['publish', project.dir], { npm_config_registry: 'http://127.0.0.1:9/' })
    const alone = await run(repository, binary(), ['publish', project.dir], { npm_config_userconfig: at('home/nobody') })
    registry.refusal = [403, { error: 'You do not have permission to publish "@acme/docs". Are you logged in as the correct user?' }]
    const taken = await publish([])
    registry.refusal = [404, { error: 'Scope not found' }]
    const nowhere = await publish([])
    registry.refusal = undefined
    for (const [{ code, stderr }, said] of [
      [lost, /nothing is published: the registry cannot be reached \(ECONNREFUSED\)$/], [alone, /nothing is published: npm has no account for the registry; run "npm login" first/],
      [taken, /nothing is published: the registry does not let this account publish @acme\/docs/], [nowhere, /nothing is published: the registry has no place for @acme\/docs/],
    ]) {
      assert.equal(code, 1)
      assert.match(stderr.trimEnd().split('\n').at(-1), said)
      assert.doesNotMatch(stderr, /npm (error|ERR!)/)
    }
    assert.equal(registry.packages.size, 0)
  })

  test('publishes', async () => {
    await publish(['--tag', 'next', '--output', at('next.tgz')])
    // An .npmrc in the project can also name the user who publishes.
    writeFileSync(join(project.dir, '.npmrc'), `registry=${registry.url}\n`)
    const { code, stdout, stderr } = await run(repository, binary(), ['publish', project.dir, '--tag', 'next'], { npm_config_registry: undefined })
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^package: {3}@acme\/docs 1\.2\.3\n/)
    assert.match(stdout, /\+ @acme\/docs@1\.2\.3/)
    assert.ok(registry.tarballs.get('@acme-docs-1.2.3.tgz').equals(readFileSync(at('next.tgz'))), 'the README has the tag')
    assert.deepEqual(registry.packages.get('@acme/docs')['dist-tags'], { next: '1.2.3' })
    registry.packages.get('@acme/docs')['dist-tags'].latest = '1.2.3'
    assert.equal(registry.packages.get('@acme/docs').versions['1.2.3'].mcpName, 'io.github.acme/docs')
    const again = await publish([])
    assert.equal(again.code, 1)
    assert.match(again.stderr, /mcp-docs-server: nothing is published: the registry has version 1\.2\.3 of @acme\/docs already; write a higher "version"/)
  })
})

describe('a published project', { timeout: 600_000, skip: windows && 'the tree needs names that Windows does not have' }, () => {
  let installed

  test('npm install', async () => {
    installed = folder()
    await succeed(installed, 'npm', ['install', '@acme/docs'])
    const added = Object.keys(JSON.parse(readFileSync(join(installed, 'node_modules/.package-lock.json'))).packages)
    assert.deepEqual(added, ['node_modules/@acme/docs'])
    await assertServes(join(installed, 'node_modules/.bin/acme-docs'), [], installed)
  })

  test('commands of the program, with the folder of the package', async () => {
    const dir = join(installed, 'node_modules/@acme/docs')
    assert.equal((await succeed(installed, binary(), ['list', dir])).stdout, (await succeed(installed, binary(), ['list', project.dir])).stdout)
    assert.match(readFileSync(join(dir, 'README.md'), 'utf8'), /npx -y @acme\/docs@next/)
  })

  test('npx without a network', async (t) => {
    const ways = [['--prefer-offline', '-y', '@acme/docs@latest'], ['--prefer-offline', '-y', '@acme/docs@1.2.3']]
    for (const args of ways) await assertServes('npx', args, folder()) // npx caches the packages
    registry.down = true
    registry.requests.length = 0
    try {
      for (const args of ways) {
        const began = performance.now()
        await assertServes('npx', args, folder())
        t.diagnostic(`npx ${args.join(' ')}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
      }
      assert.deepEqual(registry.requests, [], 'the registry was not asked, which takes npm more than a minute')
    } finally {
      registry.down = false
    }
  })

  test('npx -y', async () => {
    await assertServes('npx', ['-y', '@acme/docs@latest'], folder())
  })

  // The other package managers are npm packages that are installed with the tests.
  const tool = (name, path) => {
    try {
      return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path)
    } catch {
      return undefined
    }
  }
  const managers = join(import.meta.dirname, 'node_modules/.bin')

  test('pnpm', { skip: !existsSync(join(managers, 'pnpm')) && 'pnpm is not installed with the tests' }, async () => {
    const dir = folder()
    await succeed(dir, join(managers, 'pnpm'), ['add', '@acme/docs', '--store-dir', at('pnpm-store')])
    await assertServes(join(dir, 'node_modules/.bin/acme-docs'), [], dir)
  })

  test('Yarn with Plug and Play', { skip: !tool('@yarnpkg/cli-dist', 'bin/yarn.js') && 'Yarn is not installed with the tests' }, async () => {
    const dir = folder(), yarn = tool('@yarnpkg/cli-dist', 'bin/yarn.js')
    writeFileSync(join(dir, 'yarn.lock'), '')
    const settings = { YARN_NPM_REGISTRY_SERVER: registry.url.replace(/\/$/, ''), YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1', YARN_ENABLE_TELEMETRY: '0', YARN_ENABLE_GLOBAL_CACHE: 'false', YARN_NPM_MINIMAL_AGE_GATE: '0' }
    await succeed(dir, process.execPath, [yarn, 'add', '@acme/docs'], settings)
    assert.ok(existsSync(join(dir, '.pnp.cjs')))
    await assertServes(process.execPath, [yarn, 'run', 'acme-docs'], dir, settings)
  })

  test('yarn dlx of a package that was just published', { skip: !tool('@yarnpkg/cli-dist', 'bin/yarn.js') && 'Yarn is not installed with the tests' }, async () => {
    const yarn = tool('@yarnpkg/cli-dist', 'bin/yarn.js')
    const settings = { YARN_NPM_REGISTRY_SERVER: registry.url.replace(/\/$/, ''), YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1', YARN_ENABLE_TELEMETRY: '0' }
    const dlx = (more) => {
      const dir = folder()
      writeFileSync(join(dir, 'yarn.lock'), '')
      return assertServes(process.execPath, [yarn, 'dlx', '-q', '@acme/docs'], dir, { ...settings, ...more })
    }
    const { time } = registry.packages.get('@acme/docs')
    const then = time['1.2.3']
    time['1.2.3'] = new Date().toISOString()
    try {
      await assert.rejects(dlx({ YARN_GLOBAL_FOLDER: at('yarn-kept') }), 'Yarn no longer keeps back what is new: the documents say that it does')
      await dlx({ YARN_GLOBAL_FOLDER: at('yarn-open'), YARN_NPM_MINIMAL_AGE_GATE: '0' })
      writeFileSync(at('home/.yarnrc.yml'), 'npmPreapprovedPackages:\n  - "@acme/*"\n')
      await dlx({ YARN_GLOBAL_FOLDER: at('yarn-approved') })
    } finally {
      time['1.2.3'] = then
      rmSync(at('home/.yarnrc.yml'), { force: true })
    }
  })

  const bun = join(managers, 'bun')
  const bunRuns = existsSync(bun) && spawnSync(bun, ['--version']).status === 0
  test('Bun', { skip: !bunRuns && 'Bun is not installed with the tests' }, async () => {
    const dir = folder()
    await succeed(dir, bun, ['add', '@acme/docs'], { BUN_INSTALL_CACHE_DIR: at('bun-cache') })
    await assertServes(bun, ['x', 'acme-docs'], dir)
    await assertServes(bun, ['--bun', 'x', 'acme-docs'], dir)
  })

  test('a file, without a registry', async () => {
    const offline = { npm_config_offline: 'true', npm_config_registry: 'http://127.0.0.1:9/' }
    const dir = folder()
    await succeed(dir, 'npm', ['install', at('first.tgz')], offline)
    await assertServes(join(dir, 'node_modules/.bin/acme-docs'), [], dir)
    await assertServes('npx', ['-y', `--package=${at('first.tgz')}`, 'acme-docs'], folder(), offline)
  })
})

describe('the program itself', { timeout: 600_000, skip: windows && 'the tree needs names that Windows does not have' }, () => {
  const serve = () => ['serve', project.dir]
  let installed, command

  test('npm install', async () => {
    for (const tarball of tarballs()) await succeed(folder(), 'npm', ['publish', tarball])
    installed = folder()
    command = join(installed, 'node_modules/.bin/mcp-docs-server')
    await succeed(installed, 'npm', ['install', '@mcp-docs-server/cli'])
    const added = Object.keys(JSON.parse(readFileSync(join(installed, 'node_modules/.package-lock.json'))).packages)
    assert.deepEqual(added, ['node_modules/@mcp-docs-server/cli', `node_modules/@mcp-docs-server/cli-${here}`])
    assert.equal((await succeed(installed, command, ['version'])).stdout, `mcp-docs-server ${version}\n`)
    await assertServes(command, serve(), installed)
  })

  test('npx -y', async () => {
    await assertServes('npx', ['-y', '@mcp-docs-server/cli', ...serve()], folder())
  })

  test('the file that a clone makes, without a registry', async () => {
    const dir = folder()
    await succeed(dir, 'npm', ['install', local()], { npm_config_offline: 'true', npm_config_registry: 'http://127.0.0.1:9/' })
    await assertServes('npx', ['mcp-docs-server', ...serve()], dir)
  })

  test('npm install --omit=optional reports the missing program', async () => {
    const dir = folder()
    await succeed(dir, 'npm', ['install', '--omit=optional', '@mcp-docs-server/cli'])
    const command = join(dir, 'node_modules/.bin/mcp-docs-server')
    const { code, stdout, stderr } = await run(dir, command, serve())
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(stderr, new RegExp(`^mcp-docs-server: the program for ${here} is not installed\\. .*--omit=optional.*\\n$`))
    await assertServes(command, serve(), dir, { MCP_DOCS_SERVER_BINARY: binary() })
  })

  test('the launcher passes on signals, exit codes and streams', async () => {
    const script = (name, lines) => {
      writeFileSync(at(name), `#!/bin/sh\n${lines}\n`)
      chmodSync(at(name), 0o755)
      return { MCP_DOCS_SERVER_BINARY: at(name) }
    }
    assert.equal((await run(installed, command, [], script('seven', 'exit 7'))).code, 7)
    assert.equal((await run(installed, command, [], script('killed', 'kill -TERM $$'))).code, 'SIGTERM')
    const missing = await run(installed, command, [], { MCP_DOCS_SERVER_BINARY: at('nowhere') })
    assert.deepEqual([missing.code, missing.stdout], [1, ''])
    assert.match(missing.stderr, /MCP_DOCS_SERVER_BINARY is ".*nowhere", which does not exist/)
    copyFileSync(binary(), at('forbidden'))
    chmodSync(at('forbidden'), 0o644)
    const forbidden = await run(installed, command, [], { MCP_DOCS_SERVER_BINARY: at('forbidden') })
    assert.deepEqual([forbidden.code, forbidden.stdout], [1, ''])
    assert.match(forbidden.stderr, /forbidden does not start: .*EACCES/)
    const interpreter = script('interpreter', '')
    writeFileSync(at('interpreter'), '#!/nowhere/sh\n')
    const lost = await run(installed, command, [], interpreter)
    assert.deepEqual([lost.code, lost.stdout], [1, ''])
    assert.match(lost.stderr, /interpreter does not start: .*ENOENT/)
    // A shell would read these files as commands, if the launcher left that decision to the C library.
    writeFileSync(at('text'), 'echo run by a shell\n')
    chmodSync(at('text'), 0o755)
    // The first bytes of programs for Windows and for the other processor: in an ELF file, byte 18 is 62 for x64 and 183 for arm64.
    const head = readFileSync(binary()).subarray(0, 64)
    head[18] ^= 62 ^ 183
    writeFileSync(at('arm'), head, { mode: 0o755 })
    writeFileSync(at('program.exe'), 'MZ\x90\0\x03\0\0\0', { mode: 0o755 })
    for (const file of [at('text'), at('arm'), at('program.exe'), ...platforms.filter((platform) => !platform.startsWith(process.platform) || process.platform === 'linux' && platform !== here).map(program)]) {
      const foreign = await run(installed, command, [], { MCP_DOCS_SERVER_BINARY: file })
      assert.deepEqual([foreign.code, foreign.stdout], [1, ''], file)
      assert.equal(foreign.stderr, `mcp-docs-server: ${file} does not start: it is not a program for ${here}\n`)
    }
    for (const signal of ['SIGTERM', 'SIGINT']) {
      const process = spawn(command, serve(), { cwd: installed, env, stdio: ['pipe', 'pipe', 'pipe'] })
      let out = ''
      process.stdout.on('data', (chunk) => { out += chunk })
      await new Promise((resolve) => process.stderr.on('data', (chunk) => { if (String(chunk).includes('serving ')) resolve() }))
      process.kill(signal)
      const [code, by] = await new Promise((resolve) => process.on('close', (...args) => resolve(args))) // when all processes have closed its streams
      assert.deepEqual([code, by, out], [0, null, ''], signal)
    }
  })
})

// The command line of MCP Inspector.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { binary } from './binary.mjs'
import { assertContent, assertSame } from './content.mjs'
import { folder } from './files.mjs'
import { ending, Web } from './http.mjs'
import { awkward } from './tree.mjs'
import { canonical } from './uri.mjs'

const inspector = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/inspector')
const launcher = join(inspector, JSON.parse(readFileSync(join(inspector, 'package.json'))).bin['mcp-inspector'])

let project, home, web
const token = 'a'.repeat(40)
const later = ending()
before(async () => {
  project = await awkward()
  later(() => project.remove())
  home = folder(later) // the Inspector keeps files there
  const tokens = join(home, 'tokens')
  writeFileSync(tokens, `ada ${token}\n`, { mode: 0o600 })
  web = await Web.start(later, ['--token-file', tokens, project.dir])
})

// inspect runs one method, over standard input and output unless a target is given. The Inspector uses --config itself, so `serve
// DIR` names the project.
async function inspect(era, method, args = [], target = [binary(), 'serve', project.dir]) {
  const { stdout } = await promisify(execFile)(process.execPath, [launcher, '--cli', ...target, '--protocol-era', era, '--method', method, ...args], {
    env: { ...process.env, HOME: home, USERPROFILE: home }, maxBuffer: 1 << 26,
  })
  return JSON.parse(stdout)
}

for (const era of ['legacy', 'modern']) {
  describe(`${era} era`, { concurrency: 2, timeout: 60_000 }, () => {
    test('resources/list', async () => {
      const { resources } = await inspect(era, 'resources/list')
      assertSame(resources.map((item) => item.uri), [...project.files.keys()].map(canonical), 'URIs')
    })

    test('resources/templates/list', async () => {
      const { resourceTemplates } = await inspect(era, 'resources/templates/list')
      assert.equal(resourceTemplates.length, project.templates.length)
    })

    for (const path of ['config/contents/utf16be.txt', 'config/contents/every-byte.bin', 'config/ascii/100%.md', 'config/ascii/new\nline.md', 'hosts/caf\xe9/b c/d.md']) {
      test(`resources/read of ${canonical(path)}`, async () => {
        const { contents } = await inspect(era, 'resources/read', ['--uri', canonical(path)])
        assert.equal(contents.length, 1)
        assertContent(contents[0], path, project.files.get(path))
      })
    }

    test('resources/read of a missing resource', () => assert.rejects(inspect(era, 'resources/read', ['--uri', 'config://ascii/nothing']), /resource not found/))

    test('over HTTP, with a token', async () => {
      const http = (...args) => inspect(era, ...args, [web.url.href, '--transport', 'http', '--header', `Authorization: Bearer ${token}`])
      const { resources } = await http('resources/list', [])
      assertSame(resources.map((item) => item.uri), [...project.files.keys()].map(canonical), 'URIs')
      const path = 'config/contents/every-byte.bin'
      const { contents } = await http('resources/read', ['--uri', canonical(path)])
      assertContent(contents[0], path, project.files.get(path))
    })

    test('over HTTP, without a token', () => assert.rejects(inspect(era, 'resources/list', [], [web.url.href, '--transport', 'http']), /auth_required/))
  })
}

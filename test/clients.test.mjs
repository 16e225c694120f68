// Every official client, in every era that it supports, with a tree of awkward names and contents.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ResourceNotFoundError } from '@modelcontextprotocol/client'
import { clients, connect, each, list } from './clients.mjs'
import { completions } from './completions.mjs'
import { assertContent, assertSame } from './content.mjs'
import { awkward } from './tree.mjs'
import { canonical, codeUnits, decode, expand, rewritings } from './uri.mjs'

let project
let pathOf // decoded URI → path of the file

before(async () => {
  project = await awkward()
  pathOf = new Map([...project.files.keys()].map((path) => [decode(canonical(path)), path]))
})
after(() => project?.remove())

// meant is the path of the file that a respelled URI names for a server without tolerance for other spellings.
const meant = (uri) => pathOf.get(decode(uri).replace(/^[^:]+/, (scheme) => scheme.toLowerCase()).replace(/\/$/, ''))

for (const kind of clients) {
  describe(kind.name, { timeout: 100_000 }, () => {
    let client
    before(async () => { client = await connect(kind, project.dir) })
    after(() => client?.close())

    // reads checks that a URI reads the file at a path, and returns what is wrong, or undefined.
    const reads = async (uri, path) => {
      try {
        const { contents } = await client.readResource({ uri })
        assert.deepEqual(contents.map((item) => item.uri), [canonical(path)])
        assertContent(contents[0], path, project.files.get(path))
      } catch (error) {
        return `${JSON.stringify(uri)} should read ${canonical(path)}: ${error.message}`
      }
    }
    // all runs checks at the same time and reports the failures.
    const all = async (checks) => {
      const failures = []
      await each(checks, async (check) => {
        const failure = await check()
        if (failure) failures.push(failure)
      })
      assert.equal(failures.length, 0, `${failures.length} of ${checks.length} fail:\n${failures.sort().slice(0, 10).map((line) => line.slice(0, 500)).join('\n')}`)
    }
    const notFound = async (uri) => {
      try {
        await client.readResource({ uri })
      } catch (error) {
        // Version 2 of the client turns both codes into one error. stdio.test.mjs checks the codes themselves.
        const code = kind.stateless || error instanceof ResourceNotFoundError ? -32602 : -32002
        const echoes = error.data?.uri === uri || !uri || uri.length > 65536
        return error.code === code && echoes ? undefined : `${JSON.stringify(uri)}: ${error.message} ${JSON.stringify(error.data)}`
      }
      return `${JSON.stringify(uri)} was read`
    }

    test('agrees on a version and returns the capabilities of the server', () => {
      if (client.getNegotiatedProtocolVersion) assert.equal(client.getNegotiatedProtocolVersion(), kind.version)
      assert.equal(client.getServerVersion().name, 'awkward')
      const { resources, completions, prompts, tools } = client.getServerCapabilities()
      assert.ok(resources.listChanged && resources.subscribe && completions && prompts && tools)
    })

    test('lists every file once, in order, and nothing else', async () => {
      const items = await list(client, 'listResources', 'resources')
      assertSame(items.map((item) => item.uri), [...project.files.keys()].map(canonical), 'URIs')
      for (const item of items) {
        const path = pathOf.get(decode(item.uri))
        assert.match(item.uri, /^[!-~]+$/)
        assert.ok(item.name, item.uri)
        assert.ok(!item.name.includes('\ufffd') || path.includes('\xef\xbf\xbd'), item.uri)
        assert.equal(item.size, project.files.get(path).length, item.uri)
        assert.ok(!Number.isNaN(Date.parse(item.annotations.lastModified)), item.uri)
      }
    })

    test('reads every listed URI, byte for byte', () => all([...project.files.keys()].map((path) => () => reads(canonical(path), path))))

    for (const [what, rewrite] of [...rewritings, ['code units in hexadecimal', codeUnits]]) {
      test(`reads the same after ${what}`, () => all([...project.files.keys()].flatMap((path) => {
        const uri = canonical(path), rewritten = rewrite(uri)
        return rewritten === undefined || rewritten === uri ? [] : [() => reads(rewritten, meant(rewritten) ?? path)]
      })))
    }

    test('lists the templates in their published form', async () => {
      const items = await list(client, 'listResourceTemplates', 'resourceTemplates')
      assert.deepEqual(items.map((item) => item.uriTemplate), project.templates.map(([template]) => template.replace('{...', '{+')))
    })

    for (const [expander, expandWith] of [['RFC 6570', expand], ["the client's own expansion", (template, values) => new kind.UriTemplate(template).expand(values)]]) {
      test(`completes to every file of a template, with ${expander}`, async () => {
        const reached = new Map()
        const checks = []
        for (const [template] of project.templates) {
          const published = template.replace('{...', '{+')
          const { choices, complete } = await completions(client, published)
          if (complete) reached.set(template, [])
          checks.push(...choices.map((values) => async () => {
            const uri = expandWith(published, values)
            try {
              const { contents: [item] } = await client.readResource({ uri })
              const path = pathOf.get(decode(item.uri))
              assertContent(item, path, project.files.get(path))
              reached.get(template)?.push(path)
            } catch (error) {
              return `${template} with ${JSON.stringify(values)} is ${uri}: ${error.message}`
            }
          }))
        }
        await all(checks)
        for (const [template, folder] of project.templates) {
          if (reached.has(template)) assertSame(reached.get(template), [...project.files.keys()].filter((path) => path.startsWith(folder + '/')), template)
        }
        assert.ok(reached.size > project.templates.length - 2, 'most templates have few enough values to see all')
      })
    }

    test('completes nothing for unknown prefixes and folders', async () => {
      const complete = (uri, name, value, context) => client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value }, context })
      const { completion } = await complete('config://ascii/{name}', 'name', 'no such prefix')
      assert.deepEqual(completion.values, [])
      assert.deepEqual((await complete('folders://ascii/{folder}/{file}', 'file', '', { arguments: { folder: 'no such folder' } })).completion.values, [])
      await assert.rejects(complete('config://no/{template}', 'template', ''), { code: -32602 })
      await assert.rejects(complete('config://ascii/{name}', 'other', ''), { code: -32602 })
    })

    test('reads the files of a folder', async () => {
      for (const folder of ['config/contents', 'config/ascii', 'config/unicode', 'folders/ascii/100%.md', 'hosts/caf\xe9', 'links/h/folder', 'deep/h/level-0', 'pair/explode/a']) {
        const expected = [...project.files.keys()].filter((path) => path.startsWith(folder + '/') && !path.slice(folder.length + 1).includes('/'))
        for (const uri of [canonical(folder), canonical(folder) + '/']) {
          const { contents } = await client.readResource({ uri })
          assertSame(contents.map((item) => item.uri), expected.map(canonical), uri)
          for (const item of contents) {
            const path = pathOf.get(decode(item.uri))
            assertContent(item, path, project.files.get(path))
          }
        }
      }
    })

    test('finds no hidden, special or outside files', () => {
      const uris = project.unserved.flatMap((path) => [canonical(path), ...rewritings.map(([, rewrite]) => rewrite(canonical(path)))])
      return all([...new Set(uris)].filter((uri) => uri !== undefined).map((uri) => () => notFound(uri)))
    })

    test('finds nothing by a path that leads out of the tree', () => all([
      'config://h/../../etc/passwd', 'config://h/%2e%2e/%2e%2e/etc/passwd', 'config://h/..%2f..%2f..%2fetc%2fpasswd', 'config://h/%252e%252e/%252e%252e/etc/passwd',
      'config://../config/contents/crlf.txt', 'config://ascii/../contents/crlf.txt', 'config://ascii/./plain.md', 'config://ascii//plain.md', 'config:///etc/passwd', 'config:////etc/passwd',
      'config://h/..\\..\\etc\\passwd', 'config://h/%5c..%5c..%5cetc', 'config://contents/crlf.txt%00', 'config://contents/crlf.txt%00.png', 'config://contents/%00', 'config://contents/crlf.txt/x',
      'file:///etc/passwd', 'file://localhost/etc/passwd', '/etc/passwd', '../../etc/passwd', 'etc/passwd', 'resources/config/contents/crlf.txt', 'mcp-docs-server.json', 'templates.json',
      '/', ':', '://', 'config', 'config:', '%', 'x'.repeat(100000), 'config://' + '../'.repeat(1000) + 'etc/passwd', 'config://' + '%25'.repeat(10000), 'config://contents/CRLF.TXT', 'links://h/escapes/secret.txt',
      'links://h/etc/passwd', 'links://h/git/config', 'links://h/parent/h/inside.txt', 'links://h/self/inside.txt', 'links://h/project/mcp-docs-server.json', 'config://ascii/ufffd\ufffd.md',
    ].map((uri) => () => notFound(uri))))

    test('recognizes the error for a missing resource', { skip: kind.name.startsWith('sdk') }, async () => {
      for (const uri of ['config://contents/crlf.tx', 'none://such/file']) {
        await assert.rejects(client.readResource({ uri }), (error) => error instanceof ResourceNotFoundError && error.uri === uri, uri)
      }
    })

    test('refuses an invented cursor', async () => {
      for (const method of ['listResources', 'listResourceTemplates', 'listPrompts', 'listTools']) {
        await assert.rejects(client[method]({ cursor: 'made up' }), { code: -32602 }, method)
      }
    })

    test('lists prompts and tools', async () => {
      assert.ok(Array.isArray((await client.listPrompts()).prompts))
      assert.ok(Array.isArray((await client.listTools()).tools))
    })

    test('pings, subscribes and unsubscribes', { skip: kind.stateless }, async () => {
      await client.ping()
      for (const path of ['config/contents/crlf.txt', 'config/ascii/100%.md', 'hosts/caf\xe9/a.md']) {
        await client.subscribeResource({ uri: canonical(path) })
        await client.unsubscribeResource({ uri: canonical(path) })
      }
      await assert.rejects(client.subscribeResource({ uri: 'config://no/such' }))
    })

    test('listens and stops listening', { skip: !kind.stateless }, async () => {
      const filter = { resourcesListChanged: true, resourceSubscriptions: [canonical('config/ascii/100%.md')] }
      const subscription = await client.listen(filter)
      assert.deepEqual(subscription.honoredFilter, filter)
      await subscription.close()
      assert.equal(await subscription.closed, 'local')
      await client.readResource({ uri: canonical('config/ascii/100%.md') })
    })
  })
}

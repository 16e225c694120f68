// Compares the answers of a Worker with `serve --http`, for a repository with a documentation site. WORKER_SITE names a repository to use
// instead of the small one of the test; it must have mcp-docs-server.json.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { binary } from './binary.mjs'
import { folder, put } from './files.mjs'
import { ending } from './http.mjs'
import { comparable, differ, Pair } from './worker-pair.mjs'

const files = {
  'mcp-docs-server.json': JSON.stringify({ name: 'Acme', package: '@acme/docs', version: '1.0.0', tools: { connector: true } }),
  'manual/en/mkdocs.yml': 'site_url: https://docs.example/\nnav: [Start: index.md, guide/setup.md, reference/index.md]\n',
  'manual/en/docs/index.md': '# Home { #top }\n\nSee :material-star: {{ macro }} `x`. Zebra stripes.\n',
  'manual/en/docs/guide/setup.md': '---\ndescription: How to begin\n---\n# Set *up* { #setup }\n\nBefore the code, apples.\n\n--8<-- "src/code.py:part"\n\n## After { #after }\n\nThe unicorn comes after an include.\n\n::: acme.Client\n',
  'manual/en/docs/reference/index.md': '# Reference\n\n--8<-- "src/gone.py"\n\n## Loop\n\n--8<-- "manual/en/docs/guide/setup.md"\n\nend without a line end',
  'manual/de/mkdocs.yml': 'INHERIT: ../en/mkdocs.yml\n',
  'manual/de/docs/index.md': '# Anfang\n\nZebra Streifen.\n',
  'manual/de/docs/guide/setup.md': '# Einrichten\n\nÄpfel.\n',
  'manual/de/docs/reference/index.md': '# Nachschlagen\n\nBirnen.\n',
  'manual/de/docs/extra.md': '# Extra\n\nNur deutsch: Zebra.\n',
  'src/code.py': 'x = 0\n# --8<-- [start:part]\ndef unicorn():\n    return 1\n# --8<-- [end:part]\n',
  'book/conf.py': 'project = "Book"\nhtml_baseurl = "https://book.example/en/"\n',
  'book/index.rst': 'Book\n====\n\n.. toctree::\n\n   more\n\nPart one\n--------\n\nZebra in RST.\n\n.. literalinclude:: ../src/code.py\n   :lines: 2-4\n',
  'book/more.rst': 'More\n====\n\n.. _a label:\n\nPart two\n--------\n\nText.\n',
}

describe('a documentation site of a Worker', () => {
  const later = ending()
  const work = folder(later)
  let project = process.env.WORKER_SITE
  let pair, tool, list
  let calls = 0

  before(async () => {
    if (!project) {
      project = join(work, 'project')
      put(project, files)
    }
    pair = await Pair.start(later, project, join(work, 'out'))
    const { worker } = await same('tools/list', {})
    tool = worker.body.result.tools[0].name
    list = JSON.parse(execFileSync(binary(), ['list', 'docs', '--json', '--all', project], { maxBuffer: 64 << 20 }))
    if (list.length > 120) list = list.filter((_, i) => i % Math.ceil(list.length / 120) === 0)
  })

  async function same(method, params) {
    const both = await pair.ask(method, params, 'handshake', ++calls)
    if (differ(both)) assert.deepEqual(comparable(both.worker), comparable(both.server), `${method} ${JSON.stringify(params)}`)
    return both
  }
  const call = async (given, name = tool) => {
    const { worker } = await same('tools/call', { name, arguments: given })
    return worker.body.result.content?.map(({ text }) => text).join('\n') ?? ''
  }

  test('documents by path, URL and section', async () => {
    for (const { path, file, url, title } of list) {
      const text = await call({ paths: [path] })
      assert.ok(!url || text.includes(url.replaceAll('"', '')), `${path}: ${text.slice(0, 300)}`)
      await call({ paths: [file, url ?? path, `${url ?? path}#nowhere`] })
      for (const heading of [title, text.match(/^#+ (.*)$/m)?.[1], text.match(/^(.*)\n[=-]{4,}$/m)?.[1], 'after']) {
        if (heading) await call({ paths: [path], section: heading })
      }
      await call({ paths: [path], offset: 3, limit: 4 })
    }
    for (const paths of [['/'], ['manual'], ['nope/setup'], ['guide'], ['https://docs.example/gone/'], ['/guide/setup/'], ['%2Fguide%2Fsetup%2F'], ['https://docs.example/GUIDE/setup/index.html?x=1#after']]) await call({ paths })
  })

  test('search with the filters of languages and versions', async () => {
    for (const query of ['zebra', 'zebra language:de', 'zebra language:DE language:en', 'extra', 'extra path:manual/de', 'unicorn', 'unicorn apples', 'language:de', 'version:2 zebra', 'zebra version:', 'code language:xx', 'end line', ...list.slice(0, 40).map(({ title }) => title ?? 'x')]) {
      await call({ query, limit: 20 })
      await call({ query }, 'search')
    }
    if (process.env.WORKER_SITE) return
    const zebra = await call({ query: 'zebra' })
    assert.ok(!zebra.includes('manual/de/docs/index.md'), 'a page of another language is found, which the default language has')
    assert.ok(zebra.includes('manual/de/docs/extra.md'), 'a page that the default language lacks is not found')
    assert.ok((await call({ query: 'zebra language:de' })).includes('manual/de/docs/extra.md'))
    const [, path, line] = /^1\. (.*), line (\d+):.*\n {3}The unicorn comes/m.exec(await call({ query: 'unicorn include' }))
    assert.match(await call({ paths: [path], offset: Number(line), limit: 3 }), /\n\nThe unicorn comes/)
  })

  test('fetch', async () => {
    for (const { path } of list.slice(0, 40)) {
      const id = `docs://Acme/${path.split('/').map(encodeURIComponent).join('/')}`
      const { worker } = await same('tools/call', { name: 'fetch', arguments: { id } })
      if (!process.env.WORKER_SITE) assert.ok(!worker.body.result.isError, id)
    }
  })
})

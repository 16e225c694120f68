// The capability index: what official clients read, how many tokens the documents really have, and when clients are notified.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { clients, list } from './clients.mjs'
import { folder, put } from './files.mjs'
import { Web } from './http.mjs'
import { Listener } from './listener.mjs'
import { listChanged, until, updated } from './live.mjs'

const limit = { timeout: 120_000 }
const [summary, full, stats] = ['summary', 'full', 'stats'].map((name) => `capability-index://${name}`)
const template = 'capability-index://elements/{type}'
const types = ['document', 'prompt', 'resource', 'skill', 'template', 'tool']
const bounds = { [summary]: 3_000, [full]: 40_000, [stats]: 1_000 }

// configured is the configuration with these keys in addition to the required ones, as a file.
const configured = (config) => ({ 'mcp-docs-server.json': JSON.stringify({ name: 'Acme', package: 'acme', version: '1.0.0', docs: 'docs', ...config }) })

// project makes a folder with files, by path, and a configuration.
const project = (t, files, config) => folder((end) => t.after(end), { ...configured(config), ...files })

// crowd returns more files of each kind than the index has room for.
function crowd() {
  const files = {}
  for (let i = 0; i < 350; i++) {
    files[`docs/chapter-${i % 7}/how-to-do-the-thing-of-number-${i}.md`] = `# How the thing of number ${i} is done\n\nSee [the next](how-to-do-the-thing-of-number-${i + 7}.md).\n`
    files[`docs/中文/第${i}章.md`] = `# 第${i}章 配置文件放在项目的根目录下\n`
    files[`resources/files/area ${i % 5}/part-${i % 97}/报告 number ${i}_final (copy).json`] = '{}'
    files[`resources/pkg/src/${i % 31}/readConfigurationFile${i}.go`] = 'package x\n'
  }
  return files
}

for (const kind of clients) {
  test(`${kind.name} over HTTP`, limit, async (t) => {
    const dir = project(t, crowd(), { index: true })
    const web = await Web.start((f) => t.after(f), [dir])
    const client = kind.create()
    await client.connect(new kind.HTTP(web.url))
    t.after(() => client.close())
    const read = async (uri) => (await client.readResource({ uri })).contents[0]
    await until(async () => !/still being/.test((await read(summary)).text))

    const uris = (await list(client, 'listResources', 'resources')).map(({ uri }) => uri)
    for (const uri of [summary, full, stats]) assert.ok(uris.includes(uri), uri)
    const templates = (await list(client, 'listResourceTemplates', 'resourceTemplates')).map(({ uriTemplate }) => uriTemplate)
    assert.deepEqual(templates, [template])

    const figures = JSON.parse((await read(stats)).text)
    assert.equal(figures.counts.document, 700)
    assert.equal(figures.counts.resource, 700)
    for (const [uri, bound] of Object.entries(bounds)) {
      const { text, mimeType } = await read(uri)
      const tokens = encode(text).length
      assert.ok(tokens <= bound, `${uri} has ${tokens} tokens`)
      assert.equal(mimeType, uri === stats ? 'application/json' : 'text/markdown')
    }
    assert.match((await read(full)).text, /left out/)

    const complete = async (value) => (await client.complete({ ref: { type: 'ref/resource', uri: template }, argument: { name: 'type', value } })).completion.values
    assert.deepEqual(await complete(''), types)
    assert.deepEqual(await complete('t'), ['template', 'tool'])
    for (const type of types) {
      const uri = new kind.UriTemplate(template).expand({ type })
      const { text } = await read(uri)
      assert.ok(encode(text).length <= 10_000, `${uri} has ${encode(text).length} tokens`)
      const left = /^([\d,]+) more left out/m.exec(text)?.[1].replaceAll(',', '') ?? 0
      assert.equal([...text.matchAll(/^- /gm)].length + Number(left), figures.counts[type], uri)
    }
    await assert.rejects(read('capability-index://elements/documents'), /not found/)
  })
}

for (const stateless of [false, true]) {
  describe(`updates, ${stateless ? '2026-07-28' : 'initialize'}`, { concurrency: true }, () => {
    test('are announced if the bytes change', limit, async (t) => {
      const dir = project(t, { 'docs/index.md': '# Welcome\n', 'resources/files/a': '1' }, { index: { expose: ['summary'] } })
      const session = new Listener(t, dir, { stateless })
      await session.hear(summary)
      await until(async () => !/still being/.test(await session.read(summary)))
      assert.deepEqual((await session.uris()).sort(), [summary, 'files://a'])
      put(dir, { 'docs/new.md': '# New\n' })
      await until(async () => session.count(updated, summary) > 0 && /`new.md` New/.test(await session.read(summary)))
      assert.equal(await session.read(full), undefined)

      put(dir, configured())
      await until(() => session.count(listChanged) > 0)
      await until(async () => (await session.read(summary)) === undefined)
      assert.deepEqual(await session.uris(), ['files://a'])
      await session.end()
    })

    test('stop if a file has the URI', limit, async (t) => {
      const dir = project(t, { 'resources/files/a': '1' }, { index: true })
      const session = new Listener(t, dir, { stateless })
      await session.hear(summary)
      put(dir, { 'resources/capability-index/summary': 'mine' })
      await until(async () => session.count(updated, summary) > 0 && (await session.read(summary)) === 'mine')
      await session.end()
    })
  })
}

test('without the key, the server makes no index', limit, async (t) => {
  const session = new Listener(t, fileURLToPath(new URL('../examples/subtitles', import.meta.url)), {})
  await session.hear()
  assert.ok((await session.uris()).every((uri) => !uri.startsWith('capability-index')))
  assert.equal(await session.read(summary), undefined)
  await session.end()
})

// Compares answers of the Worker about documents and prompts with `serve --http` of the same random project.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { folder } from './files.mjs'
import { ending } from './http.mjs'
import { comparable, differ, Pair } from './worker-pair.mjs'
import { callOf, completionOf, pathOf, promptOf, queryOf, random, writeProject } from './worker-corpus.mjs'

const seed = Number(process.env.WORKER_SEED ?? 1)
const most = Number(process.env.WORKER_REQUESTS ?? 80) // of each kind
const documents = Number(process.env.WORKER_DOCUMENTS ?? 30)

describe('documents of a Worker', () => {
  const later = ending()
  const work = folder(later)
  const r = random(seed)
  let pair, project, tool

  before(async () => {
    project = writeProject(join(work, 'project'), r, documents)
    pair = await Pair.start(later, join(work, 'project'), join(work, 'out'))
    const { worker } = await same('tools/list', {})
    tool = worker.body.result.tools[0].name
  })

  async function same(method, params) {
    const both = await pair.ask(method, params, r(2) ? 'stateless' : 'handshake')
    if (differ(both)) assert.deepEqual(comparable(both.worker), comparable(both.server), `seed ${seed}: ${method} ${JSON.stringify(params)}`)
    return both
  }

  test('the tool for documents', async () => {
    for (let i = 0; i < most; i++) await same('tools/call', { name: tool, arguments: callOf(r, project) })
  })

  test('search and fetch', async () => {
    for (let i = 0; i < most; i++) {
      const { worker } = await same('tools/call', { name: 'search', arguments: { query: queryOf(r) } })
      const { isError, content } = worker.body.result
      const { results = [] } = isError ? {} : JSON.parse(content[0].text)
      let id = results[r(results.length + 1)]?.id ?? `docs://${project.config.name}/${pathOf(r, project)}`
      if (r(3) === 0) id += `#L${r(30)}${r(2) ? '' : `+${r(30)}`}`
      await same('tools/call', { name: 'fetch', arguments: { id } })
    }
  })

  test('prompts', async () => {
    const { worker } = await same('prompts/list', {})
    assert.ok(worker.body.result.prompts.length > 0)
    await same('prompts/list', { cursor: 'x' })
    for (let i = 0; i < most; i++) {
      await same('prompts/get', promptOf(r, project))
      await same('completion/complete', completionOf(r, project))
    }
  })

  test('invalid calls', async () => {
    for (const params of [{}, { name: tool }, { name: `${tool}s` }, { name: 'fetch', arguments: [] }, { name: 'search', arguments: {} }, { name: 'search', arguments: { query: ' ' } }, { name: 'fetch', arguments: { id: '' } }, { name: 'nothing' }, { name: tool, arguments: null }, { name: tool, arguments: 'x' }, { name: tool, arguments: { 'Qu\u0131ery': 'x' } }, { name: tool, arguments: { QUERY: 'server' } }, { name: 'search', arguments: { qurey: 'x' } }, { name: 'fetch', arguments: { [`${'x'.repeat(300)}`]: 1 } }]) {
      await same('tools/call', params)
    }
  })
})

// A Worker reads few assets for a query; phrases of frequent words are looked for in the texts of many passages.
test('phrases, other wordings and misspelled words in 3 MB of documents', async (t) => {
  const files = { 'mcp-docs-server.json': JSON.stringify({ name: 'Large', package: '@me/large', version: '1.0.0' }) }
  const r = random(seed)
  const words = 'not in there reset the retry of this client a value with it is set to none before render page'.split(' ')
  const sentence = () => `${Array.from({ length: 8 + r(8) }, () => words[r(words.length)]).join(' ')}.`
  for (let i = 0; i < 400; i++) {
    const sections = Array.from({ length: 6 }, (_, n) => `## ${words[r(words.length)]} ${n}\n\n${Array.from({ length: 20 }, sentence).join('\n')}\n`)
    files[`docs/page-${i}.md`] = `# Page ${i}\n\n${sections.join('\n')}`
  }
  const after = (end) => t.after(end)
  const pair = await Pair.start(after, folder(after, files), join(folder(after), 'out'))
  for (const given of [{ query: '"not in there" reset' }, { query: '" with the" render' }, { query: '"this client" "of the retry" page' }, { query: 'value of it', alternatives: ['retry this client', 'reset there', 'none before render'] }, { query: 'rendr vaule', limit: 12 }]) {
    const both = await pair.ask('tools/call', { name: 'searchLarge', arguments: given })
    assert.deepEqual(comparable(both.worker), comparable(both.server), JSON.stringify(given))
  }
})

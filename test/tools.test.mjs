// Documents, prompts and tools with the official clients.
import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { clients, connect } from './clients.mjs'
import { folder, put } from './files.mjs'
import { until } from './live.mjs'

const files = {
  'mcp-docs-server.json': '{"name": "Bell Tower", "package": "@bell/tower", "version": "1.0.0", "docs": "docs", "describe": true, "docsResources": true, "tools": {"connector": true}}',
  'docs/index.md': '# Index\n\nStart here.\n',
  'docs/guides/ringing.md': '# Ringing\n\n## At noon\n\nPull the long rope.\n',
  'docs/reference/api/ropes.mdx': '# Ropes\n',
  'prompts/hello.md': 'Say hello.\n',
  'prompts/team/review.mdx': '---\nargs:\n  file: {description: which}\n  tone: {enum: [kind, harsh], optional: true}\n---\nReview it.\n\n[it](bells://h/{{file}})\n',
  'prompts/broken.md': 'Say {{what}}.\n',
  'resources/bells/h/one.txt': 'one\ntwo\n',
  'resources/bells/h/one.txt.meta.json': '{"title": "The one", "audience": ["assistant"]}',
  'resources/docs/Bell Tower/index.md': '# Another index\n',
  'resources/bells/h/bell.bin': '\0\xff\x80bell',
  'resources/bells/h/bell.png': '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU',
}

const text = ({ content }) => content.map((item) => item.text)

for (const kind of clients) {
  describe(kind.name, () => {
    const dir = folder(after, files, 'latin1')
    let client
    before(async () => { client = await connect(kind, dir) })
    after(() => client.close())
    const call = (name, args) => client.callTool({ name, arguments: args })

    test('has its tools, the documents first', async () => {
      const { tools } = await client.listTools()
      assert.deepEqual(tools.map((tool) => tool.name), ['searchBellTower', 'list_resources', 'read_resource', 'search', 'fetch'])
      for (const tool of tools) assert.ok(tool.annotations.readOnlyHint && tool.description.length < 2048)
    })

    test('reads documents and folders', async () => {
      const items = text(await call('searchBellTower', { paths: ['index', 'guides/', '/docs/guides/ringing.md', '../prompts/hello.md', 'rining'], queryKeywords: ['noon'] }))
      assert.equal(items[0], '---\npath: index\n---\n\n# Index\n\nStart here.\n')
      assert.match(items[1], /# Directory: guides\/[^]*- docs\/guides\/ringing\.md/)
      assert.match(items[2], /Pull the long rope/)
      assert.match(items[3], /error: Invalid path\n---\n\nInvalid path$/)
      assert.match(items[4], /Path "rining" not found\.[^]*Directories:\n- guides\/\n- reference\/[^]*- guides\/ringing\.md/)
    })

    test('searches documents, and finds what was edited', async () => {
      assert.match(text(await call('searchBellTower', { query: 'ropes pulled at noon' }))[0], /guides\/ringing\.md, line 5/)
      appendFileSync(join(dir, 'docs/guides/ringing.md'), '\nMind the zeppelin.\n')
      await until(async () => /ringing\.md/.test(text(await call('searchBellTower', { query: 'zeppelin' }))[0]))
    })

    test('treats hostile arguments as plain values', async () => {
      for (const args of [{}, { paths: [1] }, { query: 5 }, { nonsense: true }]) {
        const { isError, content } = await call('searchBellTower', args)
        assert.ok(isError && content[0].text, JSON.stringify(args))
      }
      for (const path of ['..', '../x', 'a/../../x', '..\\x', '%2e%2e/x', 'guides/%2e%2e%2fx', '/../x']) {
        assert.match(text(await call('searchBellTower', { paths: [path] }))[0], /Invalid path$/, path)
      }
      await call('searchBellTower', { paths: Array(10_000).fill('x'), queryKeywords: ['(a+)+$'.repeat(150_000)] })
      await assert.rejects(call('no_such_tool', {}), { code: -32602 })
    })

    test('lists and reads resources by tool', async () => {
      assert.deepEqual(text(await call('list_resources', { prefix: 'bells' })), ['bells://h/bell.bin\tapplication/octet-stream\t7\nbells://h/bell.png\timage/png\t33\nbells://h/one.txt\ttext/plain\t8\tThe one\n'])
      assert.deepEqual(text(await call('read_resource', { uri: 'docs://Bell%20Tower/guides/ringing.md', section: 'at-noon', limit: 1 }))[0].split('\n')[0], '## At noon')
      assert.deepEqual(text(await call('read_resource', { uri: 'bells://h/one.txt', offset: 2 })), ['two\n'])
      const base64 = (name) => Buffer.from(files[`resources/bells/h/${name}`], 'latin1').toString('base64')
      assert.equal((await call('read_resource', { uri: 'bells://h/bell.png' })).content[0].data, base64('bell.png'))
      assert.equal((await call('read_resource', { uri: 'bells://h/bell.bin' })).content[0].resource.blob, base64('bell.bin'))
      assert.match(text(await call('read_resource', { uri: 'bells://h/on.txt' }))[0], /did you mean bells:\/\/h\/one\.txt/)
    })

    test('serves documents as resources, and titles from the files', async () => {
      const listed = async () => Object.fromEntries((await client.listResources({}, { cacheMode: 'refresh' })).resources.map((item) => [item.uri, item]))
      const before = await listed()
      assert.equal(before['docs://Bell%20Tower/index.md'].title, 'Another index', 'the resource comes before the document')
      assert.equal(before['docs://Bell%20Tower/guides/ringing.md'].title, 'Ringing')
      assert.equal(before['docs://Bell%20Tower/reference/api/ropes.mdx'].title, 'Ropes')
      assert.equal(before['bells://h/one.txt'].title, 'The one')
      assert.deepEqual(before['bells://h/one.txt'].annotations.audience, ['assistant'])
      assert.equal(before['bells://h/one.txt.meta.json'], undefined)
      assert.ok((await client.listResourceTemplates()).resourceTemplates.some((item) => item.uriTemplate === 'docs://Bell%20Tower/{+path}'))
      assert.equal((await client.readResource({ uri: 'docs://Bell%20Tower/reference/api/ropes.mdx' })).contents[0].text, files['docs/reference/api/ropes.mdx'])
      put(dir, { 'docs/reference/api/ropes.mdx': '# Longer ropes\n', 'resources/bells/h/one.txt.meta.json': '{"title": "Still one"}' })
      await until(async () => {
        const now = await listed()
        return now['docs://Bell%20Tower/reference/api/ropes.mdx'].title === 'Longer ropes' && now['bells://h/one.txt'].title === 'Still one'
      })
    })

    test('has the pair of tools that connectors ask for', async () => {
      const { results } = JSON.parse(text(await call('search', { query: 'pull rope noon' }))[0])
      assert.ok(results.length > 0 && results.every(({ id, title, url }) => id && title && url))
      const fetched = JSON.parse(text(await call('fetch', { id: results[0].id }))[0])
      assert.equal(fetched.id, 'docs://Bell%20Tower/guides/ringing.md')
      assert.match(fetched.text, /Pull the long rope/)
      for (const id of ['', '../../etc/passwd', 'docs://Bell%20Tower/../prompts/hello.md', 'x'.repeat(1 << 20)]) assert.ok((await call('fetch', { id })).isError, id.slice(0, 50))
      assert.ok((await call('search', { query: ['x'] })).isError)
    })

    test('has prompts, but not the broken one', async () => {
      const { prompts } = await client.listPrompts()
      assert.deepEqual(prompts.map((prompt) => prompt.name), ['hello', 'team/review'])
      const { messages } = await client.getPrompt({ name: 'team/review', arguments: { file: 'one.txt' } })
      assert.deepEqual(messages.map(({ content }) => content.type), ['text', 'resource'])
      assert.equal(messages[1].content.resource.text, 'one\ntwo\n')
      await assert.rejects(client.getPrompt({ name: 'team/review', arguments: {} }), { code: -32602 })
      await assert.rejects(client.getPrompt({ name: 'team/review', arguments: { file: 'x', tone: 'rude' } }), { code: -32602 })
      const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'team/review' }, argument: { name: 'tone', value: '' } })
      assert.deepEqual(completion.values, ['kind', 'harsh'])
    })
  })
}

describe('a large library', () => {
  const line = 'The quick brown fox jumps over the lazy dog, again and again.\n'
  const dir = folder(after, {
    'mcp-docs-server.json': '{"name": "Large", "package": "large", "version": "1.0.0", "docs": "docs"}',
    'docs/huge.md': '# Huge\n\n' + line.repeat(10 * 2 ** 20 / line.length) + '\n## The end\n\nWhere the zeppelin lands.\n',
    'prompts/echo.mdx': '---\nargs:\n  what: {}\n---\nSay {{what}}.\n',
    ...Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`docs/many/page-${i}.md`, `# Page ${i}\n\nNumber ${i} of many.\n`])),
  })
  let client
  before(async () => { client = await connect(clients[0], dir) })
  after(() => client.close())
  const call = async (args) => text(await client.callTool({ name: 'searchLarge', arguments: args }))

  test('answers from a document of 10 MB in parts', async () => {
    const [start] = await call({ paths: ['huge'] })
    assert.ok(start.length < 110_000)
    const [, next] = /To continue, use offset (\d+)\.\]\n$/.exec(start)
    assert.match((await call({ paths: ['huge'], offset: Number(next), limit: 2 }))[0], new RegExp(`lines: "?${next}-`))
    assert.match((await call({ paths: ['huge'], section: 'the-end' }))[0], /Where the zeppelin lands\.\n$/)
    let found
    do [found] = await call({ query: 'zeppelin lands' })
    while (/still being read/.test(found))
    assert.match(found, /1\. huge\.md, line \d+: Huge > The end/)
  })

  test('lists and searches a folder of 20,000 documents', async () => {
    const [listing] = await call({ paths: ['many'] })
    assert.ok(listing.length < 110_000 && /To continue, use offset/.test(listing))
    assert.match((await call({ query: 'number 17321' }))[0], /1\. many\/page-17321\.md/)
    assert.match((await call({ paths: ['many/page-1732x'] }))[0], /Path "many\/page-1732x" not found/)
    const tools = await client.listTools()
    assert.ok(JSON.stringify(tools).length < 20_000)
  })

  test('puts a megabyte into a prompt unchanged', async () => {
    const what = '{{what}} $(id) `id` \\\n'.repeat(50_000)
    const { messages } = await client.getPrompt({ name: 'echo', arguments: { what } })
    assert.equal(messages[0].content.text.trim(), `Say ${what}.`)
    for (const args of [{ what: 1 }, { what: ['x'] }, { other: 'x' }]) await assert.rejects(client.getPrompt({ name: 'echo', arguments: args }))
  })
})

// Ten thousand files: complete lists in both eras, every file read, and completions with so many values.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clients, connect, each, list } from './clients.mjs'
import { completions } from './completions.mjs'
import { assertContent, assertSame } from './content.mjs'
import { many } from './tree.mjs'
import { canonical, expand } from './uri.mjs'

const count = 10_000
const limit = { timeout: 60_000 }

let project
before(() => { project = many(count) })
after(() => project?.remove())

for (const kind of clients) {
  test(`lists and completes them, ${kind.name}`, limit, async () => {
    const client = await connect(kind, project.dir)
    try {
      const items = await list(client, 'listResources', 'resources')
      assert.equal(project.files.size, process.platform === 'linux' ? count : items.length)
      assertSame(items.map((item) => item.uri), [...project.files.keys()].map(canonical), 'URIs')

      const templates = await list(client, 'listResourceTemplates', 'resourceTemplates')
      assert.equal(templates.length, project.templates.length)
      for (const { uriTemplate } of templates) {
        const { choices } = await completions(client, uriTemplate, 3)
        assert.equal(choices.length > 0, !uriTemplate.startsWith('none:'), uriTemplate)
        await each(choices, async (values) => {
          const { contents: [item] } = await client.readResource({ uri: expand(uriTemplate, values) })
          assert.match(item.text, /^file \d+\n$/)
        })
      }
      const { completion } = await client.complete({ ref: { type: 'ref/resource', uri: 'config://flat/{name}' }, argument: { name: 'name', value: '' } })
      const flat = [...project.files.keys()].filter((path) => path.startsWith('config/flat/')).length
      assert.deepEqual({ ...completion, values: completion.values.length }, { values: 100, total: flat, hasMore: true })
    } finally {
      await client.close()
    }
  })
}

test('reads every one', limit, async () => {
  const client = await connect(clients[0], project.dir)
  try {
    await each(project.files, async ([path, bytes]) => {
      const { contents } = await client.readResource({ uri: canonical(path) })
      assert.deepEqual(contents.map((item) => item.uri), [canonical(path)])
      assertContent(contents[0], path, bytes)
    })
  } finally {
    await client.close()
  }
})

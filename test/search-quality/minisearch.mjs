// Reads a collection as JSON from standard input, and writes the paths of the pages that MiniSearch finds for each query.
import { text } from 'node:stream/consumers'
import MiniSearch from 'minisearch'

const { pages, queries } = JSON.parse(await text(process.stdin))
const index = new MiniSearch({
  idField: 'path',
  fields: ['title', 'name', 'text'],
  searchOptions: { boost: { title: 3, name: 2 }, prefix: true, fuzzy: 0.1 },
})
index.addAll(pages.map((page) => ({ ...page, name: page.path.replace(/\.mdx?$/, '').replace(/[/_-]/g, ' ') })))
process.stdout.write(JSON.stringify(queries.map((query) => index.search(query.text).slice(0, 10).map((hit) => hit.id))))

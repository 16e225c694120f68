// Compares what becomes of documentation pages: by this program, readability.js with turndown, defuddle, and turndown for the whole page.
//
//   node compare.mjs DIR [--half tune|apart] [--pages N] [--seed TEXT] [--only WORD] [--ours] [--lost] [--json FILE]
//
// DIR is what corpus.sh made. Of each generator in generators.mjs, N pages are taken by the hash of the seed and their path, and half of
// them, by the hash of the path, is kept apart from whoever changes the rules. --ours leaves the others out, and --lost names pages that
// lose much. What belongs to a page is in generators.mjs.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { converters } from './converters.mjs'
import generators from './generators.mjs'
import { measure, parse, truth } from './measure.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: 'string', default: 'apart' }, pages: { type: 'string', default: '16' }, seed: { type: 'string', default: 'capture' }, only: { type: 'string', default: '' },
    ours: { type: 'boolean' }, lost: { type: 'boolean' }, json: { type: 'string' },
  },
})
const corpus = positionals[0] ?? (console.error('usage: node compare.mjs DIR [options]'), process.exit(2))
const maxBytes = 1_000_000 // jsdom takes seconds for more
const hash = (text) => createHash('sha256').update(text).digest()

const files = (root) => fs.existsSync(root) ? fs.readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((e) => e.isFile() && e.name.endsWith('.html')).map((e) => path.relative(root, path.join(e.parentPath ?? e.path, e.name))).sort() : []

// sample returns pages of a generator: their paths, bytes, URLs, trees and truths.
function* sample(generator) {
  const root = path.join(corpus, generator.root)
  const order = files(root).filter((file) => (generator.pages ?? /./).test(file))
    .map((file) => [hash(`${options.seed} ${file}`).toString('hex'), file]).sort()
  let count = 0
  for (const [, file] of order) {
    if (count === Number(options.pages)) return
    const body = fs.readFileSync(path.join(root, file))
    if (body.length > maxBytes) continue
    const url = `https://${path.basename(root).replace(/[^a-z0-9-]/gi, '')}.example/${file.split(path.sep).map(encodeURIComponent).join('/')}`
    const wanted = (hash(file)[0] % 2 ? 'apart' : 'tune') === options.half
    const belongs = truth(parse(body, url), generator)
    if (!belongs) continue // a frame, a redirect, a page without text
    count++
    if (wanted) yield { file: path.join(root, file), name: `${generator.root}/${file}`, body, url, belongs }
  }
}

const pages = generators.filter((g) => g.name.includes(options.only)).flatMap((generator) => [...sample(generator)].map((page) => ({ ...page, generator: generator.name })))
const ours = execFileSync('go', ['run', '../../internal/dev/pagemarkdown'], { cwd: import.meta.dirname, maxBuffer: 1 << 30, input: pages.map(({ url, file }) => JSON.stringify({ url, file })).join('\n') })
  .toString().trim().split('\n').map((line) => JSON.parse(line))
if (ours.length !== pages.length) throw new Error(`${ours.length} answers for ${pages.length} pages`)

console.error = () => {} // defuddle and jsdom speak of what they meet
const rows = []
for (const [i, page] of pages.entries()) {
  const results = { ours: ours[i] }
  if (!options.ours) for (const [name, convert] of Object.entries(converters)) {
    try { results[name] = { markdown: await convert(page.body, page.url) } } catch (error) { results[name] = { markdown: '', error: String(error) } }
  }
  for (const [converter, result] of Object.entries(results)) {
    rows.push({ converter, generator: page.generator, page: page.name, words: page.belongs.count, warning: result.notes?.join(' ') || result.error || '', ...measure(result.markdown ?? '', page.url, page.belongs) })
  }
}

const mean = (list) => list.length ? list.reduce((sum, n) => sum + n, 0) / list.length : NaN
const columns = ['recall', 'precision', 'code', 'links', 'headings', 'tables']
const summary = (list) => ({
  pages: list.length,
  ...Object.fromEntries(columns.map((c) => [c, mean(list.map((row) => row[c]).filter((n) => n !== undefined))])),
  fifth: list.filter((row) => row.recall < 0.8).length, half: list.filter((row) => row.recall < 0.5).length,
  silent: list.filter((row) => row.recall < 0.5 && !row.warning).length,
})
const names = ['ours', ...(options.ours ? [] : Object.keys(converters))]
const number = (n) => Number.isNaN(n) ? '–' : n.toFixed(3).replace(/^0/, '')
const line = (title, s) => `| ${[title, s.pages, ...columns.map((c) => number(s[c])), s.fifth, s.half, s.silent].join(' | ')} |`
console.log(`Half: ${options.half}, seed: ${options.seed}. Means of pages; "code" to "tables" are shares of blocks, links, headings with their levels, and rows that arrive.\n`)
const head = (first) => console.log(`| ${first} | pages | ${columns.join(' | ')} | a fifth lost | half lost | … without a warning |\n|---|${'--:|'.repeat(columns.length + 4)}`)
head('all')
for (const name of names) console.log(line(name, summary(rows.filter((row) => row.converter === name))))
for (const name of names) {
  console.log(`\n### ${name}\n`)
  head('generator')
  for (const g of generators) {
    const list = rows.filter((row) => row.converter === name && row.generator === g.name)
    if (list.length) console.log(line(g.name, summary(list)))
  }
}
if (options.lost) {
  console.log('\n### pages of ours that lose a fifth, or have a fifth too much\n')
  for (const row of rows.filter((row) => row.converter === 'ours' && (row.recall < 0.8 || row.precision < 0.8))) {
    console.log(`- ${row.page}: recall ${number(row.recall)}, precision ${number(row.precision)}, ${row.words} words${row.warning && `, warning: ${row.warning}`}\n  missing: ${row.missing}\n  added: ${row.added}`)
  }
}
if (options.json) fs.writeFileSync(options.json, JSON.stringify(rows))

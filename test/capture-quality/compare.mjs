// Compares the Markdown of documentation pages from this program, readability.js with turndown, defuddle, and turndown for the whole
// page.
//
//   node compare.mjs DIR [--half tune|apart] [--pages N] [--seed TEXT] [--only WORD] [--ours] [--lost] [--json FILE]
//
// DIR is the folder that corpus.sh made. The sample has N pages of each generator in generators.mjs, selected by the hash of the seed
// and their path. Half of them, by the hash of the path, is kept apart from the people who change the rules. --ours leaves the other
// programs out, and --lost names pages that lose much. generators.mjs says what belongs to a page. If a program takes more than 30
// seconds for a page, the page is named and does not count for that program.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { stop, work } from './bounded.mjs'
import { converters } from './converters.mjs'
import generators from './generators.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: 'string', default: 'apart' }, pages: { type: 'string', default: '16' }, seed: { type: 'string', default: 'capture' }, only: { type: 'string', default: '' },
    ours: { type: 'boolean' }, lost: { type: 'boolean' }, json: { type: 'string' },
  },
})
const corpus = positionals[0] ?? (console.error('usage: node compare.mjs DIR [options]'), process.exit(2))
const maxBytes = 1_000_000 // jsdom takes seconds for more
const seconds = 30 // for a program and a page
const hash = (text) => createHash('sha256').update(text).digest()

const files = (root) => fs.existsSync(root) ? fs.readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((e) => e.isFile() && e.name.endsWith('.html')).map((e) => path.relative(root, path.join(e.parentPath ?? e.path, e.name))).sort() : []

// sample yields pages of a generator: their paths, URLs, and contents.
async function* sample(generator) {
  const root = path.join(corpus, generator.root)
  const order = files(root).filter((file) => (generator.pages ?? /./).test(file))
    .map((file) => [hash(`${options.seed} ${file}`).toString('hex'), file]).sort()
  let count = 0
  for (const [, file] of order) {
    if (count === Number(options.pages)) return
    if (fs.statSync(path.join(root, file)).size > maxBytes) continue
    const url = `https://${path.basename(root).replace(/[^a-z0-9-]/gi, '')}.example/${file.split(path.sep).map(encodeURIComponent).join('/')}`
    const wanted = (hash(file)[0] % 2 ? 'apart' : 'tune') === options.half
    const { result: belongs, error } = await work({ task: 'truth', file: path.join(root, file), url, generator: generator.name }, 2 * seconds)
    if (error) console.error(`${file}: its contents are not known: ${error}`)
    if (!belongs) continue // a frame, a redirect, a page without text
    count++
    if (wanted) yield { file: path.join(root, file), name: `${generator.root}/${file}`, generator: generator.name, url, belongs }
  }
}

const pages = []
for (const generator of generators.filter((g) => g.name.includes(options.only))) {
  for await (const page of sample(generator)) pages.push(page)
}
const ours = execFileSync('go', ['run', '../../internal/dev/pagemarkdown'], { cwd: import.meta.dirname, maxBuffer: 1 << 30, input: pages.map(({ url, file }) => JSON.stringify({ url, file })).join('\n') })
  .toString().trim().split('\n').map((line) => JSON.parse(line))
if (ours.length !== pages.length) throw new Error(`${ours.length} answers for ${pages.length} pages`)

const names = ['ours', ...(options.ours ? [] : Object.keys(converters))]
const rows = []
const late = []
for (const [i, page] of pages.entries()) {
  for (const converter of names) {
    const { result, error, late: isLate } = converter === 'ours' ? { result: ours[i].markdown, error: ours[i].error } : await work({ task: 'convert', converter, file: page.file, url: page.url }, seconds)
    const measured = isLate ? { error, late: true } : await work({ task: 'measure', markdown: result ?? '', url: page.url, belongs: page.belongs }, seconds)
    if (!measured.result) late.push(`${converter}: ${page.name}`)
    else rows.push({ converter, generator: page.generator, page: page.name, words: page.belongs.count, warning: (converter === 'ours' && ours[i].notes?.join(' ')) || error || '', ...measured.result })
  }
  if (i % 20 === 19) console.error(`${i + 1} of ${pages.length} pages`)
}
stop()

const mean = (list) => list.length ? list.reduce((sum, n) => sum + n, 0) / list.length : NaN
const columns = ['recall', 'precision', 'code', 'links', 'headings', 'tables']
const summary = (list) => ({
  pages: list.length,
  ...Object.fromEntries(columns.map((c) => [c, mean(list.map((row) => row[c]).filter((n) => n !== undefined))])),
  fifth: list.filter((row) => row.recall < 0.8).length, half: list.filter((row) => row.recall < 0.5).length,
  silent: list.filter((row) => row.recall < 0.5 && !row.warning).length,
})
const number = (n) => Number.isNaN(n) ? '–' : n.toFixed(3).replace(/^0/, '')
const line = (title, s) => `| ${[title, s.pages, ...columns.map((c) => number(s[c])), s.fifth, s.half, s.silent].join(' | ')} |`
console.log(`Half: ${options.half}, seed: ${options.seed}. Means of pages; "code" to "tables" are shares of blocks, links, headings with their levels, and rows that arrive.\n`)
const head = (first) => console.log(`| ${first} | pages | ${columns.join(' | ')} | a fifth lost | half lost | … without a warning |\n|---|${'--:|'.repeat(columns.length + 4)}`)
head('all')
for (const name of names) console.log(line(name, summary(rows.filter((row) => row.converter === name))))
console.log(`\n| recall and precision | pages | ${names.join(' | ')} |\n|---|--:|${'--:|'.repeat(names.length)}`)
for (const g of generators) {
  const list = rows.filter((row) => row.generator === g.name)
  const cells = names.map((name) => summary(list.filter((row) => row.converter === name))).map((s) => `${number(s.recall)} ${number(s.precision)}`)
  if (list.length) console.log(`| ${[g.name, list.filter((row) => row.converter === 'ours').length, ...cells].join(' | ')} |`)
}
console.log('\nOurs:\n')
head('generator')
for (const g of generators) {
  const list = rows.filter((row) => row.converter === 'ours' && row.generator === g.name)
  if (list.length) console.log(line(g.name, summary(list)))
}
for (const name of late) console.log(`\nNot within ${seconds} s: ${name}`)
if (options.lost) {
  console.log('\n### pages of ours that lose a fifth, or have a fifth too much\n')
  for (const row of rows.filter((row) => row.converter === 'ours' && (row.recall < 0.8 || row.precision < 0.8))) {
    console.log(`- ${row.page}: recall ${number(row.recall)}, precision ${number(row.precision)}, ${row.words} words${row.warning && `, warning: ${row.warning}`}\n  missing: ${row.missing}\n  added: ${row.added}`)
  }
}
if (options.json) fs.writeFileSync(options.json, JSON.stringify(rows))

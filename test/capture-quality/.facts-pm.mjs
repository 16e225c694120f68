// Checks facts about pages: what the Markdown of each page must say, written from the sources of the page before it was converted.
//
//   node facts.mjs [--ours] [--lost] [--json FILE] [FOLDER]
//
// FOLDER has facts.json and the pages that it names; the default is facts. The parts of facts.json are:
//
//   has, lacks   texts that the Markdown must and must not have; white space does not count
//   headings     texts of headings, some with their level; signatures   texts that must be code; white space does not count
//   code         texts of code, with their lines and relative indentation
//   diff         lines of code: a sign, and the text of the line
//   rows         the cells of a row of a table
//   tasks        items with a box
//   notices      the kind that GitHub has, a title or null, and the begin of the body
//   tabs, titles a label, and the text that follows it
//   footnotes    a text with a reference, and the footnote
//   inline, display   formulas as TeX
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { stop, work } from './bounded.mjs'
import { converters } from './converters.mjs'

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { ours: { type: 'boolean' }, lost: { type: 'boolean' }, json: { type: 'string' } } })
const folder = path.resolve(positionals[0] ?? path.join(import.meta.dirname, 'facts'))

const flat = (s) => s.replace(/\s+/g, ' ').replace(/\\(?=[[\]*_~`<>#.-])/g, '')
const quoted = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const bare = (tex) => tex.replace(/[\s{}]/g, '')
const unlinked = (markdown) => markdown.replace(/(?<!!)\[((?:[^[\]\\]|\\.)*)\]\(<?[^)\s]*>?(?: "[^"]*")?\)/g, '$1')
const near = (markdown, label, text) => flat(markdown).split(flat(text)).slice(0, -1).some((before) => before.slice(-160).includes(label))
const checks = {
  has: (markdown, fact) => [markdown, unlinked(markdown)].some((s) => flat(s).includes(flat(fact))),
  headings: (markdown, fact) => unlinked(markdown).split('\n').some((line) => /^#/.test(line) && flat(line.replace(/[*`]/g, '').replace(/^#+ /, fact[0] === '#' ? '$&' : '')).trim() === fact),
  signatures: (markdown, fact) => [...unlinked(markdown).matchAll(/^ *(`{3,})[^`\n]*\n([^]*?)^ *\1 *$|(`+)([^`]|[^`][^]*?[^`])\3(?!`)/gm)].some((m) => (m[2] ?? m[4]).replace(/\s/g, '').includes(fact.replace(/\s/g, ''))),
  lacks: (markdown, fact) => !markdown.includes(fact),
  code: (markdown, fact) => new RegExp(fact.split('\n').map((line, i) => `^${i ? '\\1' : '([ \\t]*)'}${quoted(line)}[ \\t]*$`).join('\n+'), 'm').test(markdown.replace(/^(> ?)+/gm, '')),
  diff: (markdown, fact) => new RegExp(`^\\${fact[0] === ' ' ? 's' : fact[0]}\\s*${quoted(fact.slice(1).trim())}`, 'm').test(markdown),
  rows: (markdown, cells) => new RegExp(`^ *\\|\\s*${cells.map(quoted).join('\\s*\\|\\s*')}\\s*\\|`, 'm').test(markdown),
  tasks: (markdown, fact) => new RegExp(quoted(fact).replace(/^-/, '[-*]').replaceAll(' ', ' +'), 'm').test(markdown),
  notices: (markdown, [kind, title, body]) => new RegExp(`^ *> ?\\[!${kind}\\][^\\n]*\\n( *>[^\\n]*\\n)* *>[^\\n]*${quoted(body.slice(0, 20))}`, 'im').test(markdown) && (!title || near(markdown, title, body)),
  tabs: (markdown, [label, text]) => near(markdown, label, text),
  titles: (markdown, [label, text]) => near(markdown, label, text),
  footnotes: (markdown, [text, note]) => new RegExp(`${quoted(text)}[\\s.]{0,2}\\[\\^(\\d+)\\][^]*^\\[\\^\\1\\]: ${quoted(note)}`, 'm').test(markdown),
  inline: (markdown, tex) => ['$`T`$', '$T$', '\\(T\\)'].some((form) => bare(markdown).includes(bare(form).replace('T', () => bare(tex)))),
  display: (markdown, tex) => ['```mathT', '$$T', '\\[T'].some((form) => bare(markdown).includes(form.replace('T', () => bare(tex)))),
}

const pages = JSON.parse(fs.readFileSync(path.join(folder, 'facts.json'))).map((page) => ({ ...page, file: path.join(folder, page.file), url: 'https://docs.example.com/guide/' }))
const ours = execFileSync(process.env.PM, [], { cwd: import.meta.dirname, maxBuffer: 1 << 30, input: pages.map(({ url, file }) => JSON.stringify({ url, file })).join('\n') })
  .toString().trim().split('\n').map((line) => JSON.parse(line).markdown ?? '')
const names = ['ours', ...(options.ours ? [] : Object.keys(converters))]
const totals = Object.fromEntries(names.map((name) => [name, [0, 0]]))
console.log(`| generator | facts | ${names.join(' | ')} |\n|---|${'--:|'.repeat(names.length + 1)}`)
for (const [i, page] of pages.entries()) {
  const facts = Object.entries(page.facts).flatMap(([kind, list]) => list.map((fact) => [kind, fact]))
  const cells = []
  for (const name of names) {
    const markdown = name === 'ours' ? ours[i] : (await work({ task: 'convert', converter: name, file: page.file, url: page.url }, 30)).result ?? ''
    const missing = facts.filter(([kind, fact]) => !checks[kind](markdown, fact))
    totals[name][0] += facts.length - missing.length
    totals[name][1] += facts.length
    cells.push(facts.length - missing.length)
    if (options.lost && name === 'ours') for (const [kind, fact] of missing) console.error(`${page.generator}: ${kind} ${JSON.stringify(fact)}`)
  }
  console.log(`| ${[page.generator, facts.length, ...cells].join(' | ')} |`)
}
console.log(`| all | ${totals.ours[1]} | ${names.map((name) => (totals[name][0] / totals[name][1]).toFixed(3).replace(/^0/, '')).join(' | ')} |`)
stop()
if (options.json) fs.writeFileSync(options.json, JSON.stringify(totals))

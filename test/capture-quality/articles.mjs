// Compares the Markdown of articles from several programs, with the measures of each set.
//
//   node articles.mjs DIR [--ours]
//
// DIR is a copy of scrapinghub/article-extraction-benchmark (html, ground-truth.json), of the test pages of mozilla/readability (test/test-pages), or both.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import MarkdownIt from 'markdown-it'
import { stop, work } from './bounded.mjs'
import { converters } from './converters.mjs'
import { parse, text } from './measure.mjs'

const dir = process.argv[2] ?? (console.error('usage: node articles.mjs DIR [--ours]'), process.exit(2))
const others = process.argv.includes('--ours') ? [] : Object.keys(converters)
const sets = {}
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'articles-'))
if (fs.existsSync(path.join(dir, 'ground-truth.json'))) {
  sets['article-extraction-benchmark'] = Object.entries(JSON.parse(fs.readFileSync(path.join(dir, 'ground-truth.json')))).map(([id, item]) => {
    const file = path.join(scratch, `${id}.html`)
    fs.writeFileSync(file, gunzipSync(fs.readFileSync(path.join(dir, 'html', `${id}.html.gz`))))
    return { file, url: item.url, wanted: item.articleBody, n: 4 }
  })
}
const pages = path.join(dir, 'test/test-pages')
if (fs.existsSync(pages)) {
  sets['mozilla/readability'] = fs.readdirSync(pages).map((name) => {
    const file = path.join(pages, name, 'source.html')
    return { file, url: 'http://fakehost/test/page.html', wanted: text(parse(fs.readFileSync(path.join(pages, name, 'expected.html'), 'utf8'), 'http://fakehost/').body), charset: 'utf8', n: 1 }
  })
}

// counts returns how often each run of n words occurs.
function counts(s, n) {
  const tokens = s.match(/[\p{L}\p{N}_]+/gu) ?? []
  const all = new Map()
  const runs = tokens.length < n ? (tokens.length ? [tokens.join(' ')] : []) : tokens.slice(0, tokens.length - n + 1).map((_, i) => tokens.slice(i, i + n).join(' '))
  for (const run of runs) all.set(run, (all.get(run) ?? 0) + 1)
  return all
}

function compare(wanted, got, n) {
  const [a, b] = [counts(wanted, n), counts(got, n)]
  let [both, left, right] = [0, 0, 0]
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const [x, y] = [a.get(key) ?? 0, b.get(key) ?? 0]
    both += Math.min(x, y); right += Math.max(0, y - x); left += Math.max(0, x - y)
  }
  const score = (miss) => (right === 0 && left === 0 ? 1 : both === 0 && miss === 0 ? 0 : both / (both + miss))
  return { precision: score(right), recall: score(left) }
}

const markdownIt = new MarkdownIt({ html: true })
const bodyOf = (markdown) => { // the title is not part of the article
  const body = parse(markdownIt.render(markdown), 'http://fakehost/').body
  if (body.firstElementChild?.tagName === 'H1') body.firstElementChild.remove()
  const all = text(body)
  body.ownerDocument.defaultView.close() // jsdom keeps open windows in memory
  return all
}
const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length
for (const [set, items] of Object.entries(sets)) {
  console.log(`\n| ${set}, ${items.length} pages | F1 | precision | recall | below half | not within 30 s |\n|---|--:|--:|--:|--:|--:|`)
  const input = items.map(({ url, file }) => JSON.stringify({ url, file })).join('\n')
  const ours = execFileSync('go', ['run', '../../internal/dev/pagemarkdown'], { cwd: import.meta.dirname, maxBuffer: 1 << 30, input }).toString().trim().split('\n').map((line) => JSON.parse(line))
  for (const name of ['ours', ...others]) {
    const scores = []
    let late = 0
    for (const [i, item] of items.entries()) {
      const answer = name === 'ours' ? { result: ours[i].markdown } : await work({ task: 'convert', converter: name, file: item.file, charset: item.charset, url: item.url }, 30)
      if (answer.late) { late++; continue }
      scores.push(compare(item.wanted, bodyOf(answer.result ?? ''), item.n))
      if (name === 'ours' && process.argv.includes('--lost') && scores.at(-1).recall * scores.at(-1).precision < 0.6) console.log(`- ${item.file}: ${scores.at(-1).precision.toFixed(2)} ${scores.at(-1).recall.toFixed(2)}`)
    }
    const [p, r] = [mean(scores.map((s) => s.precision)), mean(scores.map((s) => s.recall))]
    console.log(`| ${name} | ${(2 * p * r / (p + r)).toFixed(3)} | ${p.toFixed(3)} | ${r.toFixed(3)} | ${scores.filter((s) => s.recall < 0.5).length} | ${late} |`)
  }
}
stop()
fs.rmSync(scratch, { recursive: true })

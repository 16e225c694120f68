// Compares the text of PDF files with what pdftotext of poppler-utils makes of them.
//
//   node pdf.mjs DIR [--lost]
//
// DIR is what corpus.sh made. A page is "lost" if it lacks a fifth of the words of pdftotext, and "silent" if no warning names
// it either. --lost names these pages, and words that they lack.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { words } from './measure.mjs'

const files = `
  bash/bash bash/bashref debian-handbook/html/nb-NO/images/case-study debian-handbook/html/nb-NO/images/package-lifecycle debian-policy/fhs/fhs-3.0
  debian-policy/policy doxygen/doxygen_manual erlang-doc/lib/kernel-8.5.3/doc/pdf/kernel-8.5.3 erlang-doc/lib/wx-2.2.1/doc/pdf/wx-2.2.1
  ghc-doc/html/users_guide/_static/prof_scc gnutls-doc/gnutls maxima-doc/maximabook-19-Sept-2004 octave/liboctave octave/octave octave/refcard-a4
  python-sklearn-doc/html/_static/iris sbcl/sbcl sbcl/sbcl-internals sqlite3/copyright-release zsh-common/zsh`.trim().split(/\s+/)
const root = path.join(process.argv[2] ?? (console.error('usage: node pdf.mjs DIR [--lost]'), process.exit(2)), 'deb/usr/share/doc')
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'pdf-'))
const inputs = files.map((name, i) => {
  const file = path.join(scratch, `${i}.pdf`)
  const source = path.join(root, `${name}.pdf`)
  fs.writeFileSync(file, fs.existsSync(source) ? fs.readFileSync(source) : gunzipSync(fs.readFileSync(`${source}.gz`)))
  return { url: 'https://docs.example/a.pdf', file }
})
const ours = execFileSync('go', ['run', '../../internal/dev/pagemarkdown'], { cwd: import.meta.dirname, maxBuffer: 1 << 30, input: inputs.map((i) => JSON.stringify(i)).join('\n') })
  .toString().trim().split('\n').map((line) => JSON.parse(line))

// named returns the pages in notes such as "…, on pages 1, 3 to 5."
const named = (notes) => new Set((notes ?? []).flatMap((note) => [...(/ on pages? (.*)\.$/.exec(note)?.[1] ?? '').matchAll(/(\d+)(?: to (\d+))?/g)]
  .flatMap(([, from, to]) => Array.from({ length: Number(to ?? from) - Number(from) + 1 }, (_, i) => Number(from) + i))))
const bag = (list) => list.reduce((m, w) => m.set(w, (m.get(w) ?? 0) + 1), new Map())
const shared = (a, b) => [...a].reduce((n, [w, count]) => n + Math.min(count, b.get(w) ?? 0), 0)
const number = (n) => n.toFixed(3).replace(/^0/, '')

console.log('| PDF | pages | words | recall | precision | warned | lost | silent |\n|---|--:|--:|--:|--:|--:|--:|--:|')
const all = { pages: 0, words: 0, ours: 0, hits: 0, warned: 0, lost: 0, silent: 0 }
for (const [i, name] of files.entries()) {
  const theirs = execFileSync('pdftotext', ['-q', inputs[i].file, '-'], { maxBuffer: 1 << 30 }).toString().split('\f').slice(0, -1)
  const warned = named(ours[i].notes)
  const sum = { pages: theirs.length, words: 0, ours: 0, hits: 0, warned: warned.size, lost: 0, silent: 0 }
  for (const [n, text] of theirs.entries()) {
    const [wanted, got] = [bag(words(text)), bag(words(ours[i].pages?.[n] ?? ''))]
    const [count, counted, hits] = [words(text).length, words(ours[i].pages?.[n] ?? '').length, shared(wanted, got)]
    sum.words += count; sum.ours += counted; sum.hits += hits
    if (count < 20 || hits >= 0.8 * count) continue
    sum.lost++
    if (!warned.has(n + 1)) sum.silent++
    if (process.argv.includes('--lost')) console.log(`- ${name}, page ${n + 1}: ${hits} of ${count}: ${[...wanted.keys()].filter((w) => !got.has(w)).slice(0, 20).join(' ')}`)
  }
  for (const key of Object.keys(all)) all[key] += sum[key]
  const row = (title, s) => console.log(`| ${[title, s.pages, s.words, number(s.hits / (s.words || 1)), number(s.hits / (s.ours || 1)), s.warned, s.lost, s.silent].join(' | ')} |`)
  row(`${path.basename(name)}${ours[i].error ? ` (${ours[i].error})` : ''}`, sum)
  if (i === files.length - 1) row('all', all)
}
fs.rmSync(scratch, { recursive: true })

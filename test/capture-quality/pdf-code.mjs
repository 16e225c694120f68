// Compares the code in PDF files with the code in the same documents as HTML.
//
//   node pdf-code.mjs DIR [--lost] [COMMAND...]
//
// DIR is what corpus.sh made. A line of a <pre> element counts if pdftotext of poppler-utils finds it in the PDF as one line: other
// lines differ between the versions, or are broken. "Code" is the share of them that is a line of code in our text, and "text" the share
// that is any line. "Indented" is the share of pairs of lines, one after the other, whose indentation differs as in the HTML. --lost
// prints lines that are not code. COMMAND converts instead of this version's internal/dev/pagemarkdown, for figures of another version.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { JSDOM } from 'jsdom'

const documents = { // a PDF, and the same as a file or a folder of HTML
  'bash/bashref.pdf': 'bash/bashref.html',
  'debian-policy/policy.pdf': 'debian-policy/policy.html',
  'doxygen/doxygen_manual.pdf': 'doxygen/html',
  'erlang-doc/lib/kernel-8.5.3/doc/pdf/kernel-8.5.3.pdf': 'erlang-doc/lib/kernel-8.5.3/doc/html',
  'gnutls-doc/gnutls.pdf': 'gnutls-doc/html/gnutls.html',
  'octave/octave.pdf': 'octave/octave.html',
  'sbcl/sbcl.pdf': 'sbcl/sbcl.html',
  'zsh-common/zsh.pdf': 'zsh-common/html',
}
const [dir, ...rest] = process.argv.slice(2)
if (!dir) { console.error('usage: node pdf-code.mjs DIR [--lost] [COMMAND...]'); process.exit(2) }
const lost = rest[0] === '--lost' && rest.shift()
const [command, ...args] = rest.length ? rest : ['go', 'run', '../../internal/dev/pagemarkdown']
const root = path.join(dir, 'deb/usr/share/doc')
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'pdf-code-'))

const key = (line) => line.normalize('NFKC').replace(/[‘’`´]/g, "'").replace(/[“”]/g, '"').replace(/[−‐]/g, '-').replace(/\s+/g, ' ').trim()
const indentation = (line) => /^\s*/.exec(line)[0].length
const bag = (list) => list.reduce((m, l) => m.set(l, (m.get(l) ?? 0) + 1), new Map())
const share = (part, whole) => whole ? (part / whole).toFixed(4).replace(/^0/, '') : '–'

// blocks returns the lines of the <pre> elements of a document.
function blocks(source) {
  const files = fs.statSync(source).isDirectory() ? fs.readdirSync(source, { recursive: true }).filter((n) => n.endsWith('.html')).map((n) => path.join(source, n)) : [source]
  return files.flatMap((file) => [...fs.readFileSync(file, 'utf8').matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g)]
    .map(([, html]) => JSDOM.fragment(html).textContent.replaceAll('\t', '        ').split('\n').filter((line) => key(line))))
}

console.log('| PDF | lines | code | text | indented |\n|---|--:|--:|--:|--:|')
const all = { lines: 0, code: 0, text: 0, pairs: 0, indented: 0 }
for (const [name, html] of Object.entries(documents)) {
  const file = path.join(scratch, 'a.pdf')
  const source = path.join(root, name)
  fs.writeFileSync(file, fs.existsSync(source) ? fs.readFileSync(source) : gunzipSync(fs.readFileSync(`${source}.gz`)))
  const theirs = bag(execFileSync('pdftotext', ['-q', '-layout', file, '-'], { maxBuffer: 1 << 30 }).toString().split('\n').map(key))
  const answer = JSON.parse(execFileSync(command, args, { cwd: import.meta.dirname, maxBuffer: 1 << 30, input: JSON.stringify({ url: 'https://docs.example/a.pdf', file }) }).toString())
  const lines = (answer.pages ?? []).flatMap((page) => page.split('\n'))
  const code = lines.filter((line) => line.startsWith('\t') && key(line)).map((line) => line.slice(1))
  const [asCode, asText] = [bag(code.map(key)), bag(lines.map(key))]
  const steps = new Set(code.slice(1).map((line, i) => `${key(code[i])}\n${key(line)}\n${indentation(line) - indentation(code[i])}`))
  const sum = { lines: 0, code: 0, text: 0, pairs: 0, indented: 0 }
  const take = (counts, k) => { const n = counts.get(k) ?? 0; if (n) counts.set(k, n - 1); return n > 0 }
  for (const block of blocks(path.join(root, html))) {
    let before
    for (const line of block) {
      const k = key(line)
      if (!take(theirs, k)) { before = undefined; continue }
      sum.lines++
      if (take(asText, k)) sum.text++
      if (take(asCode, k)) sum.code++
      else if (lost) console.log(`- ${path.basename(name)}: ${line}`)
      const step = before && indentation(line) - indentation(before)
      if (step) {
        sum.pairs++
        if (steps.has(`${key(before)}\n${k}\n${step}`)) sum.indented++
      }
      before = line
    }
  }
  for (const k of Object.keys(all)) all[k] += sum[k]
  console.log(`| ${path.basename(name)} | ${sum.lines} | ${share(sum.code, sum.lines)} | ${share(sum.text, sum.lines)} | ${share(sum.indented, sum.pairs)} |`)
}
console.log(`| all | ${all.lines} | ${share(all.code, all.lines)} | ${share(all.text, all.lines)} | ${share(all.indented, all.pairs)} |`)
fs.rmSync(scratch, { recursive: true })

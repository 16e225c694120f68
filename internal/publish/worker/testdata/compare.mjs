// Runs parts of the Worker on the cases of a file, and prints each result that differs from the result of Go.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { buildSync } = createRequire(new URL('../../../../test/', import.meta.url))('esbuild')
const { outputFiles } = buildSync({
  absWorkingDir: new URL('../src/', import.meta.url).pathname,
  stdin: {
    contents: `
      export { oneLine } from './documents/excerpt.ts'
      export { words } from './documents/word.ts'
      export { stem } from './documents/stem.ts'
      export { parseGlob } from './glob.ts'
      export { bytesOf } from './text.ts'`,
    resolveDir: new URL('../src/', import.meta.url).pathname,
  },
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2024',
  write: false,
})
// Counts the steps of the matcher of globs.
const code = outputFiles[0].text.replace('for (const state of active) {', '$& globalThis.steps++;')
if (code === outputFiles[0].text) throw new Error('the matcher of globs is not found')
const worker = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)

const { words, globs, hostile, text, line } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const wrong = []
const same = (what, got, want) => {
  if (got !== want && wrong.push(`${what}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`) > 20) finish()
}
function finish() {
  console.log(wrong.join('\n'))
  process.exit(wrong.length > 0 ? 1 : 0)
}

same('a line', worker.oneLine(worker.bytesOf(text)), worker.bytesOf(line))
const stems = new Set()
worker.words(worker.bytesOf(words.text.normalize('NFKC')), (word) => stems.add(worker.stem(word)))
for (const stem of words.stems.map(worker.bytesOf)) if (!stems.delete(stem)) same('a stem', undefined, stem)
const stops = words.others.map(worker.stem) // a stop word has a term only where it is in a name
for (const stem of stems) if (!stops.includes(stem)) same('a stem', stem, undefined)
for (const [pattern, name, matches] of globs) {
  let got
  try {
    got = worker.parseGlob(worker.bytesOf(pattern))(worker.bytesOf(name))
  } catch (error) {
    got = error.message
  }
  same(`glob ${pattern} of ${JSON.stringify(name)}`, got, matches)
}
for (const [pattern, name, most] of hostile) {
  globalThis.steps = 0
  worker.parseGlob(pattern)(name)
  if (!(globalThis.steps > 0 && globalThis.steps <= most)) same(`steps of ${pattern.slice(0, 40)}… for ${name.slice(0, 20)}…`, globalThis.steps, `at most ${most}`)
}
finish()

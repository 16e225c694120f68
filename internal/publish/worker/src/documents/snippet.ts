import { cut, ellipsis, oneLine, trimLeft } from './excerpt.ts'
import { stem } from './stem.ts'
import { words } from './word.ts'
import { runeAt } from '../text.ts'

// Snippets, as in snippet.go and mark.go of internal/library/docs. All strings are bytes.

const snippetSize = 240
const maxFrontMatter = 64 << 10

// snippetOf returns the part of a passage that has most of the words, on one line, and the text before it. The value of
// a stem is true for a word of the query itself. Front matter, of front bytes, is shown only if the text after it has none of the words.
export function snippetOf(text: string, front: number, stems: Map<string, boolean>): { before: string; snippet: string } {
  if (trimLeft(text.slice(front)) === '') front = 0
  let matches: { offset: number; stem: string; value: number }[] = []
  const initials = initialsOf(stems)
  words(text, (word, offset) => {
    if (!initials.has(word[0])) return
    const s = stem(word)
    const exact = stems.get(s)
    if (exact !== undefined) matches.push({ offset, stem: s, value: exact ? 4 : 1 })
  })
  if (matches.some(({ offset }) => offset >= front)) matches = matches.filter(({ offset }) => offset >= front)
  let start = front
  let best = 0
  for (const [i, m] of matches.entries()) {
    let value = 0
    const seen: string[] = []
    for (let k = i; k < matches.length; k++) {
      const other = matches[k] as (typeof matches)[number]
      if (other.offset - m.offset > (snippetSize * 3) / 4) break
      if (seen.includes(other.stem)) continue
      seen.push(other.stem)
      value += other.value
    }
    if (value > best) [start, best] = [m.offset, value]
  }
  const line = start > 0 ? text.lastIndexOf('\n', start - 1) : -1
  if (start - line <= snippetSize / 4) start = line + 1
  else {
    start = Math.max(line + 1, start - snippetSize / 4)
    while (start < text.length && (text.charCodeAt(start) & 0xc0) === 0x80) start++
    const space = text.indexOf(' ', start)
    if (space >= 0 && space - start < snippetSize / 4) start = space + 1
  }
  start += text.length - start - trimLeft(text.slice(start)).length
  return {
    before: text.slice(0, start),
    snippet: ellipsis(oneLine(cut(text.slice(start), 2 * snippetSize)), snippetSize),
  }
}

// frontMatter returns the offset of the text after the front matter of a document, as in internal/text/frontmatter.
export function frontMatter(text: string): number {
  const [begin] = /^(?:\xef\xbb\xbf)?---[ \t\r]*\n/.exec(text) ?? []
  if (begin === undefined) return 0
  for (let offset = begin.length; offset < text.length && offset - begin.length <= maxFrontMatter; ) {
    const end = text.indexOf('\n', offset)
    const next = end < 0 ? text.length : end + 1
    if (/^---[ \t\r]*\n?$/.test(text.slice(offset, next))) return next
    offset = next
  }
  return 0
}

// initialsOf returns the first bytes of words with these stems. A word begins with the same byte as its stem, or it is a version that begins
// with "v", so most words of a text need not be stemmed.
const initialsOf = (stems: Map<string, boolean>): Set<string | undefined> => new Set(['v', ...[...stems.keys()].map((stem) => stem[0])])

// matchesOf returns the ranges of the words with these stems in a text. Words that only a space or an underscore separates are one match.
export function matchesOf(text: string, stems: Map<string, boolean>): [number, number][] {
  const spans: [number, number][] = []
  const initials = initialsOf(stems)
  let last = -1
  words(text, (word, offset) => {
    if (offset < last) return // a whole identifier, whose parts have been yielded
    last = offset
    if (!initials.has(word[0]) || !stems.has(stem(word))) return
    let end = offset
    for (let i = 0; i < word.length; i += runeAt(word, i)[1]) end += runeAt(text, end)[1]
    const span = spans.at(-1)
    if (span && (span[1] >= offset || [' ', '_'].includes(text.slice(span[1], offset)))) {
      span[1] = Math.max(end, span[1])
      return
    }
    spans.push([offset, end])
  })
  return spans
}

// marked returns a snippet with its matches in bold. A match in code, in bold, in a path or address, or next to an asterisk stays
// unchanged. code is the number of backticks that began the code in which the snippet begins, or 0.
export function marked(snippet: string, matches: readonly [number, number][], code: number): string {
  let out = ''
  let offset = 0
  for (const [start, end] of matches) {
    const before = snippet.slice(offset, start)
    out += before
    code = codeAt(before, code)
    const match = snippet.slice(start, end)
    const bold = snippet.slice(0, start).split('**').length % 2 === 0
    out += code > 0 || bold || isLiteral(snippet, start, end) ? match : `**${match}**`
    offset = end
  }
  return out + snippet.slice(offset)
}

// The code of a block, and of all longer runs of backticks.
const fenced = 3

// codeAt returns the code after a text on one line that begins in code, or not.
function codeAt(text: string, code: number): number {
  for (const [marks] of text.matchAll(/`+/g)) {
    const run = Math.min(marks.length, fenced)
    if (code === 0) code = run
    else if (code === run) code = 0
  }
  return code
}

// codeAfter returns the code after a part of a passage, which itself may begin in fenced code.
export function codeAfter(part: string, inFence: boolean): number {
  const end = part.lastIndexOf('\n') + 1
  let fence = inFence ? '```' : ''
  for (const line of part.slice(0, end).split('\n')) {
    const bare = line.replace(/^[> \t]+/, '').replace(/[ \t\r]+$/, '')
    if (fence === '') fence = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(bare)?.[0] ?? ''
    else if (bare.startsWith(fence) && /^(?:`+|~+)$/.test(bare)) fence = ''
  }
  return fence === '' ? codeAt(part.slice(end), 0) : fenced
}

function isLiteral(text: string, start: number, end: number): boolean {
  const from = start > 0 ? text.lastIndexOf(' ', start - 1) + 1 : 0
  const space = text.indexOf(' ', end)
  const around = text.slice(from, space < 0 ? text.length : space)
  return around.includes('/') || text[start - 1] === '*' || text[end] === '*'
}

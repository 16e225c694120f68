import { countOf, cut, ellipsis, trimLeft, trimRight } from './excerpt.ts'
import type { Passage } from './index.ts'
import { stem } from './stem.ts'
import { words } from './word.ts'
import { runeAt } from '../text.ts'

// Snippets, as in snippet.go and mark.go of internal/library/docs. All strings are bytes.

export const snippetSize = 240
const maxFrontMatter = 64 << 10

// A Part is a passage as an answer shows it.
export interface Part {
  heading: string
  line: number
  last: number // line of the passage
  start: number // of the snippet in the passage
  text: string // from the snippet on
  inCode: boolean // text begins in fenced code
}

// partOf returns a passage from the sentence or line of code on that has most of the words.
export function partOf({ heading, line, code, text }: Passage, stems: Map<string, boolean>): Part {
  const start = snippetAt(text, line === 1 ? frontMatter(text) : 0, code, stems)
  const before = text.slice(0, start)
  const from = line + countOf(before, '\n')
  const inCode = fenceAfter(before, code ? '```' : '') !== ''
  const last = from + countOf(trimRight(text.slice(start)), '\n')
  return { heading, line: from, last, start, inCode, text: shownFrom(text.slice(start), heading, inCode) }
}

// shownFrom returns a text as an answer shows it.
export const shownFrom = (text: string, heading: string, inCode: boolean): string => (heading === '' || inCode ? text : belowHeading(text))

// belowHeading returns a text without the heading that begins it, unless there is nothing else.
function belowHeading(text: string): string {
  const [line, under = ''] = text.split('\n', 2) as [string, string?]
  let rest = text.slice(line.length + 1)
  if (under !== '' && /^[=-]+$/.test(under)) rest = rest.slice(under.length + 1)
  else if (!line.startsWith('#')) return text
  rest = trimLeft(rest)
  return rest === '' ? text : rest
}

// excerptOf returns about as many bytes of a part as most says. Lists and code stay as they are.
export function excerptOf({ text, inCode }: Part, most: number): string {
  let out = compactRows(text, inCode, Math.min(most, 2 * snippetSize))
  if (out.length > most) {
    out = cut(out, most)
    const [line, word] = [out.lastIndexOf('\n'), out.lastIndexOf(' ')]
    if (line > most / 2) out = out.slice(0, line)
    else if (word > most / 2) out = `${out.slice(0, word)} \xe2\x80\xa6`
  }
  out = trimRight(out)
  const i = out.lastIndexOf('\n')
  if (openFence(trimRight(trimLeft(out.slice(i + 1)))) !== '' && fenceAfter(out, '') !== '') out = trimRight(out.slice(0, Math.max(i, 0)))
  if (inCode) out = `\`\`\`\n${out}`
  const open = fenceAfter(out, '')
  return open === '' ? out : `${out}\n${open}`
}

// compactRows returns a text whose tables have no padding and no anchors. In a row that is longer than most, each cell is cut, so that none is missing.
export function compactRows(text: string, inCode: boolean, most: number): string {
  let fence = inCode ? '```' : ''
  const compact = (line: string): string => {
    const before = fence
    fence = fenceAfter(line, fence)
    if (before + fence !== '' || !/^[> \t]*\|/.test(line)) return line
    let row = line.replace(/[ \t]{2,}|-{4,}|<a (?:id|name)="[^"]*">(?:<\/a>)?/g, (s) => (s.startsWith('-') ? '---' : s.startsWith('<') ? '' : ' '))
    let cells = row.split('|')
    for (let size = most; row.length > most && size > 16; size = Math.trunc((size * 3) / 4)) {
      cells = cells.map((cell) => ellipsis(cell, size))
      row = cells.join('|')
    }
    return row
  }
  return text.split('\n').map(compact).join('\n')
}

// snippetAt returns where the sentence or line of code begins from which on a passage has most of the words. The value of a stem is true
// for a word of the query itself. Front matter, of front bytes, is shown only if there is nothing else.
function snippetAt(text: string, front: number, inFence: boolean, stems: Map<string, boolean>): number {
  if (trimLeft(text.slice(front)) === '') front = 0
  const matches: { offset: number; stem: string; value: number }[] = []
  const initials = initialsOf(stems)
  words(text, (word, offset) => {
    if (offset < front || !initials.has(word[0])) return
    const s = stem(word)
    const exact = stems.get(s)
    if (exact !== undefined) matches.push({ offset, stem: s, value: exact ? 4 : 1 })
  })
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
  start = front + sentence(text.slice(front), start - front, inFence)
  return start + text.length - start - trimLeft(text.slice(start)).length
}

// lineAt returns where the line that ends at an offset begins.
const lineAt = (text: string, end: number): number => (end > 0 ? text.lastIndexOf('\n', end - 1) + 1 : 0)

// block matches a text whose first line does not continue the sentence of the line before it, and alone a line after which a sentence begins.
const block = /^[ \t>]*(?:(?:[-*+#]|[0-9]{1,9}[.)])[ \t]|[|<]|```|~~~|:::|!!!|\r?\n|$)/
const alone = /^[ \t>]*(?:#|[|<]|```|~~~|:::|[-=]+$|$)|[|>]$/

// sentence returns where the sentence, or the line of code, around an offset begins; in a long sentence, the beginning of a word.
function sentence(text: string, at: number, inFence: boolean): number {
  let start = lineAt(text, at)
  if (fenceAfter(text.slice(0, start), inFence ? '```' : '') !== '' || /^[ \t>]*\|/.test(text.slice(start))) return start // or a row of a table
  while (start > 0 && !block.test(text.slice(start))) {
    const before = lineAt(text, start - 1)
    if (alone.test(text.slice(before, start).replace(/[ \r\n]+$/, ''))) break
    start = before
  }
  const from = start
  for (let i = from; i < at; ) {
    const [r, size] = runeAt(text, i)
    i += size
    if (r === 0x3002 || r === 0xff01 || r === 0xff1f || (i < at && (r === 0x2e || r === 0x21 || r === 0x3f) && ends(text.slice(i, at)))) start = i
  }
  if (at - start <= snippetSize) return start
  start = at - snippetSize / 4
  return start + `${text.slice(start, at)} `.indexOf(' ')
}

// ends reports whether a sentence ends before a text: its first letter is not a small one.
function ends(text: string): boolean {
  const rest = text.replace(/^(?:[*_`)"]|\xe2\x80\x9d)+/, '')
  const next = trimLeft(rest)
  return /^[\t-\r ]/.test(rest) && !(next !== '' && isLower(runeAt(next, 0)[0]))
}

const isLower = (r: number): boolean => /\p{Ll}/u.test(String.fromCodePoint(r))

// frontMatter returns the offset of the text after front matter, which is YAML or TOML, as in internal/text/frontmatter.
export function frontMatter(text: string): number {
  const [begin, mark] = /^(?:\xef\xbb\xbf)?(---|\+\+\+)[ \t\r]*\n/.exec(text) ?? []
  if (begin === undefined) return 0
  for (let offset = begin.length; offset < text.length && offset - begin.length <= maxFrontMatter; ) {
    const end = text.indexOf('\n', offset)
    const next = end < 0 ? text.length : end + 1
    if (text.slice(offset, next).replace(/[ \t\r]*\n?$/, '') === mark) return next
    offset = next
  }
  return 0
}

// initialsOf returns the first bytes of words with these stems. A word begins with the same byte as its stem, or it is a version that begins
// with "v", so most words of a text need not be stemmed.
const initialsOf = (stems: Map<string, boolean>): Set<string | undefined> => new Set(['v', ...[...stems.keys()].map((stem) => stem[0])])

// openFence returns the fence that opens code on a line, or ''.
const openFence = (line: string): string => /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[0] ?? ''

// fenceAfter returns the fence of the code that a text begins and does not end, or ''. fence is that of the code in which it begins.
export function fenceAfter(text: string, fence: string): string {
  for (const line of text.split('\n')) {
    const bare = line.replace(/[ \t\r]+$/, '').replace(/^[> \t]+/, '')
    if (fence === '') fence = openFence(bare)
    else if (bare.startsWith(fence) && /^(?:`+|~+)$/.test(bare)) fence = ''
  }
  return fence
}

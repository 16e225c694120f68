import { countOf, cut, ellipsis, ellipsisMark, oneLine, trim, trimLeft, trimRight } from './excerpt.ts'
import type { Passage } from './index.ts'
import { stem } from './stem.ts'
import { words } from './word.ts'
import { folded } from './wording.ts'
import { bytesOf, runeAt, textOf } from '../text.ts'

// Snippets, as in snippet.go and mark.go of internal/library/docs. All strings are bytes.

export const snippetSize = 240
export const smallExcerpt = 60 // bytes of the smallest part of a text that says something
const phraseWorth = 64
const maxFrontMatter = 64 << 10

// A Part is a passage as an answer shows it.
export interface Part {
  heading: string
  line: number // of the snippet
  last: number // line of the passage
  top: number // line of the text
  start: number // of the snippet in the text
  match: number // of the first word of the query in the snippet
  text: string // of the whole passage, for readers
  inFence: boolean // text begins in fenced code
}

type Kind = 'sentence' | 'block' | 'code' | 'heading'

// A Unit is a part of a text that an excerpt shows as a whole, with the blank lines after it.
interface Unit {
  start: number
  end: number
  kind: Kind
  inside: boolean // the line begins in fenced code
}

// block matches a line that does not continue the sentence of the line before it; alone matches such a line that no other line continues.
const block = /^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]|[|<]|:::|!!!)/
const alone = /^[ \t>]*(?:[|<]|:::|!!!)/

// unitsOf splits a text, which may begin in fenced code.
function unitsOf(text: string, inFence: boolean): Unit[] {
  const units: Unit[] = []
  let [fence, open] = [inFence ? '```' : '', false] // open: the next line may continue the last unit
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = text.indexOf('\n', start) + 1 || text.length
    const line = text.slice(start, end).replace(/[ \t\r\n]+$/, '')
    const bare = line.replace(/^[> \t]+/, '')
    const last = units.at(-1)
    const inside = fence !== ''
    const under = /^(?:=+|-+)$/.test(bare) && open && last?.kind === 'sentence'
    fence = fenceAfter(line, fence)
    if (inside || fence !== '') {
      units.push({ start, end, kind: 'code', inside })
      open = false
    } else if (bare === '' || under) {
      open = false
      if (last) last.end = end
      if (last && under) last.kind = 'heading'
    } else if (/^#{1,6}(?:[ \t]|$)/.test(bare)) {
      units.push({ start, end, kind: 'heading', inside })
      open = false
    } else if (block.test(line)) {
      units.push({ start, end, kind: 'block', inside })
      open = !alone.test(line)
    } else if (open && last) last.end = end
    else {
      units.push({ start, end, kind: 'sentence', inside })
      open = true
    }
  }
  for (let i = 0; i < units.length; i++) {
    const { start, end, kind } = units[i] as Unit
    const n = kind === 'sentence' ? firstSentence(text.slice(start, end)) : 0
    if (n > 0) units.splice(i, 1, { start, end: start + n, kind, inside: false }, { start: start + n, end, kind, inside: false })
  }
  return units
}

// firstSentence returns where the second sentence of a text begins, or 0 if there is none.
function firstSentence(text: string): number {
  for (let i = 0; i < text.length; ) {
    const [r, size] = runeAt(text, i)
    i += size
    const wide = r === 0x3002 || r === 0xff01 || r === 0xff1f
    if (!wide && r !== 0x2e && r !== 0x21 && r !== 0x3f) continue
    let begin = i // after the marks that close the sentence
    while (/^(?:[*_`)"]|\xe2\x80\x9d)/.test(text.slice(begin, begin + 3))) begin += text[begin] === '\xe2' ? 3 : 1
    let next = begin
    while (next < text.length && isSpace(runeAt(text, next)[0])) next += runeAt(text, next)[1]
    if (next < text.length && (wide || (next > begin && !isLower(runeAt(text, next)[0])))) return next
  }
  return 0
}

const isSpace = (r: number): boolean => /\p{White_Space}/u.test(String.fromCodePoint(r))
const isLower = (r: number): boolean => /\p{Ll}/u.test(String.fromCodePoint(r))

// readers returns the text of a passage as readers see it, without front matter unless there is nothing else, and its first line.
export function readers({ line, code, text }: Passage): { text: string; top: number } {
  let front = line === 1 ? frontMatter(text) : 0
  if (trimLeft(text.slice(front)) === '') front = 0
  return { text: compact(text.slice(front), code), top: line + countOf(text.slice(0, front), '\n') }
}

// partOf returns a passage with the snippet in it: the unit that has most of the words and phrases, together with the words that only the unit
// after it has, or else the beginning. stems are the words with their worth.
export function partOf(passage: Passage, stems: ReadonlyMap<string, number>, phrases: readonly string[]): Part {
  const { text, top } = readers(passage)
  const units = unitsOf(text, passage.code)
  const found = units.map((): { first: number; stems: string[] } => ({ first: 0, stems: [] }))
  const initials = initialsOf(stems)
  let at = 0
  words(text, (word, offset) => {
    while (at < units.length && offset >= (units[at] as Unit).end) at++
    const [u, into] = [units[at], found[at]]
    if (!u || !into || offset < u.start || u.kind === 'heading' || !initials.has(word[0])) return
    const s = stem(word)
    if (!stems.has(s) || into.stems.includes(s)) return
    if (into.stems.length === 0) into.first = offset
    into.stems.push(s)
  })
  let [start, match, most] = [0, 0, 0]
  for (const [i, { first, stems: own }] of found.entries()) {
    const others = own.length === 0 ? [] : (found[i + 1]?.stems ?? []).filter((s) => !own.includes(s))
    const { start: from, end, kind } = units[i] as Unit
    const stated = kind === 'heading' ? [] : phrases.filter((phrase) => bytesOf(folded(textOf(text.slice(from, end)))).includes(phrase))
    const value = 2 * (sum(own, stems) + phraseWorth * stated.length) + sum(others, stems)
    if (value > most) [start, match, most] = [from, Math.max(first, from), value]
  }
  const line = top + countOf(text.slice(0, start), '\n')
  const last = line + countOf(trim(text.slice(start)), '\n')
  return { heading: passage.heading, line, last, top, start, match, text, inFence: passage.code }
}

const sum = (all: readonly string[], worth: ReadonlyMap<string, number>): number => all.reduce((n, s) => n + (worth.get(s) as number), 0)

// excerptOf returns at most most bytes of a part around its snippet, in whole units, in lines that begin with an indentation.
export function excerptOf(part: Part, most: number, indent = ''): string {
  const units = unitsOf(part.text, part.inFence)
  if (units.length === 0 || most < smallExcerpt) return ''
  let focus = Math.max(units.findLastIndex((u) => u.start <= part.start), 0)
  const top = units.length > 1 && units[0]?.kind === 'heading' && part.heading !== '' ? 1 : 0 // the answer names the heading
  focus = Math.max(focus, top)
  let [from, to] = [focus, focus + 1]
  const { start, end } = units[focus] as Unit
  let shown = unitsIn(part, units.slice(from, to), indent)
  if (shown.length > most) return cutUnit(part, start, end, most, indent)
  for (let [forward, back] = [true, true]; forward || back; ) {
    forward &&= to < units.length
    back &&= from > top
    let [f, t] = [from, to]
    const [before, after] = [start - (units[from] as Unit).start, (units[to - 1] as Unit).end - end]
    if (forward && (!back || after <= 3 * before)) t++
    else if (back) f--
    else continue
    const longer = unitsIn(part, units.slice(f, t), indent)
    if (longer.length <= most) [from, to, shown] = [f, t, longer]
    else if (t > to) forward = false
    else back = false
  }
  while (to - 1 > focus && announces(part, units[to - 1] as Unit)) shown = unitsIn(part, units.slice(from, --to), indent) // what is not there
  return shown
}

// announces reports whether a unit is about what comes after it.
const announces = ({ text }: Part, { start, end, kind, inside }: Unit): boolean =>
  kind === 'heading' || (kind === 'code' && !inside) || (kind !== 'code' && trimRight(text.slice(start, end)).endsWith(':'))

// unitsIn returns neighbouring units as an excerpt.
function unitsIn(part: Part, units: readonly Unit[], indent: string): string {
  const first = units[0] as Unit
  let text = part.text.slice(first.start, units.at(-1)?.end)
  if (!first.inside) text = text.replace(/^[ \t\r\n]+/, '')
  else if (units[1]?.inside === false && fenceAfter(text.slice(0, text.indexOf('\n')), '```') === '') text = text.slice(text.indexOf('\n') + 1).replace(/^[ \t\r\n]+/, '')
  else text = `\`\`\`\n${text}`
  text = trimRight(text.replace(/\n(?:[ \t\r]*\n){2,}/g, '\n\n'))
  const open = fenceAfter(text, '')
  if (open !== '') text += `\n${open}`
  return indent === '' ? text : text.split('\n').map((line) => (trim(line) === '' ? line : indent + line)).join('\n')
}

// cutUnit returns a part of a unit that is longer than an excerpt.
function cutUnit({ text, match }: Part, start: number, end: number, most: number, indent: string): string {
  let out = oneLine(text.slice(start, end))
  const skipped = oneLine(text.slice(start, Math.max(start, match))).length - Math.trunc(most / 4)
  const room = most - indent.length - 4
  const half = Math.trunc(room / 2)
  if (skipped > 0 && out.length - skipped >= half) {
    out = out.slice(cut(out, skipped).length).replace(/^ +/, '')
    const i = out.indexOf(' ')
    if (i >= 0 && i + 1 < Math.trunc(most / 4)) out = out.slice(i + 1)
    out = `${ellipsisMark} ${out}`
  }
  if (out.length > room) {
    out = cut(out, room)
    const i = out.lastIndexOf(' ')
    out = `${i > half ? out.slice(0, i) : out} ${ellipsisMark}`
  }
  return indent + out
}

// compact returns a text without the padding of tables, the markup of images and the targets of links that stand alone. In a row that is
// longer than two snippets, each cell is cut, so that none is missing.
function compact(text: string, inFence: boolean): string {
  let fence = inFence ? '```' : ''
  const most = 2 * snippetSize
  return text.split('\n').map((line) => {
    const before = fence
    fence = fenceAfter(line, fence)
    if (before + fence !== '') return line
    if (definesLink(line)) return ''
    const row = line.includes('![') ? line.replace(/!\[[^\]\n]{0,400}\]\([^()\n]{0,400}\)(?:\{[^}\n]{0,100}\})?/g, '') : line
    if (!/^[> \t]*\|/.test(line)) return row
    let short = row.replace(/[ \t]{2,}|-{4,}|<a (?:id|name)="[^"]*">(?:<\/a>)?/g, (s) => (s.startsWith('-') ? '---' : s.startsWith('<') ? '' : ' '))
    let cells = short.split('|')
    for (let size = most; short.length > most && size > 16; size = Math.trunc((size * 3) / 4)) {
      cells = cells.map((cell) => ellipsis(cell, size))
      short = cells.join('|')
    }
    return short
  }).join('\n')
}

// definesLink reports whether a line defines the target of links: "[label]: target".
function definesLink(line: string): boolean {
  const [label] = /^ {0,3}\[(?!\^)[^[]*?\]:/.exec(line) ?? []
  if (label === undefined) return false
  const rest = trim(line.slice(label.length))
  const end = rest.indexOf(rest.startsWith('<') ? '>' : ' ')
  return rest !== '' && (end < 0 || /^ *(?:$|["'(])/.test(rest.slice(end + 1)))
}

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
const initialsOf = (stems: ReadonlyMap<string, number>): Set<string | undefined> => new Set(['v', ...[...stems.keys()].map((stem) => stem[0])])

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

import { countOf, cut, ellipsis, ellipsisMark, oneLine, trim, trimRight } from './excerpt.ts'
import type { Passage, Unit } from './index.ts'
import { stem } from './stem.ts'
import { words } from './word.ts'
import { folded } from './wording.ts'
import { bytesOf, textOf } from '../text.ts'

// Snippets, as in snippet.go of internal/library/docs and unit.go of internal/text/excerpt. All strings are bytes.

export const snippetSize = 240
export const smallExcerpt = 60 // bytes of the smallest part of a text that says something
const phraseWorth = 64

// A Part is a passage as an answer shows it.
export interface Part {
  heading: string
  line: number // of the snippet
  last: number // line of the passage
  top: number // line of the text
  start: number // of the snippet in the text
  match: number // of the first word of the query in the snippet
  text: string // of the whole passage, for readers
  units: Unit[]
}

// The kinds of units.
const tableRow = 2
const tableHead = 3
const codeLine = 4
const heading = 5

// partOf returns a passage with the snippet in it: the unit that has most of the words and phrases, together with the words that only the unit
// after it has, or else the beginning. stems are the words with their worth.
export function partOf(passage: Passage, stems: ReadonlyMap<string, number>, phrases: readonly string[]): Part {
  const { text, top, units } = passage
  const found = units.map((): { first: number; stems: string[] } => ({ first: 0, stems: [] }))
  const initials = initialsOf(stems)
  let at = 0
  words(text, (word, offset) => {
    while (at < units.length && offset >= (units[at] as Unit).end) at++
    const [u, into] = [units[at], found[at]]
    if (!u || !into || offset < u.start || names(u) || !initials.has(word[0])) return
    const s = stem(word)
    if (!stems.has(s) || into.stems.includes(s)) return
    if (into.stems.length === 0) into.first = offset
    into.stems.push(s)
  })
  let [start, match, most] = [0, 0, 0]
  for (const [i, { first, stems: own }] of found.entries()) {
    const others = own.length === 0 ? [] : (found[i + 1]?.stems ?? []).filter((s) => !own.includes(s))
    const { start: from, end } = units[i] as Unit
    const stated = names(units[i] as Unit) ? [] : phrases.filter((phrase) => bytesOf(folded(textOf(text.slice(from, end)))).includes(phrase))
    const value = 2 * (sum(own, stems) + phraseWorth * stated.length) + sum(others, stems)
    if (value > most) [start, match, most] = [from, Math.max(first, from), value]
  }
  const line = top + countOf(text.slice(0, start), '\n')
  const last = line + countOf(trim(text.slice(start)), '\n')
  return { heading: passage.heading, line, last, top, start, match, text, units }
}

const names = ({ kind }: Unit): boolean => kind === heading || kind === tableHead

const sum = (all: readonly string[], worth: ReadonlyMap<string, number>): number => all.reduce((n, s) => n + (worth.get(s) as number), 0)

// excerptOf returns at most most bytes of a part around its snippet, in whole units, in lines that begin with an indentation.
export function excerptOf(part: Part, most: number, indent = ''): string {
  const { units } = part
  if (units.length === 0 || most < smallExcerpt) return ''
  let focus = Math.max(units.findLastIndex((u) => u.start <= part.start), 0)
  const top = units.length > 1 && units[0]?.kind === heading && part.heading !== '' ? 1 : 0 // the answer names the heading
  focus = Math.max(focus, top)
  let [from, to] = [focus, focus + 1]
  const { start, end } = units[focus] as Unit
  let shown = unitsIn(part, from, to, indent)
  if (shown.length > most) return cutUnit(part, focus, most, indent)
  for (let [forward, back] = [true, true]; forward || back; ) {
    forward &&= to < units.length
    back &&= from > top
    let [f, t] = [from, to]
    const [before, after] = [start - (units[from] as Unit).start, (units[to - 1] as Unit).end - end]
    const rest = back && !closes(part, from - 1) && (!forward || closes(part, to - 1)) // of a paragraph, before other paragraphs
    if (!rest && forward && (!back || after <= 3 * before)) t++
    else if (back) f--
    else continue
    const longer = unitsIn(part, f, t, indent)
    if (longer.length <= most) [from, to, shown] = [f, t, longer]
    else if (t > to) forward = false
    else back = false
  }
  while (to - 1 > focus && units[to - 1]?.announces) shown = unitsIn(part, from, --to, indent) // what is not there
  return shown
}

// closes reports whether a blank line follows a unit, or it is of code.
function closes({ text, units }: Part, number: number): boolean {
  const { start, end, kind } = units[number] as Unit
  return kind === codeLine || /\n[ \t\r]*\n[ \t\r\n]*$/.test(text.slice(start, end))
}

// headOf returns the head of the table of a row, or ''.
function headOf({ text, units }: Part, row: number): string {
  let i = row
  while (i > 0 && units[i]?.kind === tableRow) i--
  return i === row || units[i]?.kind !== tableHead ? '' : text.slice(units[i - 1]?.start, units[i]?.end)
}

// unitsIn returns neighbouring units as an excerpt. Rows of a table have its head.
function unitsIn(part: Part, from: number, to: number, indent: string): string {
  const units = part.units.slice(from, to)
  const first = units[0] as Unit
  let text = headOf(part, from) + part.text.slice(first.start, units.at(-1)?.end)
  if (!first.inside) text = text.replace(/^[ \t\r\n]+/, '')
  else if (units[1]?.inside === false && fenceAfter(text.slice(0, text.indexOf('\n')), '```') === '') text = text.slice(text.indexOf('\n') + 1).replace(/^[ \t\r\n]+/, '')
  else text = `\`\`\`\n${text}`
  text = trimRight(text.replace(/\n(?:[ \t\r]*\n){2,}/g, '\n\n'))
  const open = fenceAfter(text, '')
  if (open !== '') text += `\n${open}`
  return indented(text, indent)
}

const indented = (text: string, indent: string): string => (indent === '' ? text : text.split('\n').map((line) => (trim(line) === '' ? line : indent + line)).join('\n'))

// cutUnit returns a part of a unit that is longer than an excerpt. Each cell of a row is cut, so that none is missing.
function cutUnit(part: Part, focus: number, most: number, indent: string): string {
  const [{ text, match }, { start, end, kind }] = [part, part.units[focus] as Unit]
  let out = oneLine(text.slice(start, end))
  if (kind === tableRow) {
    let head = headOf(part, focus)
    if (head.length > Math.trunc(most / 3)) head = ''
    const row = most - indented(head, indent).length - indent.length
    let cells = out.split('|')
    for (let size = row; out.length > row && size > 16; size = Math.trunc((size * 3) / 4)) {
      cells = cells.map((cell) => ellipsis(cell, size))
      out = cells.join('|')
    }
    if (out.length <= row) return indented(head + out, indent)
  }
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

// initialsOf returns the first bytes of words with these stems. A word begins with the same byte as its stem, or it is a version that begins
// with "v", so most words of a text need not be stemmed.
const initialsOf = (stems: ReadonlyMap<string, number>): Set<string | undefined> => new Set(['v', ...[...stems.keys()].map((stem) => stem[0])])

// openFence returns the fence that opens code on a line, or ''.
const openFence = (line: string): string => /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[0] ?? ''

// fenceAfter returns the fence of the code that a text begins and does not end, or ''. fence is the fence of the code in which it begins.
export function fenceAfter(text: string, fence: string): string {
  for (const line of text.split('\n')) {
    const bare = line.replace(/[ \t\r]+$/, '').replace(/^[> \t]+/, '')
    if (fence === '') fence = openFence(bare)
    else if (bare.startsWith(fence) && /^(?:`+|~+)$/.test(bare)) fence = ''
  }
  return fence
}

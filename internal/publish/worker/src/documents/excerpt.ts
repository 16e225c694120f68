import { bytesOf, textOf } from '../text.ts'
import { fit } from '../tokens.ts'

// Parts of texts, as in internal/text/excerpt. All strings are bytes.

// Characters that nobody sees, besides controls.
const hidden = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

// oneLine returns a text on one line, with a space for controls and without other characters that nobody sees.
export const oneLine = (text: string): string => fields(bytesOf(textOf(text).replace(/\p{Cc}/gu, ' ').replace(hidden, ''))).join(' ')

// fields returns the parts of a text between white space.
export const fields = (text: string): string[] => bytesOf(textOf(text).replace(/\p{White_Space}+/gu, ' ')).split(' ').filter((field) => field !== '')

// firstField returns the text before the first white space.
export const firstField = (text: string): string => bytesOf(textOf(text).split(/\p{White_Space}/u, 1)[0] as string)

const startsRune = (s: string, i: number): boolean => (s.charCodeAt(i) & 0xc0) !== 0x80

// cut shortens a text to at most n bytes, between characters.
export function cut(text: string, n: number): string {
  if (text.length <= n) return text
  for (let back = 0; back < 4 && n >= back; back++) if (startsRune(text, n - back)) return text.slice(0, n - back)
  return text.slice(0, n)
}

export const ellipsisMark = '\xe2\x80\xa6'

// ellipsis is cut with a mark at the end of a shortened text.
export function ellipsis(text: string, n: number): string {
  return text.length <= n ? text : cut(text, n - ellipsisMark.length).replace(/ +$/, '') + ellipsisMark
}

// trimLeft removes white space.
export const trimLeft = (text: string): string => bytesOf(textOf(text).replace(/^\p{White_Space}+/u, ''))

// trimRight removes white space at the end.
export function trimRight(text: string): string {
  const s = textOf(text)
  let end = s.length
  while (/\p{White_Space}/u.test(s.charAt(end - 1))) end--
  return bytesOf(s.slice(0, end))
}

// trim removes white space at both ends.
export const trim = (text: string): string => trimRight(trimLeft(text))

// A Window is a range of lines of a text.
export type Window = ReturnType<typeof linesIn>

// countOf returns how often a byte occurs in a text.
export function countOf(text: string, byte: string): number {
  let n = 0
  for (let i = text.indexOf(byte); i >= 0; i = text.indexOf(byte, i + 1)) n++
  return n
}

// countLines returns the number of lines of a text.
export const countLines = (text: string): number => countOf(text, '\n') + (text.endsWith('\n') || text === '' ? 0 : 1)

// partOf returns linesOf a text between two offsets. The offset of lines and the numbers of the window count all lines of the text.
export function partOf(text: string, start: number, end: number, offset: number, limit: number, size: number, room: number): Window {
  const skip = countOf(text.slice(0, start), '\n')
  const w = linesOf(text.slice(start, end), offset - skip, 0, limit, size, room)
  return { ...w, first: w.first + skip, last: w.last + skip, total: w.total + skip }
}

export const maxText = 100 << 10 // bytes of a text in an answer

// linesOf returns limit lines of a text, or all lines if limit is 0, from the line offset, without the first skip bytes of that line, and
// at most size bytes that take at most room tokens.
export function linesOf(text: string, offset: number, skip: number, limit: number, size: number, room: number): Window {
  const w = linesIn(text, offset, skip, limit, size)
  const n = fit(w.text, room)
  return n < w.text.length ? linesIn(text, offset, skip, limit, n) : w
}

// skipped are bytes of the first line; broken: the last line is cut; beyond: the text has no such line.
function linesIn(text: string, offset: number, skip: number, limit: number, size: number) {
  const w = { text: '', first: Math.max(offset, 1), last: 0, skipped: 0, total: countLines(text), broken: false, beyond: false }
  if (w.first > w.total) {
    w.beyond = w.first > 1 || skip > 0
    w.last = w.total
    return w
  }
  let start = 0
  for (let i = 1; i < w.first; i++) start = text.indexOf('\n', start) + 1
  if (skip > 0) {
    const end = text.indexOf('\n', start)
    const line = end < 0 ? text.slice(start) : text.slice(start, end)
    if (skip >= line.length) {
      w.beyond = true
      w.last = w.first
      return w
    }
    w.skipped = cut(line, skip).length
    start += w.skipped
  }
  let end = start
  let n = 0
  while (end < text.length && (limit <= 0 || n < limit)) {
    const newline = text.indexOf('\n', end)
    const next = newline < 0 ? text.length : newline + 1
    if (next - start > size) {
      if (n === 0) {
        end = start + cut(text.slice(start, next), size).length
        n = 1
        w.broken = true
      }
      break
    }
    end = next
    n++
  }
  w.text = text.slice(start, end)
  w.last = w.first + n - 1
  return w
}

export const isPartial = (w: Window): boolean => w.first > 1 || w.skipped > 0 || w.last < w.total || w.broken

// missing says that the text has no such lines.
export function missing(w: Window): string {
  return w.first <= w.total
    ? `Line ${w.first} has fewer bytes.`
    : `There is no line ${w.first}: the last one is ${w.total}.`
}

// howToGoOn says how to read the next lines, if there are any.
export function howToGoOn(w: Window): string {
  if (!w.broken) {
    return w.last < w.total ? `\n[Lines ${w.first} to ${w.last} of ${w.total}. To continue, use offset ${w.last + 1}.]\n` : ''
  }
  const how = w.last < w.total ? ` To continue after it, use offset ${w.last + 1}.` : ''
  return `\n\n[Line ${w.last} is too long and was cut.${how}]\n`
}

import type { Assets } from '../assets.ts'
import { foldRune, lowerOf } from '../characters.ts'
import { bytesOf, runeAt } from '../text.ts'
import { trim } from './excerpt.ts'
import { kept } from './kept.ts'
import { nearest } from './nearest.ts'
import { Reader } from './reader.ts'
import { textOf } from './text.ts'
import { isInWord, runeOf } from './word.ts'

// Headings of texts, which the build finds and outlines.go writes. All strings are bytes.

export interface Heading {
  text: string
  slug: string
  line: number
  start: number // in the text
  end: number // of its section
}

// The maximum number of headings of a text.
const maxHeadings = 50_000

export interface OutlineShard {
  path: string
  first: string // the first 16 hexadecimal digits of the smallest digest
}

// outlineOf returns the headings of the text in an asset.
export async function outlineOf(assets: Assets, shards: readonly OutlineShard[], blob: string): Promise<Heading[]> {
  const digest = blob.slice('b/'.length, 'b/'.length + 16)
  let i = shards.length - 1
  while (i >= 0 && (shards[i] as OutlineShard).first > digest) i--
  if (i < 0) return []
  const outlines = await kept(assets, (shards[i] as OutlineShard).path, 3, outlinesOf)
  return outlines(digest)
}

function outlinesOf(data: Uint8Array): (digest: string) => Heading[] {
  const r = new Reader(data)
  const places = new Map<string, number>()
  while (r.more) {
    let digest = ''
    for (let i = 0; i < 8; i++) digest += r.byte().toString(16).padStart(2, '0')
    const size = r.number()
    places.set(digest, r.offset)
    r.offset += size
  }
  return (digest) => {
    const offset = places.get(digest)
    if (offset === undefined) return []
    const one = new Reader(data, offset)
    const headings: Heading[] = []
    let line = 0
    let start = 0
    for (let n = one.number(); n > 0; n--) {
      line += one.number()
      start += one.number()
      const size = one.number()
      headings.push({ line, start, end: start + size, text: one.string(), slug: one.string() })
    }
    return headings
  }
}

// anchor returns the name of a heading in links.
function anchor(text: string): string {
  let out = ''
  for (const [r] of runesOf(lower(text))) {
    if (r === 0x20) out += '-'
    else if (r === 0x2d || r === 0x5f || isInWord(r)) out += runeOf(r)
  }
  return out
}

const lower = (bytes: string): string => bytesOf(lowerOf(textOf(bytes)))

function* runesOf(s: string): Generator<[rune: number, size: number]> {
  for (let i = 0; i < s.length; ) {
    const found = runeAt(s, i)
    yield found
    i += found[1]
  }
}

// folded returns the same text for texts that differ only in case.
function folded(text: string): string {
  let out = ''
  for (const [r] of runesOf(text)) out += runeOf(foldRune(r))
  return out
}

const wanted = (asked: string): string => trim(asked.replace(/^#+/, ''))

// sectionOf returns the first heading with a text or a name in links.
export function sectionOf(headings: readonly Heading[], asked: string): Heading | undefined {
  const want = wanted(asked)
  if (want === '') return undefined
  const slug = anchor(want)
  const same = folded(want)
  const low = lower(want)
  let near: Heading | undefined
  for (const h of headings) {
    if (h.slug === low || folded(h.text) === same) return h
    if (!near && slug !== '' && h.slug === slug) near = h
  }
  return near
}

// unfound returns a hint for a section that was not found, or ''.
export const unfound = (headings: readonly Heading[]): string =>
  headings.length < maxHeadings
    ? ''
    : `only the first ${maxHeadings} headings of a document can be asked for; search for what is below the others, or read them by their lines`

const maxCompared = 5000
const maxNear = 10

// offered returns the headings that are similar to a missing heading, or else the first headings.
export function offered(all: readonly Heading[], asked: string): { headings: string[]; near: boolean } {
  const texts = all.slice(0, maxCompared).map((h) => h.text)
  const found = nearest(wanted(asked), texts, maxNear)
  return found.length > 0 ? { headings: found, near: true } : { headings: texts, near: false }
}

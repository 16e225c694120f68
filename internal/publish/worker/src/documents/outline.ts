import type { Assets } from '../assets.ts'
import { bytesOf, lowerOf, sameCase, textOf } from '../text.ts'
import { countOf, cut, trim } from './excerpt.ts'
import { kept } from './kept.ts'
import { Reader } from './reader.ts'

// Headings of texts, which the build finds and outlines.go writes. All strings are bytes.

export interface Heading {
  text: string
  slug: string
  line: number
  start: number // in the text
  end: number // of its section
}

// The maximum number of headings of a text.

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
  for (let digest = ''; r.more; ) {
    digest = r.shared(digest)
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

// listed returns the headings of a text with their lines. If they are more than most, the deepest ones are left out, unless the title
// would be alone.
export function listed(text: string, headings: readonly Heading[], most: number): string[] {
  const ends: number[] = [] // of the sections around a heading
  const counts: number[] = [0, 0, 0, 0, 0, 0]
  const depths = headings.map((h) => {
    while (ends.length > 0 && (ends.at(-1) as number) <= h.start) ends.pop()
    counts[ends.length] = (counts[ends.length] as number) + 1
    return ends.push(h.end) - 1
  })
  let depth = 0
  for (let total = counts[0] as number; depth + 1 < counts.length; depth++) {
    const more = total + (counts[depth + 1] as number)
    if (more > most && total > 1) break
    total = more
  }
  return headings.flatMap((h, i) => ((depths[i] as number) > depth ? [] : [`${countOf(text.slice(0, h.start), '\n') + 1} ${'-'.repeat(depths[i] as number)} ${h.text}`]))
}

// anchor returns the name of a heading in links.
const anchor = (text: string): string => lowerOf(text).replace(/[^-_ \p{L}\p{M}\p{Nd}]/gu, '').replaceAll(' ', '-')

// What a line defines as an id, as in section.go.
const ids = /\{[^{}]{0,200}#([\w:.\/-]+)[^{}]{0,200}\}|\b(?:id|name|title|label|header|path|query|body|permalink|anchor)[\t\n\f\r ]*[=:][\t\n\f\r ]*(?:"([^"]{1,200})"|'([^']{1,200})'|([^\t\n\f\r "',\]>]+))|\{\/\*[\t\n\f\r ]*#?([^\t\n\f\r *]{1,200})[\t\n\f\r ]*\*\/\}|\[\[\[?([^\[\],\t\n\f\r ]{1,200})[^\]]{0,200}\]\]|\[[\w-]*#([^\],.%\t\n\f\r ]+)|anchor:([^\[\t\n\f\r ]{1,200})\[|^\(([^)]+)\)=|^[\t\n\f\r ]*:(?:name|label):[\t\n\f\r ]*([^\t\n\f\r ]+)|\$\$[ \t]*\(([^)]{1,200})\)[\t\n\f\r ]*$|^\[\^([^\]\t\n\f\r ]+)\]:|\.\. _`?([^:`]{1,200})`?:/g
const maxLine = 4 << 10

// defining returns the heading in whose section, or directly before which, a text defines an id.
function defining(text: string, headings: readonly Heading[], id: string): Heading | undefined {
  const same = sameCase(id)
  const low = lowerOf(id)
  let offset = 0
  for (const line of text.split(/(?<=\n)/)) {
    const written = line.length <= maxLine ? textOf(line) : ''
    if (lowerOf(written).includes(low) && [...written.matchAll(ids)].slice(0, 100).some((m) => sameCase(m.slice(1).join('')) === same)) {
      const at = headings.findIndex((h) => h.start >= offset)
      const next = headings[at]
      if (next && next.start - offset <= maxLine && !/\p{L}/u.test(textOf(text.slice(offset, next.start)).replace(ids, '').replace(/<[^<>]{0,300}>/g, ''))) return next
      return at < 0 ? headings.at(-1) : headings[at - 1]
    }
    offset += line.length
  }
  return undefined
}

// sectionOf returns the first heading with a text or a name in links, else the one in whose section the text defines the name.
export function sectionOf(text: string, headings: readonly Heading[], asked: string): Heading | undefined {
  const want = textOf(trim(asked.replace(/^#+/, '')))
  if (want === '') return undefined
  const slug = bytesOf(anchor(want))
  const low = bytesOf(lowerOf(want))
  const same = sameCase(want)
  const letters = lettersOf(slug)
  return headings.find((h) => h.slug === low || sameCase(textOf(h.text)) === same)
    ?? headings.find((h) => slug !== '' && (h.slug === slug || bytesOf(anchor(textOf(h.text))) === slug))
    ?? headings.find((h) => letters !== '' && (lettersOf(h.slug) === letters || lettersOf(bytesOf(anchor(textOf(h.text)))) === letters))
    ?? defining(text, headings, want)
}

// lettersOf returns a name in links without hyphens and underscores.
const lettersOf = (name: string): string => name.replace(/[-_]/g, '')

const maxCompared = 5000
const maxAsked = 256
const maxNear = 10
const sameStart = 3

// offered returns the headings that have words like a missing one, the most similar first, or else the first headings.
export function offered(all: readonly Heading[], asked: string): { headings: string[]; near: boolean } {
  const starts = anchor(textOf(cut(asked, maxAsked))).split('-').filter((word) => word !== '').map((word) => `-${[...`${word}-`].slice(0, sameStart).join('')}`)
  const headings = all.slice(0, maxCompared).map((h) => h.text)
  const alike = (heading: string): number => starts.reduce((n, start) => n + `-${anchor(textOf(heading))}-`.split(start).length - 1, 0)
  const similar = [...new Set(headings)].map((heading) => ({ heading, n: alike(heading) })).filter(({ n }) => n > 0).sort((a, b) => b.n - a.n)
  return similar.length > 0 ? { headings: similar.slice(0, maxNear).map(({ heading }) => heading), near: true } : { headings, near: false }
}

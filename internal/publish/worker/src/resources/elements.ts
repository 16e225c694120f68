import { lowerOf } from '../characters.ts'
import type { Context } from '../context.ts'
import { newCursor, parseCursor } from '../cursor.ts'
import { kept } from '../documents/kept.ts'
import { nearest } from '../documents/nearest.ts'
import type { Heading } from '../documents/outline.ts'
import { formats, spaces } from '../tables/characters.ts'
import { contains } from '../tables/ranges.ts'
import { bytesOf, lengthOf, runeAt, shown } from '../text.ts'
import { decode } from '../uri.ts'
import { compare } from './order.ts'
import { estimate } from './tokens.ts'

// The pages of elements of the capability index, as in internal/library/capability.

const scheme = 'capability-index'
const maxQuery = 256 // bytes of a query
const maxLimit = 1000 // elements of a page
const maxPage = 9000 // tokens of a page, without a reserve for errors of the estimate

export interface Page {
  type: string
  query: string
  limit: number // 0: as many as fit
  cursor: string
  fault?: string // what is wrong with the query
}

interface Elements {
  head: string // NUL is replaced by the description of the page
  count: number
  title: { text: string; slug: string; start: number } // the only heading of a page
  rows: [key: string, text: string, entry: string, tokens: number][] // queries search the text, which is in lower case
}

const decoder = new TextDecoder()

// elementsOf reads an asset: keys are bytes, and the text of a resource is its key.
function elementsOf(data: Uint8Array): Readonly<Elements> {
  const elements = JSON.parse(decoder.decode(data)) as Elements
  for (const row of elements.rows) {
    row[0] = decode(row[0])
    row[1] = lowerOf(row[1] === '' ? displayed(decode(row[0])) : row[1])
  }
  return elements
}

// parsePage parses a URI of capability-index://elements. It returns undefined for other URIs.
export function parsePage({ manifest }: Context, requested: string): Page | undefined {
  const s = requested.split('#', 1)[0] as string
  const colon = s.indexOf('://')
  if (colon < 0 || s.slice(0, colon).toLowerCase() !== scheme) return undefined
  const rest = s.slice(colon + 3)
  const mark = rest.indexOf('?')
  const path = decode(bytesOf(mark < 0 ? rest : rest.slice(0, mark))).replace(/\/$/, '')
  const type = path.startsWith('elements/') ? path.slice('elements/'.length) : ''
  if (!manifest.resources.index || !Object.hasOwn(manifest.resources.index, type)) return undefined
  const page: Page = { type, query: '', limit: 0, cursor: '' }
  const fault = read(page, mark < 0 ? '' : rest.slice(mark + 1))
  return fault ? { ...page, fault } : page
}

// read reads the parameters of a query, and returns what is wrong with them.
function read(page: Page, query: string): string {
  const values = new Map<string, string[]>()
  for (const part of query.split('&')) {
    if (part.includes(';') || /%(?![0-9A-Fa-f]{2})/.test(part)) return 'its query cannot be decoded'
    if (part === '') continue
    const cut = part.indexOf('=')
    const [key, value] = (cut < 0 ? [part, ''] : [part.slice(0, cut), part.slice(cut + 1)]).map((s) => decode(bytesOf((s as string).replaceAll('+', ' ')))) as [string, string]
    values.set(key, [...(values.get(key) ?? []), value])
  }
  for (const [key, all] of values) {
    if (all.length > 1) return `${shown(textOf(key))} is given more than once`
    const value = all[0] as string
    switch (key) {
      case 'q':
        page.query = lineOf(value)
        if (lengthOf(page.query) > maxQuery) return `q has more than ${maxQuery} bytes`
        break
      case 'limit':
        if (value === '') break
        page.limit = /^[+-]?\d{1,15}$/.test(value) ? Number(value) : 0
        if (page.limit < 1 || page.limit > maxLimit) return `limit must be a number from 1 to ${maxLimit}`
        break
      case 'cursor':
        page.cursor = textOf(value)
        if (value !== '' && lastKey(page) === undefined) return 'the cursor is not one of this list'
        break
      default:
        {
        const [near] = nearest(key, ['q', 'limit', 'cursor'], 1)
        return `there is no parameter ${shown(textOf(key))}${near === undefined ? '' : `; did you mean ${near}?`}`
      }
    }
  }
  return ''
}

// textOf returns bytes as text; a run of bytes that are not UTF-8 is one U+FFFD.
function textOf(bytes: string): string {
  let text = ''
  let bad = false
  for (let i = 0; i < bytes.length; ) {
    const [rune, size] = runeAt(bytes, i)
    const invalid = rune === 0xfffd && size === 1
    if (!invalid || !bad) text += String.fromCodePoint(rune)
    bad = invalid
    i += size
  }
  return text
}

// lineOf returns words on one line, without invisible characters.
function lineOf(bytes: string): string {
  let out = ''
  let space = false
  for (const character of textOf(bytes)) {
    const code = character.codePointAt(0) as number
    if (contains(formats, code) && code !== 0x200c && code !== 0x200d) continue
    if (contains(spaces, code)) space = out !== ''
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) continue
    else {
      if (space) out += ' '
      space = false
      out += character
    }
  }
  return out
}

// lastKey returns the key of the last element of the previous page, as bytes.
function lastKey(page: Page): string | undefined {
  if (page.cursor === '') return ''
  const key = parseCursor('e', page.cursor)
  const space = key?.indexOf(' ') ?? -1
  return key !== undefined && space >= 0 && key.slice(0, space) === page.type ? key.slice(space + 1) : undefined
}

const query = (value: string): string => encodeURIComponent(value).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

// uriOf returns the canonical URI of a page.
export function uriOf({ type, query: q, limit, cursor }: Page): string {
  const parameters = Object.entries({ q, limit: limit > 0 ? String(limit) : '', cursor }).filter(([, value]) => value !== '')
  return `${scheme}://elements/${type}${parameters.map(([name, value], i) => `${i === 0 ? '?' : '&'}${name}=${query(value)}`).join('')}`
}

function elementsFor({ assets, manifest }: Context, page: Page): Promise<Readonly<Elements>> {
  return kept(assets, (manifest.resources.index as { [type: string]: string })[page.type] as string, 6, elementsOf)
}

// headingOf returns the only heading of a page, as bytes.
export async function headingOf(context: Context, page: Page, size: number): Promise<Heading> {
  const { text, slug, start } = (await elementsFor(context, page)).title
  return { text: bytesOf(text), slug: bytesOf(slug), line: 1, start, end: size }
}

// pageOf makes a page.
export async function pageOf(context: Context, page: Page): Promise<string> {
  const { head: frame, count: all, rows } = await elementsFor(context, page)
  const words = lowerOf(page.query).split(' ').filter((word) => word !== '')
  const head = frame.replace('\0', () => about(page, all))
  let room = maxPage - estimate(head)
  let [body, count, left, more] = ['', 0, 0, false]
  let last = ''
  for (const [key, text, entry, cost] of rows.slice(startOf(page, rows))) {
    if (!words.every((word) => text.includes(word))) continue
    if (page.limit > 0 && count === page.limit) {
      more = true
      break
    }
    if (cost > maxPage / 2) {
      left++
      last = key
      continue
    }
    if (cost + estimate(uriOf({ ...page, cursor: cursorOf(page, key) })) + 100 > room) {
      more = true
      break
    }
    room -= cost
    count++
    last = key
    body += entry
  }
  if (count === 0 && left === 0) body += page.query === '' ? 'There are none.\n' : 'Nothing matches.\n'
  if (left > 0) body += `\n${plural(left, 'element')} with a very long name are left out.\n`
  if (more) body += `\nThere are more: \`${uriOf({ ...page, cursor: cursorOf(page, last) })}\`\n`
  return `${head}\n${body}`
}

const cursorOf = ({ type }: Page, last: string): string => newCursor('e', `${type} ${last}`)

// displayed returns bytes as text, with U+FFFD for each byte that is not UTF-8.
function displayed(bytes: string): string {
  let text = ''
  for (let i = 0; i < bytes.length; ) {
    const [rune, size] = runeAt(bytes, i)
    text += String.fromCodePoint(rune)
    i += size
  }
  return text
}

// startOf returns the first row of a page.
function startOf(page: Page, rows: Elements['rows']): number {
  const key = lastKey(page) as string
  if (key === '') return 0
  if (page.type !== 'resource') {
    const index = rows.findIndex(([rowKey]) => rowKey === key)
    if (index >= 0 || !['document', 'skill', 'prompt'].includes(page.type)) return index + 1
  }
  const index = rows.findIndex(([rowKey]) => (page.type === 'resource' ? compare(rowKey, key) : rowKey > key ? 1 : 0) > 0)
  return index < 0 ? rows.length : index
}

function about(page: Page, all: number): string {
  let s = `There ${all === 1 ? 'is' : 'are'} ${plural(all, page.type)}`
  if (page.query !== '') s += `; those with ${code(page.query)} follow`
  if (page.cursor !== '') s += '; this is not the first page'
  return `${s}.`
}

// code returns words as code of Markdown.
function code(s: string): string {
  const longest = Math.max(0, ...(s.match(/`+/g) ?? []).map((run) => run.length))
  if (longest === 0 && s !== '') return `\`${s}\``
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${s} ${fence}`
}

const plural = (n: number, thing: string): string => (n === 1 ? `1 ${thing}` : `${String(n).replace(/\B(?=(\d{3})+$)/g, ',')} ${thing}s`)

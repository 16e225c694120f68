import { textOf as textOfAsset } from '../assets.ts'
import { bytesOf, lowerOf, shown, textOf } from '../text.ts'
import { maxTokens } from '../tokens.ts'
import type { Context } from '../context.ts'
import { cut, fields, isPartial, linesOf, maxText, missing, trim } from '../documents/excerpt.ts'
import { kept } from '../documents/kept.ts'
import { type File, kind, type Library } from '../documents/library.ts'
import { Reader } from '../documents/reader.ts'
import { foundBy } from '../documents/search.ts'
import type { Json } from '../json.ts'
import { contentOf } from '../resources/contents.ts'
import { missing as missingResource } from '../resources/errors.ts'
import { lookup, whole } from '../resources/lookup.ts'
import { decode, segment } from '../uri.ts'
import { argumentsOf, asText, Mistake } from './arguments.ts'
import { libraryOf } from './documents.ts'

// The tools search and fetch, as in internal/library/tools.

const maxFound = 10
const maxWords = 20

interface Found {
  id: string
  title: string
  url: string
}

const found = (id: string, title: string): Found => ({ id: textOf(id), title: textOf(title), url: textOf(id) })

// uriOf returns the URI of a document.
export const uriOf = (library: Library, path: string): string => `${library.contents.host}/${path.split('/').map(segment).join('/')}`

export async function callSearch(context: Context, given: Json | undefined): Promise<string> {
  const query = bytesOf(argumentsOf(given, { query: 'string' }).query)
  if (trim(query) === '') throw new Mistake('query is missing')
  const library = libraryOf(context)
  const results: Found[] = []
  const seen = new Set<string>()
  for (const document of await foundBy(library, query, 3 * maxFound)) {
    if (results.length === maxFound) break
    const id = document.uri === '' ? uriOf(library, document.path) : document.uri
    if (seen.has(id)) continue
    seen.add(id)
    if (document.cited) results.push(found(id, document.title))
  }
  await searchResources(library, query, results)
  return asText({ results })
}

interface Cited {
  id: string
  title: string
  text: string // the text that queries search, in lower case
}

function citedOf(data: Uint8Array): Cited[] {
  const r = new Reader(data)
  const out: Cited[] = []
  for (let id = ''; r.more; ) out.push({ id: (id = r.shared(id)), title: r.string(), text: r.string() })
  return out
}

// searchResources adds the resources whose URI, title or description contains all words of the query.
async function searchResources(library: Library, query: string, results: Found[]): Promise<void> {
  const words = fields(bytesOf(lowerOf(textOf(cut(query, 4 << 10))))).slice(0, maxWords)
  const ids = new Set(results.map((r) => r.id))
  let n = 0
  for (const { path } of library.contents.cited) {
    for (const { id, title, text } of await kept(library.assets, path, 3, citedOf)) {
      if (!words.every((word) => text.includes(word)) || ids.has(textOf(id))) continue
      results.push(found(id, title))
      if (++n === maxFound) return
    }
  }
}

interface Fetched extends Found {
  text: string
  metadata: { [key: string]: string }
}

const notExact = 'The file is not UTF-8. Invalid bytes are shown as U+FFFD.'

export async function callFetch(context: Context, given: Json | undefined): Promise<string> {
  const args = argumentsOf(given, { id: 'string' })
  if (args.id === '') throw new Mistake('id is missing')
  const place = /#L([0-9]{1,9})(?:\+([0-9]{1,9}))?$/.exec(args.id)
  const id = place ? args.id.slice(0, place.index) : args.id
  const line = place ? Number(place[1]) : 1
  const skip = Number(place?.[2] ?? 0)
  const f = await fetchText(context, id)
  const lines = linesOf(f.text, line, skip, 0, maxText, maxTokens)
  if (lines.beyond) throw new Mistake(missing(lines))
  const { metadata } = f
  if (isPartial(lines)) metadata['lines'] = `${lines.first}-${lines.last} of ${lines.total}`
  if (lines.broken) metadata['next'] = `${f.id}#L${lines.first}+${lines.skipped + lines.text.length}`
  else if (lines.last < lines.total) metadata['next'] = `${f.id}#L${lines.last + 1}`
  const sorted = Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)))
  return asText({ id: f.id, title: f.title, url: f.url, text: textOf(lines.text), metadata: sorted })
}

// extensionOf is path.Ext.
const extensionOf = (path: string): string => /\.[^./]*$/.exec(path)?.[0] ?? ''

// documentOf returns the document that an id names.
async function documentOf(library: Library, id: string): Promise<File | undefined> {
  const base = `${decode(library.contents.host)}/`
  const decoded = decode(id)
  if (!decoded.startsWith(base)) return undefined
  const file = await library.file(decoded.slice(base.length))
  return file?.isDocument ? file : undefined
}

// fetchText returns the whole text of a resource or document.
async function fetchText(context: Context, id: string): Promise<Fetched> {
  const library = libraryOf(context)
  const file = await documentOf(library, bytesOf(id))
  if (file?.cited) {
    if (file.blob === '') throw new Mistake(`${shown(id)} cannot be read`)
    const metadata: { [key: string]: string } = { mimeType: library.contents.types[textOf(extensionOf(file.path))] ?? '' }
    if (file.kind === kind.inexact) metadata['note'] = notExact
    const text = bytesOf(await textOfAsset(context.assets, file.blob))
    return { ...found(uriOf(library, file.path), file.title), text, metadata }
  }
  const requested = file ? textOf(uriOf(library, file.path)) : id
  const record = await lookup(context, requested)
  if (!record) throw new Mistake(await missingResource(context, id))
  const [uri, mimeType] = record
  const content = JSON.parse(await contentOf(context, whole(record), id)) as { text?: string; blob?: string }
  if (content.text === undefined) {
    const blob = content.blob ?? ''
    const size = (blob.length / 4) * 3 - (blob.endsWith('==') ? 2 : blob.endsWith('=') ? 1 : 0)
    throw new Mistake(`${shown(id)} is ${size} bytes of ${mimeType}, which is not text`)
  }
  return { ...found(bytesOf(uri), await library.titleOf(bytesOf(uri))), text: bytesOf(content.text), metadata: { mimeType } }
}

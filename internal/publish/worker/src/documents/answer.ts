import { bytesIn } from '../assets.ts'
import { bytesOf, latin, textOf } from '../text.ts'
import { estimate, maxTokens } from '../tokens.ts'
import { countOf, ellipsis, maxText, oneLine, trim } from './excerpt.ts'
import { maxPaths, maxPatterns, shown } from './filter.ts'
import { Item, scalar } from './item.ts'
import { leadSize } from './lead.ts'
import { type File, kind, type Library } from './library.ts'
import { listed, offered, outlineOf, sectionOf } from './outline.ts'
import { type Hit, maxHits, type Results, search } from './search.ts'
import { excerptOf, type Part, smallExcerpt, snippetSize } from './snippet.ts'
import { readable } from './path.ts'
import { maxTerms } from './query.ts'
import { baseOf, joined, maxSuggestions, near, suggest } from './suggest.ts'
import { maxAlternatives, wordingsOf } from './wording.ts'

// Answers to requests for documents, as in answer.go and listing.go of internal/library/docs. All strings are bytes.

const leastRoom = 90 // tokens kept for a path that is not answered yet, and
const usualRoom = 750 // if there are few
const maxLeftOut = 40 // bytes of a path without an answer
const maxHeadings = 20
const longText = 40_000 // characters of a text of which a request without a section and lines gets longShown bytes
const longShown = 8_000
const maxOutline = 40 // headings of a document
const maxLongOutline = 200 // of one of which only the beginning is shown
const outlined = 8 << 10
const maxRead = 64 << 20
const pagesShown = 5
const pageSize = 360 // bytes of the answer for each page of a query with a limit
const briefSize = 1400 // bytes of the answer to a query without a limit
const firstSize = 1200 // for its first page
const secondSize = 500 // for its second page
const secondLeast = 250 // kept for the second page
const pageLeast = 150 // bytes of a page with text
const descriptionSize = 120
const leadShown = 3 // pages in the answer to a query without a limit
const teaserSize = 300 // bytes of a further passage
const furtherLeast = 120

// A Request asks for documents by their paths, or for passages by a query, of these paths if there are any.
export interface Request {
  paths: string[]
  keywords: string[] // next to a query, another alternative
  query: string
  alternatives: string[]
  section: string
  offset: number
  limit: number
  page: number // of the results of a query, without offset and limit
}

// A RequestError says what is wrong with a request.
export class RequestError extends Error {}

// answerDocuments returns a text for each path and one for the query.
export async function answerDocuments(library: Library, request: Request): Promise<string[]> {
  const query = trim(request.query)
  if (request.paths.length === 0 && query === '') throw new RequestError('paths or query is required')
  request = { ...request, offset: Math.max(request.offset, 0), limit: Math.max(request.limit, 0) }
  const paged = query !== '' && request.page > 1 && request.offset === 0 && request.limit === 0
  const offset = leadShown + 1 + (Math.min(request.page, maxHits) - 2) * pagesShown
  const reply = new Answer(library, paged ? { ...request, offset, limit: pagesShown } : request)
  if (query !== '') return [await reply.query(query)]
  const paths = request.paths.slice(0, maxPaths)
  const kept = Math.min(Math.max(Math.trunc(maxTokens / 2 / paths.length), leastRoom), usualRoom)
  for (const [i, path] of paths.entries()) await reply.path(path, (paths.length - i - 1) * kept)
  if (request.paths.length > maxPaths) {
    const t = new Item()
    t.fail(`Only the first ${maxPaths} of ${request.paths.length} paths are answered.`)
    reply.texts.push(t.toString())
  }
  return reply.texts
}

class Answer {
  readonly texts: string[] = []
  #left = maxTokens
  #fetched = 0

  constructor(private readonly library: Library, private request: Request) {}

  get #words(): string {
    return this.request.keywords.join(' ')
  }

  // path answers one path, and leaves some tokens for later ones.
  async path(asked: string, after: number): Promise<void> {
    const t = new Item()
    t.set('path', shown(asked))
    const room = this.#left - after
    const { request } = this
    if (room >= usualRoom / 2) await this.#about(t, asked, room)
    this.request = request
    let text = t.toString()
    if (room < usualRoom / 2 || estimate(text) > room) {
      const out = new Item()
      out.set('path', ellipsis(oneLine(shown(asked)), maxLeftOut))
      out.fail('Left out: the answer is full. Ask for this path by itself.')
      text = out.toString()
    }
    this.#left -= estimate(text)
    this.texts.push(text)
  }

  async #about(t: Item, asked: string, room: number): Promise<void> {
    let target = await this.library.find(asked)
    const lines = /^([^\n]+):([0-9]{1,9})(?:-([0-9]{1,9}))?$/.exec(asked) // as programs print them: guide.md:45-90
    if (lines && !target.file && target.folder === undefined) {
      const of = await this.library.find(lines[1] as string)
      const [offset, last] = [Number(lines[2]), Number(lines[3] ?? 0)]
      if (of.file) [target, this.request] = [of, { ...this.request, offset, limit: Math.max(0, last - offset + 1) }]
    }
    if (target.invalid) t.fail('Invalid path')
    else if (target.several) {
      t.fail('Several documents have paths that end so. Ask for one of them:')
      t.body += `\n\n${list(target.several, target.several.length)}`
    }
    else if (!target.file && target.folder === undefined) await this.#unknown(t, asked, room)
    else if (target.folder !== undefined) {
      const index = target.folder === '' ? undefined : await this.library.indexOf(target.folder)
      const listing = new Item()
      const { offset } = this.request
      if (!index || offset <= 1) await this.#folder(index ? listing : t, asked, target.folder, index ? Math.trunc(room / 4) : room)
      if (index) {
        await this.#file(t, index, this.request.section, room - (offset <= 1 ? estimate(listing.body) + 1 : 0))
        if (listing.body !== '') t.body = `${t.body.replace(/\n+$/, '')}\n\n${listing.body}`
      }
    }
    else if (target.file) await this.#file(t, target.file, this.request.section === '' ? target.section : this.request.section, room)
  }

  async #file(t: Item, file: File, heading: string, room: number): Promise<void> {
    if (file.kind === kind.tooLarge) return t.fail(`The file is too large: it has more than ${maxRead} bytes.`)
    if (file.kind === kind.unreadable) return t.fail('The file cannot be read.')
    if (file.kind === kind.notText) return t.fail('The file is not text.')
    if (++this.#fetched > this.library.assets.most) return t.fail('Left out: the answer is full. Ask for this path by itself.')
    const text = latin(await bytesIn(this.library.assets, file.blob))
    let part = { start: 0, end: text.length }
    t.header += file.about
    let section = trim(heading)
    if (section !== '') {
      const headings = await outlineOf(this.library.assets, this.library.outlines, file.outline)
      const found = sectionOf(text, headings, section)
      if (found) {
        t.set('section', shown(found.text))
        t.set('line', String(found.line))
        part = found
      } else if (this.request.section === '' && text.length < outlined) {
        t.set('note', `No heading is named "${shown(oneLine(section))}".`)
        section = ''
      } else {
        t.fail(`Section "${shown(oneLine(section))}" not found.`)
        const offer = offered(headings, section)
        if (offer.near) t.body += `\n\nThe nearest headings:\n${list(offer.headings, maxSuggestions)}`
        else if (offer.headings.length > 0) t.body += `\n\nThe headings of the document:\n${list(offer.headings, maxHeadings)}`
        return
      }
    }
    const { offset, limit } = this.request
    const first = section === '' && offset <= 1
    const long = first && limit === 0 && text.length > longText && [...textOf(text)].length > longText
    if (first && text.length >= outlined) {
      const most = long ? maxLongOutline : maxOutline
      const headings = await outlineOf(this.library.assets, this.library.outlines, file.outline)
      t.list('outline', listed(text, isPDF(file.path) ? headings.filter((h) => !pageHeading.test(h.text)) : headings, most), most)
    }
    t.show(text, part, offset, limit, long ? longShown : maxText, room)
    if (file.kind === kind.inexact) t.set('error', 'The file is not UTF-8. Invalid bytes are shown as U+FFFD.')
  }

  async #folder(t: Item, asked: string, folder: string, room: number): Promise<void> {
    const suggestions = await suggest(this.library, this.#words)
    const listing = (await this.library.listing(folder)) ?? ''
    const paragraphs = [`# Directory: ${shown(oneLine(asked))}`, ...(listing === '' ? [] : [listing])]
    if (suggestions.length > 0) {
      paragraphs.push(relevant + list(suggestions, maxSuggestions))
      t.header += 'suggestions:\n'
      for (const s of suggestions) t.header += `  - ${scalar(shown(s))}\n`
    }
    const text = `${paragraphs.join('\n\n')}\n`
    t.show(text, { start: 0, end: text.length }, this.request.offset, this.request.limit, maxText, room)
  }

  async #unknown(t: Item, asked: string, room: number): Promise<void> {
    t.fail(`Path "${shown(oneLine(asked))}" not found.`)
    const suggestions = await suggest(this.library, `${baseOf(asked)} ${this.#words}`)
    const paragraphs = [t.body, bytesOf(this.library.contents.top)]
    if (suggestions.length > 0) paragraphs.push(relevant + list(suggestions, maxSuggestions))
    const body = `${paragraphs.join('\n\n')}\n`
    if (estimate(body + t.header) < room) t.body = body
  }

  // ignored says which arguments a query does not use. left is how many paths its filter leaves out.
  #ignored(left: number): string {
    const n = this.request.alternatives.length + (trim(this.#words) === '' ? 0 : 1)
    let out = trim(this.request.section) === '' ? '' : '[A query does not use section. To read a section, give paths without a query.]\n'
    if (n > maxAlternatives) out += `[Only the first ${maxAlternatives} of ${n} alternatives are searched.]\n`
    return left > 0 ? `${out}[Left out of paths: ${left}. A query takes up to ${maxPaths} paths, and ${maxPatterns} patterns.]\n` : out
  }

  // query answers a query with a list of pages.
  async query(query: string): Promise<string> {
    const { paths, alternatives } = this.request
    const asked = await wordingsOf(this.library, { words: query, alternatives: trim(this.#words) === '' ? alternatives : [...alternatives, this.#words], paths })
    if (asked.error !== undefined) return `Invalid filter ${asked.error}. Give a folder, a document or a pattern such as guides/**.`
    if (asked.all.length === 0) return 'The query has a path: filter only. Add the words to search for.'
    const skip = Math.max(this.request.offset, 1) - 1
    const n = this.request.limit || pagesShown
    const brief = skip === 0 && this.request.limit === 0
    const found = await search(this.library, asked, Math.min(skip, maxHits), n, brief)
    const hits = brief ? found.hits.slice(0, leadShown) : found.hits
    let body = this.#ignored(asked.only?.left ?? 0)
    if (found.unmatched.length > 0) body += `No document matches ${quoted(found.unmatched)}.${found.nothing ? ` Nothing was searched.${await near(this.library, found.unmatched)}` : ''}\n`
    if (skip === 0 && !found.nothing) {
      if (found.dropped.length > 0) body += `[A wording may have ${maxTerms} words. Not searched: ${quoted(found.dropped)}.]\n`
      body += misses(found)
    }
    if (hits.length === 0) return skip === 0 || found.nothing ? body : `${body}No further passage matches.\n`
    let notes = ''
    const isPrompt = ({ document }: Hit): boolean => document.uri.startsWith('prompt://')
    if (hits.some(isPrompt)) notes += '\n[A name with prompt:// is a prompt: the user starts it in the client.]\n'
    if (hits.some((hit) => hit.document.uri !== '' && !isPrompt(hit))) {
      notes += '\n[A name with :// is a resource. Read it by its URI: with resources/read, or with the tool read_resource.]\n'
    }
    if (found.more && !brief) notes += `\n[There is more: use offset ${skip + hits.length + 1}.]\n`
    const bare = hits.map((hit, i) => entryOf(hit, skip + i + 1, 0, 0).length)
    let left = brief ? briefSize : pageSize * Math.max(n, pagesShown)
    left -= body.length + notes.length + bare.reduce((a, b) => a + b, 0)
    let used = estimate(body + notes)
    for (const [i, hit] of hits.entries()) {
      let [room, most] = [(bare[i] as number) + left, snippetSize]
      if (brief && i === 0) [room, most] = [Math.min(room - (hits.length > 1 ? secondLeast : 0), firstSize), leadSize]
      if (brief && i === 1) [room, most] = [Math.min(room, secondSize), secondSize]
      const entry = entryOf(hit, skip + i + 1, brief && i > 0 && room < pageLeast ? 0 : room, most)
      used += estimate(entry)
      if (used > maxTokens && i > 0) return `${body}\n[There is more: use offset ${skip + i + 1}.]\n`
      left -= entry.length - (bare[i] as number)
      body += entry
    }
    return body + notes
  }
}

// quoted returns texts of a client as an answer repeats them.
const quoted = (texts: readonly string[]): string => joined(texts.map((text) => `"${short(text)}"`))

// short returns a title or heading for a line of an answer.
const short = (title: string): string => ellipsis(oneLine(title), 80)

// nameOf returns what a client reads a page by.
const nameOf = ({ path, uri }: { path: string; uri: string }): string => (uri === '' ? readable(path) : uri)

const isPDF = (path: string): boolean => path.toLowerCase().endsWith('.pdf')
const pageHeading = /^Page ([0-9]{1,5})(?:$|: )/ // of a page of a PDF file

// entryOf returns a hit as an answer shows it: a line that names it and, as far as room bytes allow, at most most bytes of its text, and the
// lines of its other passages. A page without text has its description.
function entryOf({ document, passages }: Hit, number: number, room: number, most: number): string {
  const [first, ...others] = passages as [Part, ...Part[]]
  const { heading: title, description } = document
  const names = [short(title), short(first.heading)].filter((name) => name !== '')
  const page = isPDF(document.path) && pageHeading.exec(first.heading)
  let out = `${number}. ${nameOf(document)}${page ? `#page=${page[1]}` : ''}, line ${first.line}`
  if (names.length > 0) out += `: ${[...new Set(names)].join(' > ')}`
  out += '\n'
  let left = room - out.length - 1
  const apart = others.filter(({ line }) => line < first.top || line > first.last).length // not in the text
  let text = excerptOf(first, Math.min(most, left - (apart * teaserSize) / 2), '   ')
  if (text === '') text = excerptOf(first, Math.min(most, left), '   ')
  if (/^\s*#.*$/.test(text)) text = '' // the line above has the heading
  if (text !== '') {
    out += `${text}\n`
    left -= text.length
  }
  const last = first.line + countOf(text, '\n')
  for (const p of others) {
    if ((first.line <= p.line && p.line <= last) || text.includes(excerptOf(p, teaserSize))) continue
    const of = short(p.heading)
    const lines = `${p.last > p.line ? `   lines ${p.line}-${p.last}` : `   line ${p.line}`}${of === '' || names.includes(of) ? '' : `, ${of}`}: `
    const room = Math.min(teaserSize, left - lines.length - 1)
    const further = oneLine(excerptOf(p, room))
    if (room < furtherLeast || further === '' || further.startsWith('#') || further.endsWith(':')) continue // it says nothing alone
    out += `${lines}${further}\n`
    left -= lines.length + further.length + 1
  }
  const about = oneLine(description)
  if (text === '' && about !== '' && left >= smallExcerpt) out += `   ${ellipsis(about, Math.min(left - 4, descriptionSize))}\n`
  return out
}

// misses says which words of a query no document has, and what else to search for.
function misses({ hits, missing, absent, weak }: Results): string {
  let out = absent || hits.length === 0 ? 'No passage has these words.\n' : ''
  if (missing.length > 0 && (hits.length > 0 || !absent)) {
    out += `In no document: ${quoted(missing.map(({ word }) => word.replace(/^"+|"+$/g, '')))}.`
    const instead = missing.flatMap((m) => m.instead)
    if (instead.length > 0) out += ` Searched instead: ${instead.join(', ')}.`
    out += '\n'
  }
  if (weak && !absent) out += 'The documents may not answer this: the best passage has little of the query.\n'
  return out
}

const relevant = 'Here are some paths that might be relevant based on your query:\n\n'

// list writes names as Markdown, one per line.
function list(names: readonly string[], most: number): string {
  const lines = names.slice(0, most).map((name) => `- ${oneLine(name)}`)
  if (names.length > most) lines.push(`- and ${names.length - most} more`)
  return lines.join('\n')
}


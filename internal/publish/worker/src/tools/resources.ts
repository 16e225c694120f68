import { textOf as textOfAsset } from '../assets.ts'
import type { Context } from '../context.ts'
import { newCursor, parseCursor } from '../cursor.ts'
import { ellipsis, howToGoOn, maxText, missing as missingLines, oneLine, partOf, trim } from '../documents/excerpt.ts'
import { kept } from '../documents/kept.ts'
import { type Heading, offered, outlineOf, sectionOf } from '../documents/outline.ts'
import { bytesOf, lower, quoted, shown, textOf } from '../text.ts'
import { estimate, maxTokens } from '../tokens.ts'
import { type Glob, GlobError, parseGlob } from '../glob.ts'
import type { Json } from '../json.ts'
import type { ListPage } from '../manifest.ts'
import { blobOf, embeddedType, isPointer, notFetched } from '../resources/contents.ts'
import { failureOf, missing } from '../resources/errors.ts'
import { firstAfter } from '../resources/list.ts'
import { lookup, whole } from '../resources/lookup.ts'
import { compare, decode } from '../uri.ts'
import { argumentsOf, Mistake, texts } from './arguments.ts'

// The tools that mirror resources, as in internal/library/tools.

const lineRoom = 2000 // tokens kept for the line that says how to go on

export async function callListResources(context: Context, given: Json | undefined): Promise<string> {
  const args = argumentsOf(given, { prefix: 'string', glob: 'string', cursor: 'string', limit: 'number' })
  const limit = args.limit <= 0 ? 500 : Math.min(args.limit, 5000)
  const wanted = args.glob === '' ? undefined : globOf(args.glob)
  const after = args.cursor === '' ? '' : parseCursor('r', args.cursor)
  if (after === undefined) throw new Mistake('cursor is not one that list_resources gave')
  const prefix = lower(decode(bytesOf(args.prefix)))
  const { pages } = context.manifest.resources
  let [list, used, count, last] = ['', 0, 0, '']
  for (let p = firstAfter(pages, after), first = true; p < pages.length; p++, first = false) {
    for (const { uri, decoded, folded, line } of await kept(context.assets, (pages[p] as ListPage).items, 6, linesIn)) {
      if (first && after !== '' && compare(uri, after) <= 0) continue
      if (!folded.startsWith(prefix) || (wanted && !wanted(decoded))) continue
      used += estimate(line) + 1
      if (count === limit || (count > 0 && used > maxTokens - lineRoom)) {
        return texts([`${list}\nThere are more: continue with cursor ${quoted(newCursor('r', last))}.\n`])
      }
      list += `${line}\n`
      count++
      last = uri
    }
  }
  return texts([count === 0 ? `${list}There are no such resources.\n` : list])
}

// A Line is the line of list_resources about a resource, in bytes.
interface Line {
  uri: string
  decoded: string
  folded: string // decoded, in lower case
  line: string
}

// linesIn makes the lines of a page of resources/list.
function linesIn(data: Uint8Array): readonly Line[] {
  return decoder.decode(data).split('\n').map((item) => {
    const { uri, mimeType, size, title, description } = JSON.parse(item) as { [key: string]: string }
    const about = [title, description].filter((text) => text).map((text) => ellipsis(oneLine(bytesOf(text as string)), 120))
    const decoded = decode(uri as string)
    return { uri: uri as string, decoded, folded: lower(decoded), line: [uri, bytesOf(mimeType as string), size ?? '?', ...about].join('\t') }
  })
}

const decoder = new TextDecoder()

function globOf(pattern: string): Glob {
  try {
    return parseGlob(bytesOf(pattern))
  } catch (error) {
    if (error instanceof GlobError) throw new Mistake(`glob is ${error.message}`)
    throw error
  }
}

export async function callReadResource(context: Context, given: Json | undefined): Promise<string> {
  const args = argumentsOf(given, { uri: 'string', section: 'string', offset: 'number', limit: 'number' })
  if (args.uri === '') throw new Mistake('uri is missing')
  const record = await lookup(context, args.uri)
  if (!record) throw new Mistake(await missing(context, args.uri))
  const [uri, mime, form, contents] = whole(record)
  const { frame } = context.manifest.limits
  if (form === 'e') throw new Mistake(failureOf(contents, args.uri).message)
  if (form !== 't') {
    const data = await context.assets.get(contents)
    const size = data?.length ?? 0
    if (Math.floor((size + 2) / 3) * 4 > frame) {
      throw new Mistake(`${shown(uri)} is ${size} bytes of ${mime}: the answer would have more bytes than the server allows (${frame})`)
    }
    const [type, blob] = [JSON.stringify(embeddedType(mime, form)), await blobOf(context, contents)]
    if (form === 'i') return `"content":[{"type":"image","mimeType":${type},"data":"${blob}"}]`
    return `"content":[{"type":"resource","resource":{"uri":${JSON.stringify(uri)},"mimeType":${type},"blob":"${blob}"}}]`
  }
  const text = bytesOf(await textOfAsset(context.assets, contents))
  const headings = (): Promise<Heading[]> => outlineOf(context.assets, context.manifest.outlines, contents)
  const part = await sectionLines(headings, text, bytesOf(args.section), args.offset, args.limit, Math.min(maxText, Math.floor(frame / 6))) // a byte becomes six at most
  if (part === '') return texts([`${shown(uri)} is empty.`])
  return texts([isPointer(text) ? `${shown(uri)} ${notFetched}. "git lfs pull" fetches it. The pointer:\n\n${part}` : part])
}

// sectionLines returns lines of a text, or of a section of it, and says how to read the next lines.
async function sectionLines(headingsOf: () => Promise<Heading[]>, text: string, asked: string, offset: number, limit: number, most: number): Promise<string> {
  const section = trim(asked)
  let part = { start: 0, end: text.length }
  if (section !== '') {
    const all = await headingsOf()
    const found = sectionOf(text, all, section)
    if (!found) {
      const { headings } = offered(all, section)
      let reason = `there is no section ${shown(textOf(section))}`
      if (headings.length > 0) reason += `; there is:\n${textOf(ellipsis(headings.slice(0, 10).join('\n'), 1000))}` // lines, not a part of the sentence
      throw new Mistake(reason)
    }
    part = found
  }
  const lines = partOf(text, part.start, part.end, offset, limit, most, maxTokens - lineRoom)
  if (lines.beyond) throw new Mistake(missingLines(lines))
  return lines.text + howToGoOn(lines)
}

import { textOf } from '../assets.ts'
import { type Context, cursorIn, listTTL, type Reply } from '../context.ts'
import { newCursor, parseCursor } from '../cursor.ts'
import { bisect } from '../documents/bisect.ts'
import type { JsonObject } from '../json.ts'
import type { ListPage } from '../manifest.ts'
import { invalidParams } from '../protocol.ts'
import { bytesOf, lengthOf } from '../text.ts'
import { compare } from '../uri.ts'

// pageBytes is the number of bytes after which a page ends, even with fewer items.
export const pageBytes = 1 << 20

const uriPrefix = '{"uri":"'

// uriIn returns the URI of an item. A URI contains no characters that JSON escapes.
export const uriIn = (item: string): string => item.slice(uriPrefix.length, item.indexOf('"', uriPrefix.length))

// after returns the key in the cursor of a request, after which the page begins, or "".
export function after(params: JsonObject, kind: 'r' | 's'): string {
  const cursor = cursorIn(params)
  if (cursor === '') return ''
  const key = parseCursor(kind, cursor)
  if (key === undefined) throw invalidParams('the cursor is not one of this list')
  return key
}

// firstAfter returns the first page with an item after a URI.
export function firstAfter(pages: readonly ListPage[], uri: string): number {
  return bisect(pages.length, (i) => compare((pages[i] as ListPage).last, uri) > 0)
}

// eachURI yields the URIs of all resources, in the order of the list.
export async function* eachURI(context: Context): AsyncGenerator<string> {
  for (const { items } of context.manifest.resources.pages) {
    for (const line of (await textOf(context.assets, items)).split('\n')) yield uriIn(line)
  }
}

export async function listResources(context: Context, params: JsonObject): Promise<Reply> {
  const { limits, resources } = context.manifest
  const start = after(params, 'r')
  const items: string[] = []
  let size = '"resources":['.length
  let next = ''
  for (const { items: asset } of resources.pages.slice(firstAfter(resources.pages, start))) {
    if (next !== '') break
    for (const item of (await textOf(context.assets, asset)).split('\n')) {
      if (items.length === 0 && start !== '' && compare(uriIn(item), start) <= 0) continue
      if (items.length === limits.page || size > pageBytes) {
        next = newCursor('r', bytesOf(uriIn(items.at(-1) as string)))
        break
      }
      size += lengthOf(item) + (items.length > 0 ? 1 : 0)
      items.push(item)
    }
  }
  return { members: `"resources":[${items.join(',')}]${next && `,"nextCursor":"${next}"`}`, ttl: listTTL }
}

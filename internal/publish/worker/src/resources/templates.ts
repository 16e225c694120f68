import { jsonOf } from '../assets.ts'
import { type Context, cursorIn, encode, listTTL, type Reply } from '../context.ts'
import { newCursor, parseCursor } from '../cursor.ts'
import { type JsonObject, member } from '../json.ts'
import { invalidParams } from '../protocol.ts'
import { lengthOf } from '../text.ts'
import { pageBytes } from './list.ts'

// A Template is an item of resources/templates/list.
export interface Template {
  item: JsonObject
  text: string
  published?: string // the text in templates.json, if it differs
  names: string[]
  rows?: string // asset
}

export const templatesOf = ({ assets, manifest }: Context): Promise<Template[]> => jsonOf<Template[]>(assets, manifest.templates)

export async function listTemplates(context: Context, params: JsonObject): Promise<Reply> {
  const cursor = cursorIn(params)
  const templates = await templatesOf(context)
  const start = cursor === '' ? 0 : startOf(cursor)
  const items: JsonObject[] = []
  let size = 0
  let next = ''
  for (let i = Math.min(start, templates.length); i < templates.length; i++) {
    const { item } = templates[i] as Template
    if (items.length === context.manifest.limits.page || size > pageBytes) {
      next = newCursor('t', `${i}`)
      break
    }
    for (const key of ['uriTemplate', 'name', 'title', 'description']) size += lengthOf((member(item, key) ?? '') as string)
    size += 200
    items.push(item)
  }
  return { members: encode({ resourceTemplates: items, ...(next && { nextCursor: next }) }), ttl: listTTL }
}

// startOf returns the index at which the page of a cursor begins.
function startOf(cursor: string): number {
  const key = parseCursor('t', cursor)
  const place = key === '' ? '0' : key
  const start = Number(place)
  if (place === undefined || !/^[+-]?\d+$/.test(place) || start < 0 || BigInt(place) >= 2n ** 63n) throw invalidParams('the cursor is not one of this list')
  return start
}

import { type Context, cursorIn, type Reply, uriIn as requestedIn } from '../context.ts'
import { newCursor, parseCursor } from '../cursor.ts'
import type { JsonObject } from '../json.ts'
import { code, Failure, invalidParams } from '../protocol.ts'
import { lengthOf, shown } from '../text.ts'
import { decode } from '../uri.ts'
import { folderOf, linesOf, lookup } from './lookup.ts'
import { dataOf } from './errors.ts'
import { pageBytes, uriIn } from './list.ts'

// readDirectory answers resources/directory/read: what is directly in a folder, resources before folders, each by name.
export async function readDirectory(context: Context, params: JsonObject): Promise<Reply> {
  const requested = requestedIn(params)
  const cursor = cursorIn(params)
  const folder = await folderOf(context, requested, true)
  if (!folder) {
    const why = (await lookup(context, requested)) ? 'it is not a folder; resources/read reads it' : 'there is no such folder'
    throw new Failure(code.invalidParams, `${shown(requested)}: ${why}`, dataOf(requested))
  }
  let lines = await linesOf(context, folder.children)
  const nameOf = (line: string): string => decode(uriIn(line.slice(1)).slice(folder.base.length))
  if (cursor !== '') {
    const key = parseCursor('d', cursor)
    const end = key?.indexOf('\n') ?? -1
    if (key === undefined || end < 0 || key.slice(0, end) !== folder.uri || end + 1 === key.length) {
      throw invalidParams('the cursor is not one of this folder')
    }
    const [kind, name] = [key[end + 1] === 'd' ? 'd' : 'f', key.slice(end + 2)]
    if (name !== '') {
      const next = lines.findIndex((line) => (line[0] === kind ? nameOf(line) > name : line[0] === 'd'))
      lines = next < 0 ? [] : lines.slice(next)
    }
  }
  let size = '"resources":['.length
  const items: string[] = []
  let next = ''
  for (const [i, line] of lines.entries()) {
    if (items.length === context.manifest.limits.page || size > pageBytes) {
      const last = lines[i - 1] as string
      next = newCursor('d', `${folder.uri}\n${last[0]}${nameOf(last)}`)
      break
    }
    size += lengthOf(line) - 1 + (i > 0 ? 1 : 0)
    items.push(line.slice(1))
  }
  return { members: `"resources":[${items.join(',')}]${next && `,"nextCursor":"${next}"`}` }
}

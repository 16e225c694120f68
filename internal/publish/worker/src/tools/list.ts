import { type Context, encode, listTTL, type Reply } from '../context.ts'
import type { JsonObject } from '../json.ts'
import { cursorIn } from '../params.ts'
import { invalidParams } from '../protocol.ts'

export function listTools({ manifest }: Context, params: JsonObject): Reply {
  if (cursorIn(params) !== '') throw invalidParams('the cursor is not one of this list')
  return { members: encode({ tools: manifest.tools.map((tool) => tool.item) }), ttl: listTTL }
}

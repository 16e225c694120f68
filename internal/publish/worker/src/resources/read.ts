import { type Context, type Reply, uriIn } from '../context.ts'
import type { JsonObject } from '../json.ts'
import { invalidParams } from '../protocol.ts'
import { folderOf, linesOf, lookup, type RecordOf } from './lookup.ts'
import { contentOf } from './contents.ts'
import { failureOf, notFound } from './errors.ts'

// together is the number of files of a folder that are fetched at the same time.
const together = 6

// readResource answers resources/read: a resource, or the files directly in a folder.
export async function readResource(context: Context, params: JsonObject): Promise<Reply> {
  const requested = uriIn(params)
  if (requested === '') throw invalidParams('uri is missing')
  const record = await lookup(context, requested)
  if (record) return { members: `"contents":[${await contentOf(context, record, requested)}]`, ttl: 0 }
  const folder = await folderOf(context, requested, false)
  if (!folder) throw await notFound(context, requested)
  if (folder.failure) throw failureOf(folder.failure, requested)
  const records = (await linesOf(context, folder.files ?? {})).map((line) => JSON.parse(line) as RecordOf)
  const contents: string[] = []
  for (let i = 0; i < records.length; i += together) {
    contents.push(...(await Promise.all(records.slice(i, i + together).map((each) => contentOf(context, each, requested)))))
  }
  return { members: `"contents":[${contents.join(',')}]`, ttl: 0 }
}

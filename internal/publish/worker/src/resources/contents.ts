import { textOf } from '../assets.ts'
import type { Context } from '../context.ts'
import { base64 } from '../cursor.ts'
import { failureOf } from './errors.ts'
import type { RecordOf } from './lookup.ts'

// contentOf returns one of the contents of an answer, as JSON.
export async function contentOf(context: Context, record: RecordOf, requested: string): Promise<string> {
  const [uri, mime, form, asset] = record
  if (form === 'e') throw failureOf(asset, requested)
  const about = `{"uri":${JSON.stringify(uri)},"mimeType":${JSON.stringify(mime)},`
  if (form !== 'b') return `${about}"text":${JSON.stringify(await textOf(context.assets, asset))}}`
  return `${about}"blob":"${await blobOf(context, asset)}"}`
}

// visible matches the types of images that language models take. Some clients cannot continue after an image of another type.
export const visible = /^image\/(png|jpeg|gif|webp)$/

// blobOf returns the bytes of an asset in base64.
export async function blobOf(context: Context, asset: string): Promise<string> {
  const data = await context.assets.get(asset)
  if (!data) throw new Error(`asset ${asset} is missing`)
  return base64(data)
}

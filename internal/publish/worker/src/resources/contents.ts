import { bytesIn, textOf } from '../assets.ts'
import type { Context } from '../context.ts'
import { base64 } from '../cursor.ts'
import { failureOf } from './errors.ts'
import type { RecordOf } from './lookup.ts'

// contentOf returns one of the contents of an answer, as JSON.
export async function contentOf(context: Context, record: RecordOf, requested: string): Promise<string> {
  const [uri, mime, form, asset] = record
  if (form === 'e') throw failureOf(asset, requested)
  const about = `{"uri":${JSON.stringify(uri)},"mimeType":${JSON.stringify(mime)},`
  if (form === 't') return `${about}"text":${JSON.stringify(await textOf(context.assets, asset))}}`
  return `${about}"blob":"${await blobOf(context, asset)}"}`
}

// embeddedType returns the type of an embedded resource. Clients make images of embedded resources too, and some cannot continue after
// an image that models do not take.
export function embeddedType(mime: string, form: string): string {
  return form === 'b' && /^image\/(png|jpeg|gif|webp)$/.test(mime) ? 'application/octet-stream' : mime
}

// notFetched says what a pointer of Git LFS is.
export const notFetched = 'is a Git LFS pointer: the file itself was not fetched'

// isPointer reports whether a text is a pointer of Git LFS.
export function isPointer(text: string): boolean {
  return text.length < 1024 && text.startsWith('version https://git-lfs.github.com/spec/')
}

// blobOf returns the bytes of an asset in base64.
export const blobOf = async (context: Context, asset: string): Promise<string> => base64(await bytesIn(context.assets, asset))

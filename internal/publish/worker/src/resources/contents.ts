import { textOf } from '../assets.ts'
import type { Context } from '../context.ts'
import { base64 } from '../cursor.ts'
import { code, Failure } from '../protocol.ts'
import { lengthOf, shown } from '../text.ts'
import { pageOf } from './elements.ts'
import { dataOf, failureOf } from './errors.ts'
import type { RecordOf } from './lookup.ts'

// contentOf returns one of the contents of an answer, as JSON. With inParts, the contents may be too large for an answer, for tools that
// send parts.
export async function contentOf(context: Context, record: RecordOf, requested: string, inParts = false): Promise<string> {
  const [uri, mime, form, asset] = record
  if (form === 'e') throw failureOf(asset, requested)
  if (form === 'p' && asset.fault) {
    throw new Failure(code.invalidParams, `cannot read ${shown(requested)}: ${asset.fault}`, dataOf(requested, { reason: asset.fault }))
  }
  const about = `{"uri":${JSON.stringify(uri)},"mimeType":${JSON.stringify(mime)},`
  if (form !== 'b') {
    const text = JSON.stringify(form === 'p' ? await pageOf(context, asset) : await textOf(context.assets, asset))
    if (form === 'p' && !inParts) checkSize(context, record, requested, text)
    return `${about}"text":${text}}`
  }
  return `${about}"blob":"${await blobOf(context, asset)}"}`
}

// checkSize refuses an answer that is too large. It is needed only for pages that the Worker makes: the build has checked the others.
function checkSize({ manifest }: Context, [uri, mime]: RecordOf, requested: string, text: string): void {
  const { frame } = manifest.limits
  const around = 256 + lengthOf(JSON.stringify(manifest.serverInfo)) + lengthOf(uri) + lengthOf(mime) + 50
  const separators = text.match(/[\u2028\u2029]/g)?.length ?? 0 // which Go escapes
  if (around + lengthOf(text) - 2 + 3 * separators <= frame) return
  const why = `the answer would have more bytes than limits.maxFrameBytes allows (${frame})`
  throw new Failure(code.internal, `cannot read ${shown(requested)}: ${why}`, dataOf(requested, { limit: frame }))
}

// blobOf returns the bytes of an asset in base64.
export async function blobOf(context: Context, asset: string): Promise<string> {
  const data = await context.assets.get(asset)
  if (!data) throw new Error(`asset ${asset} is missing`)
  return base64(data)
}

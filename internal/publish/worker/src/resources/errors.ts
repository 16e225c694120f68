import type { Context } from '../context.ts'
import type { JsonObject } from '../json.ts'
import { code, Failure } from '../protocol.ts'
import { nearest } from '../documents/nearest.ts'
import { bytesOf, cut, lengthOf, shown } from '../text.ts'
import { decode, maxLength, segmentsOf } from '../uri.ts'
import { linesOf } from './chunk.ts'
import { uriIn } from './list.ts'
import { deepest, type FailureOf, folderOf } from './lookup.ts'

// dataOf returns the data of an error about a resource.
export function dataOf(requested: string, more: JsonObject = {}): JsonObject {
  return { uri: lengthOf(requested) > maxLength ? cut(requested, 200) : requested, ...more }
}

// failureOf returns an error that the build recorded.
export function failureOf(failure: FailureOf, requested: string): Failure {
  const message = failure.message.replace('\0', () => shown(requested))
  const data = failure.located ? dataOf(requested, failure.data) : failure.data
  return new Failure(failure.code, message, data)
}

// maxClose is the maximum number of similar URIs in an error about an unknown URI. Only the first maxCompared names are compared.
const maxClose = 3
const maxCompared = 1000

// close returns URIs that a client may have meant.
async function close(context: Context, requested: string): Promise<string[]> {
  const s = bytesOf(requested)
  if (s.length > maxLength) return []
  const { schemes, others } = context.manifest.resources
  const names = segmentsOf(decode(s))
  const spelled = new Map<string, string>()
  let found: string[] = []
  if (names) {
    const { folder, depth } = await deepest(context, names)
    const wanted = names[depth] as string
    if (!folder) for (const scheme of schemes) spelled.set(scheme, `${scheme}://`)
    else {
      const folders: string[] = [...(folder.empty ?? [])]
      for (const line of await linesOf(context, folder.children)) {
        const uri = uriIn(line.slice(1))
        if (line[0] === 'd') folders.push(`${uri}/`)
        else if (line.includes('"size":')) {
          const name = nameIn(uri)
          if (spelled.size < maxCompared && !(depth === names.length - 1 && name === wanted)) spelled.set(name, uri)
        }
      }
      for (const uri of folders) {
        const name = nameIn(uri.slice(0, -1))
        if (spelled.size < maxCompared && !spelled.has(name)) spelled.set(name, uri)
      }
    }
    found = nearest(wanted, [...spelled.keys()], maxClose).map((name) => spelled.get(name) as string)
  }
  if (found.length < maxClose) found.push(...nearest(s, others.slice(0, maxCompared), maxClose - found.length))
  return found
}

// nameIn returns the last name of a canonical URI, as bytes.
const nameIn = (uri: string): string => decode(uri.slice(uri.lastIndexOf('/') + 1))

interface Missing {
  message: string
  close: string[]
}

// missing returns the error about a URI that names no resource.
export async function missing(context: Context, requested: string): Promise<Missing> {
  const near = await close(context, requested)
  const folder = await folderOf(context, requested, false)
  if (folder) return { message: `${shown(requested)} is a folder: the URIs of what is in it begin with ${cut(folder.base, 200)}`, close: near }
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''
  return { message: `resource not found: ${shown(requested)}${hint}`, close: near }
}

export async function notFound(context: Context, requested: string): Promise<Failure> {
  const { message, close: near } = await missing(context, requested)
  // The official client of the stateless era recognizes the error by data that holds only the URI.
  if (context.era === 'stateless') return new Failure(code.invalidParams, message, dataOf(requested))
  return new Failure(code.resourceNotFound, message, dataOf(requested, near.length > 0 ? { closeMatches: near } : {}))
}

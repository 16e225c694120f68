import { jsonIn, textOf } from '../assets.ts'
import type { Context } from '../context.ts'
import { bytesOf, lowerOf, runeAt } from '../text.ts'
import { kept } from '../documents/kept.ts'
import type { Json } from '../json.ts'
import * as uri from '../uri.ts'

// Looks up URIs in any spelling. table.go describes the table.

// A Form says whether a client gets the bytes of an asset as text, as a blob, or as a blob that is an image that models take.
export type Form = 't' | 'b' | 'i'

// A RecordOf describes a resource: its canonical URI, its MIME type, and its contents or an error.
export type RecordOf = [uri: string, mime: string, form: Form, asset: string] | [uri: string, mime: string, form: 'e', failure: FailureOf, inParts?: Form, asset?: string]

// whole returns the record for tools, which read in parts a resource that is too large for an answer.
export function whole(record: RecordOf): RecordOf {
  const [uri, mime, form, , inParts, asset] = record
  return form === 'e' && inParts && asset ? [uri, mime, inParts, asset] : record
}

export interface FailureOf {
  code: number
  message: string // NUL is replaced by the URI as the client spells it
  data?: { [key: string]: Json }
  located?: boolean // the data contains the URI too
}

export interface Folder {
  uri: string
  base: string
  children: Chunk
  files?: Chunk
  failure?: FailureOf
  virtual?: boolean
  changed?: boolean // clients change some names in it in transit
}

// A Chunk holds lines, or the asset with the lines.
export interface Chunk {
  lines?: string[]
  asset?: string
}

interface Candidate {
  r: Json
  h?: string
}

type Kind = 'f' | 'd' | 'o' | 'm'

// fold returns the same bytes for all names that differ only in case. Bytes that are not UTF-8 become U+FFFD, one by one.
function fold(name: string): string {
  let text = ''
  for (let i = 0; i < name.length; ) {
    const [rune, size] = runeAt(name, i)
    text += String.fromCodePoint(rune)
    i += size
  }
  return bytesOf(lowerOf(text))
}

function keyOf(kind: Kind, [scheme, host, ...rest]: string[]): string {
  let key = `${kind}:${scheme}://`
  if (host !== undefined) key += uri.host(fold(host))
  for (const name of rest) key += `/${uri.segment(name)}`
  return key
}

// shardOf returns the FNV-1a hash of a key, which is ASCII, modulo a power of two.
function shardOf(key: string, count: number): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % count
}

// find returns the record of a scheme and names.
export async function find(context: Context, kind: Kind, names: string[]): Promise<Json | undefined> {
  if (kind !== 'o' && names.includes('', 1)) return undefined // no file has an empty name, and a scheme has the same key as an empty host
  const { shards } = context.manifest.resources
  const key = keyOf(kind, names)
  const shard = shards[shardOf(key, shards.length)]
  if (!shard) return undefined
  const entries = await kept(context.assets, shard, 4, jsonIn<{ readonly [key: string]: readonly Candidate[] }>)
  if (!Object.hasOwn(entries, key)) return undefined
  const asked = names[1] === undefined ? undefined : uri.host(names[1])
  const candidates = entries[key] as readonly Candidate[]
  return (candidates.find(({ h }) => h === asked) ?? candidates.find(({ h }) => h === undefined))?.r
}

// lookup finds the resource that a URI names. A canonical URI names its own resource, even if it is also a spelling of another URI.
export async function lookup(context: Context, requested: string): Promise<RecordOf | undefined> {
  const s = bytesOf(requested)
  const file = await fileOf(context, s)
  if (file?.[0] === requested) return file
  const other = await otherOf(context, s)
  return file && other?.[0] !== requested ? file : other
}

// otherOf finds a resource that is not a file.
async function otherOf(context: Context, s: string): Promise<RecordOf | undefined> {
  for (const decoded of uri.readings(s)) {
    const names = uri.segmentsOf(decoded)
    const other = names && ((await find(context, 'o', names)) as RecordOf | undefined)
    if (other) return other
  }
  return undefined
}

// fileOf finds the file that a URI names, in bytes.
export async function fileOf(context: Context, s: string): Promise<RecordOf | undefined> {
  for (const decoded of uri.readings(s)) {
    const names = uri.segmentsOf(decoded)
    const record = names && names.length > 1 && (await find(context, 'f', names))
    if (record) return record as RecordOf
  }
  if (!context.manifest.resources.fragile || s.length > uri.maxLength) return undefined
  const [scheme, ...segments] = uri.segmentsOf(s) ?? []
  if (scheme === undefined || segments.length === 0) return undefined
  const root = (await find(context, 'd', [scheme])) as Folder | undefined
  return root && !root.virtual ? new Mangled(context).find([scheme], root.changed === true, segments) : undefined
}

// maxSpelled is the length of the longest mangled spelling of a file name.
const maxSpelled = 255 * 6

// Mangled is a search for a URI that a client has changed in transit, after all other lookups have failed. Any client can request URIs that
// do not exist, so the search has few lookups.
class Mangled {
  #left: number

  constructor(private readonly context: Context) {
    this.#left = Math.min(context.assets.most, 1000)
  }

  // find looks for the file that segments name in a folder. The segments have the client's spelling, and each may match several names.
  async find(folder: string[], changed: boolean, segments: string[]): Promise<RecordOf | undefined> {
    const [segment, ...rest] = segments as [string, ...string[]]
    if (segment.length > maxSpelled) return undefined
    const decoded = uri.decode(segment)
    const names = (decoded === segment ? [decoded] : [decoded, segment]).filter((name) => !name.includes('/'))
    for (const name of names) {
      const found = await this.#enter([...folder, name], rest)
      if (found) return found
    }
    const respelled = changed ? ((await this.#get('m', folder)) as { files?: Respelled[]; folders?: Respelled[] } | undefined) : undefined
    for (const [other, name] of (rest.length === 0 ? respelled?.files : respelled?.folders) ?? []) {
      const found = uri.decode(other) === decoded && (await this.#enter([...folder, uri.decode(name)], rest))
      if (found) return found
    }
    return undefined
  }

  async #enter(names: string[], rest: string[]): Promise<RecordOf | undefined> {
    if (rest.length === 0) return (await this.#get('f', names)) as RecordOf | undefined
    const folder = (await this.#get('d', names)) as Folder | undefined
    return folder && !folder.virtual ? this.find(namesOf(folder.base), folder.changed === true, rest) : undefined
  }

  async #get(kind: Kind, names: string[]): Promise<Json | undefined> {
    return --this.#left < 0 ? undefined : find(this.context, kind, names)
  }
}

type Respelled = [as: string, name: string]

// namesOf returns the scheme and names of a canonical URI.
export const namesOf = (canonical: string): string[] => uri.segmentsOf(uri.decode(canonical)) as string[]

// folderOf finds the folder that a URI names, with or without a slash at its end. Only a folder of files can be read.
export async function folderOf(context: Context, requested: string, virtual: boolean): Promise<Folder | undefined> {
  const found: Folder[] = []
  for (const decoded of uri.readings(bytesOf(requested))) {
    const names = uri.segmentsOf(decoded)
    const folder = names && ((await find(context, 'd', names)) as Folder | undefined)
    if (!folder) continue
    if (!folder.virtual) return folder
    found.push(folder)
  }
  return virtual ? found[0] : undefined
}

// linesOf returns the lines of a chunk.
export async function linesOf(context: Context, chunk: Chunk): Promise<string[]> {
  if (chunk.asset) return (await textOf(context.assets, chunk.asset)).split('\n')
  return chunk.lines ?? []
}

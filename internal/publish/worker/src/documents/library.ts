import { type Assets, jsonIn } from '../assets.ts'
import { bytesOf, lower } from '../text.ts'
import type { Head } from './index.ts'
import { kept } from './kept.ts'
import type { OutlineShard } from './outline.ts'
import { clean, documentName, endKey, extensions, linkOf, maxPath, prefixesOf, spellings, traverses } from './path.ts'
import { Reader } from './reader.ts'

// The files of the folder of documents, which documents.go writes. All strings are bytes.

// Documents is the part of the manifest about documents.
export interface Documents {
  dir: string
  base: string // the folder of all main documents, with a slash, or ''
  top: string // what answers say of the names in it
  near: string // and of its folders, or ''
  folders: Shard[] // shards of listings, by folder with a slash
  files: Shard[] // shards of files, sorted by path
  others: Shard[] // shards of files of other languages and versions, which no list has
  ends: Shard[] // shards of ends of paths that one document has, with its path
  documents: number // the number of Markdown files
  search: string // asset: the head of the index for searches without a filter
  filtered: string // asset: the head of the index for searches with a filter
  sites: boolean // a filter may be a language or a version
  host: string // of the URIs of documents: docs://HOST
  cited: Shard[] // what the tool search needs of resources
  titles: Shard[] // shards of the titles of resources, by URI
  types: { [extension: string]: string } // MIME types of documents
}

// A Shard is an asset with items sorted by key. first is the key of its first item.
export interface Shard {
  path: string
  first: string
}

// How the text of a file can be sent.
export const kind = { exact: 0, inexact: 1, notText: 2, tooLarge: 3, unreadable: 4 }

export interface File {
  path: string
  lower: string
  isDocument: boolean
  kind: number
  blob: string // asset: the text
  title: string
  size: number
  cited: boolean // the URI of the document leads to it, and not to a resource
  about: string // what its site says of it, as YAML
  outline: string // its outline is the asset whose name begins like this one
}

// A Target is what a path means.
export interface Target {
  invalid?: boolean // the path tries to leave the folder
  file?: File
  several?: string[] // documents, of which none is taken
  folder?: string // with a slash at its end, '' for the folder of all documents
  section: string
}

export class Library {
  constructor(readonly assets: Assets, readonly contents: Documents, readonly outlines: readonly OutlineShard[]) {}

  get dir(): string {
    return bytesOf(this.contents.dir)
  }

  head(filtered: boolean): Promise<Head> {
    return kept(this.assets, filtered ? this.contents.filtered : this.contents.search, 2, jsonIn<Head>)
  }

  async file(path: string): Promise<File | undefined> {
    for (const shards of [this.contents.files, this.contents.others]) {
      const shard = shards[shardOf(shards, path)]
      const file = shard && (await kept(this.assets, shard.path, 4, filesOf)).find((f) => f.path === path)
      if (file) return file
    }
    return undefined
  }

  // indexOf returns the document that stands for a folder.
  async indexOf(folder: string): Promise<File | undefined> {
    for (const name of ['index.md', 'index.mdx', 'README.md', 'readme.md', '_index.md']) {
      const file = await this.file(folder + name)
      if (file?.isDocument) return file
    }
    return undefined
  }

  // listing returns the folders and documents in a folder, or undefined if the folder does not exist.
  listing(folder: string): Promise<string | undefined> {
    return this.#valueOf(this.contents.folders, folder)
  }

  // find looks up a path in the client's spelling.
  async find(asked: string): Promise<Target> {
    if (asked.length > maxPath) return { invalid: traverses(asked), section: '' }
    const all = spellings(asked)
    for (const s of all.slice(0, 2)) {
      const found = await this.#lookUp(s)
      if (found) return found.folder === '' && traverses(s) ? { invalid: true, section: '' } : found
      for (const at of [s.indexOf('#'), s.lastIndexOf('#')]) { // a name may have one
        const file = at < 0 || at + 1 === s.length ? undefined : await this.#lookUp(s.slice(0, at))
        if (file?.file) return { ...file, section: s.slice(at + 1) }
      }
    }
    const found = await this.#seek(asked)
    return found ?? { invalid: all.some(traverses), section: '' }
  }

  // titleOf returns the title of a resource.
  async titleOf(uri: string): Promise<string> {
    return (await this.#valueOf(this.contents.titles, uri)) ?? ''
  }

  async #valueOf(shards: readonly Shard[], key: string): Promise<string | undefined> {
    const shard = shards[shardOf(shards, key)]
    return shard && (await kept(this.assets, shard.path, 3, pairsOf)).get(key)
  }

  // seek finds the one document whose path ends with a link or the path of a URL, or with its last parts while two remain.
  async #seek(asked: string): Promise<Target | undefined> {
    const link = linkOf(asked)
    if (!link) return undefined
    for (let { parts } = link; parts.length > 0; parts = parts.slice(1)) {
      for (const cut of [false, true]) {
        const key = endKey(parts.join('/'), cut)
        const paths = (key === '' ? undefined : await this.#valueOf(this.contents.ends, key))?.split('\0') ?? []
        if (paths[0]?.endsWith('/')) return { folder: paths[0], section: '' }
        if (paths.length > 1) return { several: paths, section: '' }
        const file = paths[0] === undefined ? undefined : await this.file(paths[0])
        const extension = /\.[^.]+$/.exec(parts.at(-1) ?? '')?.[0] ?? ''
        if (file && (!cut || documentName.test(extension) || lower(file.path).endsWith(lower(extension)))) return { file, section: link.section }
      }
      if (parts.length <= 2) break
    }
    return undefined
  }

  // lookUp looks up a path below the folder of the library, or else below the folder that holds all main documents.
  async #lookUp(asked: string): Promise<Target | undefined> {
    const base = bytesOf(this.contents.base)
    return (await this.#literally(asked)) ?? (base === '' ? undefined : await this.#literally(base + clean(asked)))
  }

  async #literally(asked: string): Promise<Target | undefined> {
    const readings: string[] = []
    for (const path of new Set([clean(asked), asked])) { // a name may have a backslash
      readings.push(path)
      for (const prefix of prefixesOf(this.dir)) {
        if (`${path}/`.startsWith(`${prefix}/`)) readings.push(`${path}/`.slice(prefix.length + 1).replace(/\/$/, ''))
      }
    }
    for (const reading of readings) {
      const file = await this.file(reading)
      if (file) return { file, section: '' }
    }
    for (const reading of readings) {
      const folder = reading === '' ? '' : `${reading}/`
      if ((await this.listing(folder)) !== undefined) return { folder, section: '' }
    }
    for (const extension of extensions) {
      for (const reading of readings) {
        const file = await this.file(reading + extension)
        if (file) return { file, section: '' }
      }
    }
    return undefined
  }
}

// shardOf returns the index of the asset that has a key, if any has it, or -1.
function shardOf(shards: readonly Shard[], key: string): number {
  let i = shards.length - 1
  while (i > 0 && bytesOf((shards[i] as Shard).first) > key) i--
  return i
}

const isDocument = 8
const otherLower = 16
const isCited = 32
const isPage = 64

function filesOf(data: Uint8Array): File[] {
  const r = new Reader(data)
  const out: File[] = []
  for (let path = ''; r.more; ) {
    path = r.shared(path)
    const packed = r.byte()
    const form = packed & 7
    const lower = packed & otherLower ? r.string() : path
    const size = r.number()
    const file: File = { path, lower, isDocument: (packed & isDocument) !== 0, kind: form, blob: '', title: '', size, cited: (packed & isCited) !== 0, about: '', outline: '' }
    if (form === kind.exact || form === kind.inexact) {
      file.blob = `b/${r.hex(32)}`
      file.outline = packed & isPage ? `b/${r.hex(8)}` : file.blob
      file.title = file.isDocument ? r.string() : ''
      if (packed & isPage) file.about = r.string()
    }
    out.push(file)
  }
  return out
}

function pairsOf(data: Uint8Array): Map<string, string> {
  const r = new Reader(data)
  const pairs = new Map<string, string>()
  for (let key = ''; r.more; ) {
    key = r.shared(key)
    pairs.set(key, r.string())
  }
  return pairs
}


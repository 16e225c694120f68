import type { Assets } from '../assets.ts'
import { bytesOf } from '../text.ts'
import type { Head } from './index.ts'
import { kept } from './kept.ts'
import type { OutlineShard } from './outline.ts'
import { clean, extensions, maxPath, spellings, traverses } from './path.ts'
import { Reader } from './reader.ts'
import { prefixesOf } from './search.ts'

// The files of the folder of documents: documents.go writes them. All strings are bytes.

// Documents is the part of the manifest about documents.
export interface Documents {
  dir: string
  files: { path: string; first: string }[] // shards of files, sorted by path
  documents: number // that are Markdown
  search: string // asset: the head of the search index
  host: string // of the URIs of documents: docs://HOST
  cited: string[] // assets: resources as the tool search looks for them
  titles: { path: string; first: string }[] // shards of the titles of resources, by URI
  types: { md: string; mdx: string } // MIME types of documents
}

// What a file is for an answer.
export const kind = { exact: 0, inexact: 1, notText: 2, tooLarge: 3, unreadable: 4 }

export interface File {
  path: string
  lower: string
  isDocument: boolean
  kind: number
  blob: string // asset: the text
  title: string
  size: number
  own: boolean // its URI leads to it, and not to a resource
}

// A Target is what a path means.
export interface Target {
  invalid?: boolean // it tries to leave the folder
  file?: File
  folder?: string // with a slash at its end, '' for the folder of all documents
  section: string
}

export class Library {
  readonly assets: Assets
  readonly of: Documents
  readonly outlines: readonly OutlineShard[]
  readonly #firsts: string[]

  constructor(assets: Assets, of: Documents, outlines: readonly OutlineShard[]) {
    this.assets = assets
    this.outlines = outlines
    this.of = of
    this.#firsts = of.files.map((shard) => bytesOf(shard.first))
  }

  get dir(): string {
    return bytesOf(this.of.dir)
  }

  head(): Promise<Head> {
    return kept(this.assets, this.of.search, 2, (data) => JSON.parse(decoder.decode(data)) as Head)
  }

  async #shard(i: number): Promise<File[]> {
    return kept(this.assets, (this.of.files[i] as { path: string }).path, 4, filesOf)
  }

  // from returns the first file whose path does not come before another.
  async from(path: string): Promise<{ shard: number; at: number; file: File | undefined }> {
    let shard = this.#firsts.length - 1
    while (shard > 0 && (this.#firsts[shard] as string) > path) shard--
    if (shard < 0) return { shard: 0, at: 0, file: undefined }
    const files = await this.#shard(shard)
    let low = 0
    let high = files.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((files[middle] as File).path < path) low = middle + 1
      else high = middle
    }
    if (low < files.length || shard + 1 === this.#firsts.length) return { shard, at: low, file: files[low] }
    return { shard: shard + 1, at: 0, file: (await this.#shard(shard + 1))[0] }
  }

  async file(path: string): Promise<File | undefined> {
    const { file } = await this.from(path)
    return file?.path === path ? file : undefined
  }

  async hasFolder(folder: string): Promise<boolean> {
    return folder === '' || (await this.from(folder)).file?.path.startsWith(folder) === true
  }

  // all calls visit with all files.
  async all(visit: (file: File) => void): Promise<void> {
    for (let i = 0; i < this.of.files.length; i++) for (const file of await this.#shard(i)) visit(file)
  }

  // names returns the folders and the documents in a folder.
  async names(folder: string): Promise<{ folders: string[]; documents: string[] }> {
    const folders: string[] = []
    const documents: string[] = []
    let { shard, at } = await this.from(folder)
    while (shard < this.of.files.length) {
      const files = await this.#shard(shard)
      const file = files[at]
      if (!file) {
        shard++
        at = 0
        continue
      }
      if (!file.path.startsWith(folder)) break
      const name = file.path.slice(folder.length)
      const end = name.indexOf('/')
      if (end < 0) {
        if (file.isDocument) documents.push(name)
        at++
        continue
      }
      folders.push(name.slice(0, end))
      ;({ shard, at } = await this.from(`${folder}${name.slice(0, end)}0`)) // the byte behind "/"
    }
    return { folders: folders.sort(), documents: documents.sort() }
  }

  // find looks up a path in the client's spelling.
  async find(asked: string): Promise<Target> {
    if (asked.length > maxPath) return { invalid: traverses(asked), section: '' }
    const all = spellings(asked)
    if (all.some((s) => traverses(s) || traverses(beforeMark(s)[0]))) return { invalid: true, section: '' }
    for (const s of all.slice(0, 2)) {
      const found = await this.#lookUp(s)
      if (found) return found
      const [before, section] = beforeMark(s)
      if (section === '') continue
      const file = await this.#lookUp(before)
      if (file?.file) return { ...file, section }
    }
    return { section: '' }
  }

  // titleOf returns the title of a resource.
  async titleOf(uri: string): Promise<string> {
    let i = this.of.titles.length - 1
    while (i > 0 && bytesOf((this.of.titles[i] as { first: string }).first) > uri) i--
    const shard = this.of.titles[i]
    return shard ? ((await kept(this.assets, shard.path, 3, titlesOf)).get(uri) ?? '') : ''
  }

  async #lookUp(asked: string): Promise<Target | undefined> {
    const path = clean(asked)
    const readings = [path]
    for (const prefix of prefixesOf(this.dir)) {
      if (`${path}/`.startsWith(`${prefix}/`)) readings.push(`${path}/`.slice(prefix.length + 1).replace(/\/$/, ''))
    }
    for (const extension of ['', ...extensions]) {
      for (const reading of readings) {
        const folder = reading === '' ? '' : `${reading}/`
        if (extension === '' && (await this.hasFolder(folder))) return { folder, section: '' }
        const file = await this.file(reading + extension)
        if (file) return { file, section: '' }
      }
    }
    return undefined
  }
}

const decoder = new TextDecoder()

function beforeMark(s: string): [before: string, section: string] {
  const at = s.indexOf('#')
  return at < 0 ? [s, ''] : [s.slice(0, at), s.slice(at + 1)]
}

const isDocument = 8
const otherLower = 16
const isOwn = 32

function filesOf(data: Uint8Array): File[] {
  const r = new Reader(data)
  const out: File[] = []
  for (let path = ''; r.more; ) {
    const packed = r.byte()
    path = r.shared(path)
    const of = packed & 7
    const lower = packed & otherLower ? r.string() : path
    const size = r.number()
    const file: File = { path, lower, isDocument: (packed & isDocument) !== 0, kind: of, blob: '', title: '', size, own: (packed & isOwn) !== 0 }
    if (of === kind.exact || of === kind.inexact) {
      file.blob = `b/${hexOf(r.bytes(32))}`
      file.title = file.isDocument ? r.string() : ''
    }
    out.push(file)
  }
  return out
}

function titlesOf(data: Uint8Array): Map<string, string> {
  const r = new Reader(data)
  const titles = new Map<string, string>()
  for (let uri = ''; r.more; ) {
    uri = r.shared(uri)
    titles.set(uri, r.string())
  }
  return titles
}

function hexOf(bytes: string): string {
  let out = ''
  for (let i = 0; i < bytes.length; i++) out += bytes.charCodeAt(i).toString(16).padStart(2, '0')
  return out
}

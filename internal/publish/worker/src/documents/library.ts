import type { Assets } from '../assets.ts'
import { bytesOf } from '../text.ts'
import type { Head } from './index.ts'
import { kept } from './kept.ts'
import type { OutlineShard } from './outline.ts'
import { clean, extensions, maxPath, spellings, traverses } from './path.ts'
import { Reader } from './reader.ts'
import { prefixesOf } from './search.ts'

// The files of the folder of documents, which documents.go writes. All strings are bytes.

// Documents is the part of the manifest about documents.
export interface Documents {
  dir: string
  files: { path: string; first: string }[] // shards of files, sorted by path
  documents: number // the number of Markdown files
  search: string // asset: the head of the search index
  host: string // of the URIs of documents: docs://HOST
  cited: string[] // assets: what the tool search needs of resources
  titles: { path: string; first: string }[] // shards of the titles of resources, by URI
  types: { md: string; mdx: string } // MIME types of documents
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
  own: boolean // the URI of the document leads to it, and not to a resource
}

// A Target is what a path means.
export interface Target {
  invalid?: boolean // the path tries to leave the folder
  file?: File
  folder?: string // with a slash at its end, '' for the folder of all documents
  section: string
}

export class Library {
  readonly assets: Assets
  readonly contents: Documents
  readonly outlines: readonly OutlineShard[]
  readonly #firsts: string[]

  constructor(assets: Assets, contents: Documents, outlines: readonly OutlineShard[]) {
    this.assets = assets
    this.outlines = outlines
    this.contents = contents
    this.#firsts = contents.files.map((shard) => bytesOf(shard.first))
  }

  get dir(): string {
    return bytesOf(this.contents.dir)
  }

  head(): Promise<Head> {
    return kept(this.assets, this.contents.search, 2, (data) => JSON.parse(decoder.decode(data)) as Head)
  }

  async #shard(i: number): Promise<File[]> {
    return kept(this.assets, (this.contents.files[i] as { path: string }).path, 4, filesOf)
  }

  // from returns the first file whose path is not less than a path.
  async from(path: string): Promise<{ shard: number; index: number; file: File | undefined }> {
    let shard = this.#firsts.length - 1
    while (shard > 0 && (this.#firsts[shard] as string) > path) shard--
    if (shard < 0) return { shard: 0, index: 0, file: undefined }
    const files = await this.#shard(shard)
    let low = 0
    let high = files.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((files[middle] as File).path < path) low = middle + 1
      else high = middle
    }
    if (low < files.length || shard + 1 === this.#firsts.length) return { shard, index: low, file: files[low] }
    return { shard: shard + 1, index: 0, file: (await this.#shard(shard + 1))[0] }
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
    for (let i = 0; i < this.contents.files.length; i++) for (const file of await this.#shard(i)) visit(file)
  }

  // names returns the folders and the documents in a folder.
  async names(folder: string): Promise<{ folders: string[]; documents: string[] }> {
    const folders: string[] = []
    const documents: string[] = []
    let { shard, index } = await this.from(folder)
    while (shard < this.contents.files.length) {
      const files = await this.#shard(shard)
      const file = files[index]
      if (!file) {
        shard++
        index = 0
        continue
      }
      if (!file.path.startsWith(folder)) break
      const name = file.path.slice(folder.length)
      const end = name.indexOf('/')
      if (end < 0) {
        if (file.isDocument) documents.push(name)
        index++
        continue
      }
      folders.push(name.slice(0, end))
      ;({ shard, index } = await this.from(`${folder}${name.slice(0, end)}0`)) // the byte after "/"
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
    let i = this.contents.titles.length - 1
    while (i > 0 && bytesOf((this.contents.titles[i] as { first: string }).first) > uri) i--
    const shard = this.contents.titles[i]
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
  const hash = s.indexOf('#')
  return hash < 0 ? [s, ''] : [s.slice(0, hash), s.slice(hash + 1)]
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
    const form = packed & 7
    const lower = packed & otherLower ? r.string() : path
    const size = r.number()
    const file: File = { path, lower, isDocument: (packed & isDocument) !== 0, kind: form, blob: '', title: '', size, own: (packed & isOwn) !== 0 }
    if (form === kind.exact || form === kind.inexact) {
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

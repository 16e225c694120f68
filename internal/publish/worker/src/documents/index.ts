import { bytesOf } from '../text.ts'
import { bisect } from './bisect.ts'
import type { Budget } from './kept.ts'
import { Reader } from './reader.ts'
import { shardSize, type Word, Words } from './vocabulary.ts'

// The search index in shards, as postings.go writes it: the vocabulary, the postings, the passages with the weights of
// their names, the documents, and the texts.

// A Head holds the assets of the index.
export interface Head {
  passages: number
  counted: number // passages of documents, or of all texts without documents
  words: number // in these passages
  terms: number
  vocabulary: { path: string; from: number; first: string }[]
  postings: string[]
  tables: string
  documents: { path: string; from: number }[]
  texts: { path: string; from: number }[]
  trees: Tree[] // languages and versions of documents of sites
}

// The numbers of assets that a query may read: in all, for the vocabulary, and for the hits.
const maxVocabulary = 14

// The number of assets that are reserved for the texts of hits and their documents.
export const forHits = 14

const f = Math.fround

// Tables hold what ranking needs to know about passages, and about the documents that begin among them: words of each passage (the highest
// bit says that it continues the section of the passage before it), the weight of the words in its heading, the first passage of each
// document, the weights of the words in its name and in its title, and what its scores are multiplied with.
export type Tables = ReturnType<typeof tableOf>

// A Tree says by which filters documents of a language and version are found.
export interface Tree {
  language: string
  version: string
  other: boolean // the documents are not found without a filter
  ofLanguage: boolean // the first tree of the site has this language
  ofVersion: boolean
}

export interface Found {
  path: string
  uri: string // of a resource; '' for a document
  lower: string
  title: string // as a result of the tool search
  heading: string // its title, or ''
  description: string
  same: number // the first document of this page, its translations, other versions and copies; -1: this one
  cited: boolean // a client can read it by its URI
  tree: number // in Head.trees; -1 for none
}

export interface Passage {
  heading: string
  top: number // line of the text
  front: string // front matter, which readers do not see
  text: string
  units: Unit[]
}

// A Unit is a part of a text that an excerpt shows as a whole, with the blank lines after it.
export interface Unit {
  start: number
  end: number
  kind: number
  inside: boolean // the line begins in fenced code
  announces: boolean // it is about what comes after it
}

// partOf returns the index of the last part that begins at or before a number.
export function partOf(parts: readonly { from: number }[], number: number): number {
  return bisect(parts.length, (i) => (parts[i] as { from: number }).from > number) - 1
}

// An Index reads the index for one query.
export class Index {
  #vocabulary = new Set<string>() // that the query has read
  #tables: Promise<Tables> | undefined

  constructor(readonly head: Head, readonly budget: Budget) {}

  // part returns a part of the vocabulary, or undefined if the query has read too many parts.
  async part(i: number): Promise<Words | undefined> {
    const shard = this.head.vocabulary[i]
    if (!shard || (!this.#vocabulary.has(shard.path) && this.#vocabulary.size === maxVocabulary)) return undefined
    this.#vocabulary.add(shard.path)
    return this.budget.read(shard.path, 6, (data) => new Words(data, shard.from))
  }

  // find returns the number of a stem; if it is not found, the number that it would have.
  async find(stem: string): Promise<{ number: number; found: boolean }> {
    const after = bisect(this.head.vocabulary.length, (i) => bytesOf((this.head.vocabulary[i] as { first: string }).first) > stem)
    if (after === 0) return { number: 0, found: false }
    const part = await this.part(after - 1)
    if (!part) return { number: this.head.terms, found: false }
    const { index, found } = part.find(stem)
    return { number: part.from + index, found }
  }

  // lookUp returns the number of a stem, or -1.
  async lookUp(stem: string): Promise<number> {
    const { number, found } = await this.find(stem)
    return found ? number : -1
  }

  // each calls visit with the terms from a number on, as long as it returns true.
  async each(from: number, visit: (term: string, number: number) => boolean): Promise<void> {
    for (let i = partOf(this.head.vocabulary, from); i < this.head.vocabulary.length && from < this.head.terms; i++) {
      const part = await this.part(Math.max(i, 0))
      if (!part) return
      for (let k = Math.max(from - part.from, 0); k < part.count; k++) {
        if (!visit(part.term(k).term, part.from + k)) return
      }
    }
  }

  async #at(number: number): Promise<Word> {
    const part = await this.part(partOf(this.head.vocabulary, number))
    if (!part) throw new Error(`term ${number} was not read`)
    return part.term(number - part.from)
  }

  // term returns a term.
  async term(number: number): Promise<string> {
    return (await this.#at(number)).term
  }

  // holding returns the number of passages that have one of these terms.
  async holding(numbers: readonly number[]): Promise<number> {
    let n = 0
    for (const number of numbers) n += (await this.#at(number)).holders
    return n
  }

  // idf returns the inverse document frequency of a word that matches these terms.
  async idf(numbers: readonly number[]): Promise<number> {
    return this.rarity(await this.holding(numbers))
  }

  // rarity returns the inverse document frequency of a word that so many passages have.
  rarity(n: number): number {
    const all = this.head.counted
    const holders = Math.min(n, all)
    return f(Math.log(1 + (all - holders + 0.5) / (holders + 0.5)))
  }

  // pathsOf returns the assets with the postings of a term.
  async pathsOf(number: number): Promise<string[]> {
    const { shard, offset, length } = await this.#at(number)
    return this.head.postings.slice(shard, shard + Math.max(1, Math.ceil((offset + length) / shardSize)))
  }

  // postings returns the postings of a term: numbers of passages and weights in turn.
  async postings(number: number): Promise<Uint32Array> {
    const { offset, length } = await this.#at(number)
    const paths = await this.pathsOf(number)
    const shards = await Promise.all(paths.map((path) => this.budget.read(path, 1, (data) => data)))
    const data = shards.length > 1 ? new Uint8Array(await new Blob(shards as BlobPart[]).arrayBuffer()) : (shards[0] as Uint8Array)
    return postingsOf(data.subarray(offset, offset + length))
  }

  // common returns the passages that have all terms, in their order; all passages without terms.
  async common(numbers: readonly number[]): Promise<number[]> {
    if (numbers.length === 0) return Array.from({ length: this.head.passages }, (_, i) => i)
    const count = new Map<number, number>()
    for (const [i, number] of numbers.entries()) {
      const postings = await this.postings(number)
      for (let j = 0; j < postings.length; j += 2) {
        const p = postings[j] as number
        if ((count.get(p) ?? 0) === i) count.set(p, i + 1)
      }
    }
    return [...count].filter(([, n]) => n === numbers.length).map(([p]) => p).sort((a, b) => a - b)
  }

  // tables returns the weights of all passages.
  tables(): Promise<Tables> {
    this.#tables ??= this.budget.read(this.head.tables, 1, tableOf)
    return this.#tables
  }

  async document(number: number): Promise<Found> {
    const { path, from } = this.head.documents[partOf(this.head.documents, number)] as { path: string; from: number }
    return (await this.budget.read(path, 4, documentsOf))[number - from] as Found
  }

  // documentOf returns the number of the document of a passage.
  async documentOf(passage: number): Promise<number> {
    const { first } = await this.tables()
    return bisect(first.length, (i) => (first[i] as number) > passage) - 1
  }

  // sameAs returns the first document of the same page as a document.
  async sameAs(number: number): Promise<number> {
    const { same } = await this.document(number)
    return same < 0 ? number : same
  }

  // affords reports whether the budget has room for some assets, and leaves a number of others.
  affords(paths: readonly string[], others: number): boolean {
    return new Set(paths.filter((path) => !this.budget.has(path))).size <= Math.max(this.budget.left - others, 0)
  }

  // documentPath returns the asset with a document.
  documentPath(number: number): string {
    return (this.head.documents[partOf(this.head.documents, number)] as { path: string }).path
  }

  // textPath returns the asset with the text of a passage.
  textPath(number: number): string {
    return (this.head.texts[partOf(this.head.texts, number)] as { path: string }).path
  }

  async passage(number: number): Promise<Passage> {
    const shard = this.head.texts[partOf(this.head.texts, number)] as { path: string; from: number }
    const passages = await this.budget.read(shard.path, 2, passagesOf)
    return passages(number - shard.from)
  }
}

// A posting is the distance to the previous passage, doubled, plus one if a weight other than 1 follows.
function postingsOf(data: Uint8Array): Uint32Array {
  const out = new Uint32Array(2 * data.length)
  let n = 0
  let passage = 0
  for (let offset = 0; offset < data.length; ) {
    let b = data[offset++] as number
    let distance = b & 0x7f
    for (let shift = 7; b >= 0x80; shift += 7) {
      b = data[offset++] as number
      distance |= (b & 0x7f) << shift
    }
    passage += distance >>> 1
    out[n++] = passage
    out[n++] = distance & 1 ? (data[offset++] as number) : 1
  }
  return out.subarray(0, n)
}

// tableOf reads a table without copying it: the numbers of passages and of documents, and five lists.
function tableOf(data: Uint8Array) {
  const { buffer } = data.byteOffset % 4 === 0 ? data : data.slice()
  let offset = buffer === data.buffer ? data.byteOffset : 0
  const [passages, documents] = new Uint32Array(buffer, offset, 2) as unknown as [number, number]
  offset += 8
  const floats = (n: number): Float32Array => new Float32Array(buffer, (offset += 4 * n) - 4 * n, n)
  const heading = floats(passages)
  const first = new Uint32Array(buffer, (offset += 4 * documents) - 4 * documents, documents)
  return { heading, first, name: floats(documents), title: floats(documents), share: floats(documents), words: new Uint16Array(buffer, offset, passages) }
}

const isResource = 1
const otherLower = 2
const isCited = 4
const hasTree = 8
const hasSame = 16

export function documentsOf(data: Uint8Array): Found[] {
  const r = new Reader(data)
  const out: Found[] = []
  for (let path = ''; r.more; ) {
    path = r.shared(path)
    const flags = r.byte()
    const uri = flags & isResource ? r.string() : ''
    const lower = flags & otherLower ? r.string() : path
    const [title, heading, description] = [r.string(), r.string(), r.string()]
    const same = flags & hasSame ? r.number() : -1
    const tree = flags & hasTree ? r.number() : -1
    out.push({ path, uri, lower, title, heading, description, same, cited: (flags & isCited) !== 0, tree })
  }
  return out
}

// passagesOf returns a function that reads one passage of a part.
function passagesOf(data: Uint8Array): (i: number) => Passage {
  const r = new Reader(data)
  const n = r.number()
  const starts = new Uint32Array(n + 1)
  for (let i = 0, offset = 0; i < n; i++) {
    offset += r.number()
    starts[i + 1] = offset
  }
  const from = r.offset
  return (i) => {
    const one = new Reader(data, from + (starts[i] as number))
    const [top, heading, front] = [one.number(), one.string(), one.string()]
    let end = one.number()
    const units = Array.from({ length: one.number() }, () => {
      const [start, n] = [end, one.number()]
      end += n >>> 5
      return { start, end, kind: n & 7, inside: (n & 8) !== 0, announces: (n & 16) !== 0 }
    })
    return { top, heading, front, units, text: one.bytes(from + (starts[i + 1] as number) - one.offset) }
  }
}

import { bisect } from './bisect.ts'
import { Reader } from './reader.ts'

export const shardSize = 256 << 10

// A Word is a term of the index. Its postings begin at an offset in a shard.
export interface Word {
  term: string
  holders: number // the number of passages with the term
  shard: number
  offset: number
  length: number
}

const blockTerms = 32 // terms in a block, except the last one; the same number is in postings.go

// Words is a part of the vocabulary: blocks of terms, each of which is decoded when one of its terms is needed.
export class Words {
  readonly count: number
  readonly #blocks: (readonly Word[] | undefined)[] = []
  readonly #firsts: (string | undefined)[] = []
  readonly #starts: number // the offset of the table of blocks

  constructor(private readonly data: Uint8Array, readonly from: number) {
    const r = new Reader(data)
    this.count = r.number()
    this.#starts = r.offset
  }

  get #size(): number {
    return Math.ceil(this.count / blockTerms)
  }

  // find returns the index of a stem; if it is not found, the index that it would have.
  find(stem: string): { index: number; found: boolean } {
    const last = bisect(this.#size, (i) => this.#first(i) > stem) - 1
    if (last < 0) return { index: 0, found: false }
    const block = this.#block(last)
    const index = bisect(block.length, (i) => (block[i] as Word).term >= stem)
    return { index: last * blockTerms + index, found: block[index]?.term === stem }
  }

  term(k: number): Word {
    return this.#block(Math.floor(k / blockTerms))[k % blockTerms] as Word
  }

  // #at returns a reader of a block, and the shard and offset of the postings of its first term.
  #at(i: number): { r: Reader; shard: number; offset: number } {
    const r = new Reader(this.data, this.#starts + 12 * i)
    const [start, shard, offset] = [r.whole(), r.whole(), r.whole()]
    r.offset = this.#starts + 12 * this.#size + start
    return { r, shard, offset }
  }

  #first(i: number): string {
    return (this.#firsts[i] ??= this.#at(i).r.shared(''))
  }

  #block(i: number): readonly Word[] {
    return (this.#blocks[i] ??= this.#read(i))
  }

  #read(i: number): readonly Word[] {
    let { r, shard, offset } = this.#at(i)
    const block: Word[] = []
    let term = ''
    for (let left = Math.min(blockTerms, this.count - i * blockTerms); left > 0; left--) {
      term = r.shared(term)
      const holders = r.number()
      const length = r.number()
      if (offset > 0 && offset + length > shardSize) {
        shard++
        offset = 0
      }
      block.push({ term, holders, shard, offset, length })
      offset += length
      shard += Math.floor(offset / shardSize)
      offset %= shardSize
    }
    return block
  }
}

import { Reader } from './reader.ts'

export const shardSize = 64 << 10

// A Word is a term of the index: its postings are in a shard, from an offset on.
export interface Word {
  term: string
  holders: number // passages that have it
  shard: number
  offset: number
  length: number
}

const ofBlock = 32 // terms, but for the last block: postings.go has it too

// Words are a part of the vocabulary: blocks of terms, each of which is read when a term of it is asked for.
export class Words {
  readonly from: number
  readonly count: number
  readonly #data: Uint8Array
  readonly #blocks: (readonly Word[] | undefined)[]
  readonly #firsts: (string | undefined)[]
  readonly #starts: number // where the places of the blocks are

  constructor(data: Uint8Array, from: number) {
    const r = new Reader(data)
    this.from = from
    this.count = r.number()
    this.#data = data
    this.#starts = r.at
    const blocks = Math.ceil(this.count / ofBlock)
    this.#blocks = new Array<undefined>(blocks).fill(undefined)
    this.#firsts = new Array<undefined>(blocks).fill(undefined)
  }

  // find returns where a stem is, or would be.
  find(stem: string): { at: number; found: boolean } {
    let low = 0
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#first(middle) <= stem) low = middle + 1
      else high = middle
    }
    if (low === 0) return { at: 0, found: false }
    const block = this.#block(low - 1)
    const at = block.findIndex(({ term }) => term >= stem)
    if (at < 0) return { at: (low - 1) * ofBlock + block.length, found: false }
    return { at: (low - 1) * ofBlock + at, found: (block[at] as Word).term === stem }
  }

  term(k: number): Word {
    return this.#block(Math.floor(k / ofBlock))[k % ofBlock] as Word
  }

  // #at returns a reader of a block, and where the postings of its first term are.
  #at(i: number): { r: Reader; shard: number; offset: number } {
    const r = new Reader(this.#data, this.#starts + 12 * i)
    const [start, shard, offset] = [r.whole(), r.whole(), r.whole()]
    r.at = this.#starts + 12 * this.#blocks.length + start
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
    for (let left = Math.min(ofBlock, this.count - i * ofBlock); left > 0; left--) {
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

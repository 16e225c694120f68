import { latin } from '../text.ts'

// A Reader reads the numbers and strings of a shard.
export class Reader {
  readonly #data: Uint8Array
  readonly #view: DataView
  at: number

  constructor(data: Uint8Array, at = 0) {
    this.#data = data
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    this.at = at
  }

  get more(): boolean {
    return this.at < this.#data.length
  }

  // byte reads a byte.
  byte(): number {
    return this.#data[this.at++] as number
  }

  // whole reads a number of four bytes.
  whole(): number {
    const n = this.#view.getUint32(this.at, true)
    this.at += 4
    return n
  }

  // number reads a number of seven bits a byte, the lowest first.
  number(): number {
    let n = 0
    let scale = 1
    for (;;) {
      const b = this.#data[this.at++] as number
      if (b < 0x80) return n + b * scale
      n += (b & 0x7f) * scale
      scale *= 0x80
    }
  }

  // bytes reads that many bytes as a string of them.
  bytes(size: number): string {
    const from = this.at
    this.at += size
    return latin(this.#data.subarray(from, this.at))
  }

  // string reads bytes behind their number.
  string(): string {
    return this.bytes(this.number())
  }

  // shared reads a string that begins as the one before it.
  shared(before: string): string {
    const kept = this.number()
    return before.slice(0, kept) + this.string()
  }
}

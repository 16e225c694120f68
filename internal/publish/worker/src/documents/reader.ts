import { latin } from '../text.ts'

// A Reader reads the numbers and strings of a shard.
export class Reader {
  constructor(private readonly data: Uint8Array, public offset = 0) {}

  get more(): boolean {
    return this.offset < this.data.length
  }

  // byte reads a byte.
  byte(): number {
    return this.data[this.offset++] as number
  }

  // whole reads a number of four bytes.
  whole(): number {
    this.offset += 4
    return new DataView(this.data.buffer, this.data.byteOffset).getUint32(this.offset - 4, true)
  }

  // number reads a number in base 128, the lowest digit first.
  number(): number {
    let n = 0
    let scale = 1
    for (;;) {
      const b = this.data[this.offset++] as number
      if (b < 0x80) return n + b * scale
      n += (b & 0x7f) * scale
      scale *= 0x80
    }
  }

  // bytes reads size bytes.
  bytes(size: number): string {
    const from = this.offset
    this.offset += size
    return latin(this.data.subarray(from, this.offset))
  }

  // hex reads size bytes and returns them in hexadecimal digits.
  hex(size: number): string {
    return [...this.bytes(size)].map((c) => c.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  }

  // string reads a length and that many bytes.
  string(): string {
    return this.bytes(this.number())
  }

  // shared reads a string that shares a prefix with the string before it.
  shared(before: string): string {
    const kept = this.number()
    return before.slice(0, kept) + this.string()
  }
}

import { scan, type Visitor } from './scan.ts'

// What JSON.parse loses of a text: the digits of large numbers, what makes 1.0 another number than 1 for the Go program, how an id is
// written, and members of the same name. Its second argument would have the texts, but calls itself for each level.

// Sources are texts of one message.
export interface Sources {
  id?: string
  arguments: Map<string, string[]> // numbers among the members of params.arguments: of each name, in their order
}

// A Finder collects the sources of the messages of a text.
export class Finder implements Visitor {
  readonly found: Sources[] = []
  members = 0 // of all objects
  readonly #text: string
  readonly #path: (string | number)[] = [] // the member or item of each open value that is read, of the first four
  #depth = 0
  #isBatch = false

  constructor(text: string) {
    this.#text = text
    scan(text, this)
  }

  open(isArray: boolean, depth: number): void {
    if (depth === 1) this.#isBatch = isArray
    this.#depth = depth
    if (depth <= 4) this.#path[depth - 1] = isArray ? -1 : ''
    // An array in an array has no name; its number is counted where its values are seen.
    if (depth === 2 && this.#isBatch) this.#path[0] = (this.#path[0] as number) + 1
    const from = this.#isBatch ? 1 : 0
    if (depth === from + 3 && this.#inArguments(from)) this.#of(from).arguments.clear() // the last ones count
  }

  close(): void {
    this.#depth--
  }

  key(start: number, end: number): void {
    this.members++
    if (this.#depth <= 4) this.#path[this.#depth - 1] = nameIn(this.#text.slice(start, end))
  }

  value(start: number, end: number): void {
    const depth = this.#depth
    if (depth === 1 && this.#isBatch) this.#path[0] = (this.#path[0] as number) + 1
    const from = this.#isBatch ? 1 : 0
    const inside = depth - from
    if (inside === 1 && this.#path[from] === 'id') this.#of(from).id = this.#text.slice(start, end)
    else if (inside === 3 && this.#inArguments(from)) {
      const c = this.#text.charCodeAt(start)
      if (c !== 0x2d && !(c >= 0x30 && c <= 0x39)) return
      const [name, all] = [this.#path[from + 2] as string, this.#of(from).arguments]
      const before = all.get(name)
      if (before) before.push(this.#text.slice(start, end))
      else all.set(name, [this.#text.slice(start, end)])
    }
  }

  #inArguments(from: number): boolean {
    return this.#path[from] === 'params' && this.#path[from + 1] === 'arguments' && typeof this.#path[from + 2] === 'string'
  }

  #of(from: number): Sources {
    return (this.found[from === 1 ? (this.#path[0] as number) : 0] ??= { arguments: new Map() })
  }
}

const nameIn = (quoted: string): string => (quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1))

import { type Json, type JsonObject, repeated } from './json.ts'
import { scan, type Visitor } from './scan.ts'

// A text that JSON.parse reads otherwise than the Go program: an object has members of the same name, which both read, or halves of
// characters, which only escapes can name and which become U+FFFD.

// needsCare reports whether a text that has so many members is one, given what JSON.parse made of it.
export function needsCare(text: string, value: Json, members: number): boolean {
  if (/\\u[dD][89a-fA-F]/.test(text)) return true
  const left: Json[] = [value]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const items = Array.isArray(next) ? next : Object.values(next)
    if (items !== next) members -= items.length
    for (const item of items) if (typeof item === 'object' && item !== null) left.push(item)
  }
  return members !== 0
}

// valueOf returns the value of a valid JSON text. Objects that have a member twice have all of them in their order, see membersOf.
export function valueOf(text: string): Json {
  return new Builder(text).root
}

interface Open {
  items?: Json[]
  of?: JsonObject
  members: [name: string, value: Json][]
  name: string
}

class Builder implements Visitor {
  root: Json = null
  readonly #text: string
  readonly #open: Open[] = []

  constructor(text: string) {
    this.#text = text
    scan(text, this)
  }

  open(isArray: boolean): void {
    const next: Open = isArray ? { items: [], members: [], name: '' } : { of: Object.create(null) as JsonObject, members: [], name: '' }
    this.#put((next.items ?? next.of) as Json)
    this.#open.push(next)
  }

  close(): void {
    const { of, members } = this.#open.pop() as Open
    if (!of) return
    for (const [name, value] of members) of[name] = value
    if (Object.keys(of).length < members.length) Object.defineProperty(of, repeated, { value: members })
  }

  key(start: number, end: number): void {
    ;(this.#open.at(-1) as Open).name = (JSON.parse(this.#text.slice(start, end)) as string).toWellFormed()
  }

  value(start: number, end: number): void {
    const value = JSON.parse(this.#text.slice(start, end)) as Json
    this.#put(typeof value === 'string' ? value.toWellFormed() : value)
  }

  #put(value: Json): void {
    const top = this.#open.at(-1)
    if (!top) this.root = value
    else if (top.items) top.items.push(value)
    else top.members.push([top.name, value])
  }
}

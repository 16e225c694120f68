import { foldRune } from '../characters.ts'
import type { Context } from '../context.ts'
import { nearest } from '../documents/nearest.ts'
import { textOf } from '../documents/text.ts'
import { isObject, type Json } from '../json.ts'
import { bytesOf, shown } from '../text.ts'

// Arguments of tools, read as the Go program does: names in any case, null for what is not there, the first mistake counts.

// A Mistake is one of the model that calls a tool. Its text is for the model.
export class Mistake extends Error {}

type Kind = 'string' | 'number' | 'strings'

export type Arguments<F extends { [name: string]: Kind }> = {
  [name in keyof F]: F[name] extends 'string' ? string : F[name] extends 'number' ? number : string[]
}

// argumentsOf reads the arguments of a call. What is not given is '', 0 or empty.
export function argumentsOf<const F extends { [name: string]: Kind }>({ numbers }: Context, given: Json | undefined, fields: F): Arguments<F> {
  const out: { [name: string]: string | number | string[] } = {}
  for (const [name, kind] of Object.entries(fields)) out[name] = kind === 'string' ? '' : kind === 'number' ? 0 : []
  if (given === undefined || given === null) return out as Arguments<F>
  if (!isObject(given)) throw new Mistake(`the arguments must be an object, not ${typeOf(given)}`)
  for (const [key, value] of Object.entries(given)) {
    const name = Object.hasOwn(fields, key) ? key : Object.keys(fields).find((field) => folded(field) === folded(key))
    if (name === undefined) throw new Mistake(`the arguments are wrong: unknown field ${shown(key)}${meant(key, Object.keys(fields))}`)
    const kind = fields[name] as Kind
    if (value === null) {
      if (kind === 'strings') out[name] = []
      continue
    }
    out[name] = read(name, kind, value, numbers.get(key))
  }
  return out as Arguments<F>
}

// meant suggests a name that looks alike.
function meant(name: string, names: readonly string[]): string {
  const [near] = nearest(bytesOf(name), names.map(bytesOf), 1)
  return near === undefined ? '' : `; did you mean ${textOf(near)}?`
}

function read(name: string, kind: Kind, value: Json, source: string | undefined): string | number | string[] {
  const wrong = (of: Json, must: string): Mistake => new Mistake(`the argument ${name} is ${typeOf(of)}, must be ${must}`)
  if (kind === 'strings') {
    if (!Array.isArray(value)) throw wrong(value, 'an array')
    return value.map((item) => {
      if (item === null) return ''
      if (typeof item !== 'string') throw wrong(item, 'a string')
      return item
    })
  }
  if (kind === 'string') {
    if (typeof value !== 'string') throw wrong(value, 'a string')
    return value
  }
  if (typeof value !== 'number') throw wrong(value, 'a whole number')
  const written = source ?? String(value)
  if (!isWhole(written)) throw new Mistake(`the argument ${name} is number ${written}, must be a whole number`)
  return value
}

// isWhole reports whether an integer of Go can be read from a number: 1.0 and 1e2 are others, and so is what has more than 64 bits.
function isWhole(written: string): boolean {
  return /^-?\d{1,19}$/.test(written) && BigInt.asIntN(64, BigInt(written)) === BigInt(written)
}

const typeOf = (value: Json): string => (Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value)

function folded(name: string): string {
  let out = ''
  for (const character of name) out += String.fromCodePoint(foldRune(character.codePointAt(0) as number))
  return out
}

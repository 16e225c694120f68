import { foldRune } from '../characters.ts'
import type { Context } from '../context.ts'
import { nearest } from '../documents/nearest.ts'
import { textOf } from '../documents/text.ts'
import { isObject, type Json } from '../json.ts'
import { bytesOf, cut } from '../text.ts'

// Arguments of tools, read as the Go program reads them: names in any case, null as a missing value, all mistakes reported together.

// A Mistake is an error that the calling model can fix. The model reads its text.
export class Mistake extends Error {}

type Kind = 'string' | 'number' | 'strings'

export type Arguments<F extends { [name: string]: Kind }> = {
  [name in keyof F]: F[name] extends 'string' ? string : F[name] extends 'number' ? number : string[]
}

const maxWrong = 20

// argumentsOf reads the arguments of a call. A missing argument is '', 0 or empty.
export function argumentsOf<const F extends { [name: string]: Kind }>({ numbers }: Context, given: Json | undefined, fields: F): Arguments<F> {
  const out: { [name: string]: string | number | string[] } = {}
  for (const [name, kind] of Object.entries(fields)) out[name] = kind === 'string' ? '' : kind === 'number' ? 0 : []
  if (given === undefined || given === null) return out as Arguments<F>
  if (!isObject(given)) throw new Mistake('Invalid arguments: they must be an object')
  const named = new Map<string, [value: Json, source: string | undefined]>()
  for (const [key, value] of Object.entries(given)) {
    const name = Object.hasOwn(fields, key) ? key : (Object.keys(fields).find((field) => folded(field) === folded(key)) ?? key)
    named.set(bytesOf(name), [value, numbers.get(key)])
  }
  const wrong: string[] = []
  for (const [bytes, [value, source]] of [...named].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const name = textOf(bytes)
    if (!Object.hasOwn(fields, name)) wrong.push(`${cut(name, 60)}: is not an argument${meant(bytes, Object.keys(fields))}`)
    else if (value !== null) out[name] = read(name, fields[name] as Kind, value, source, wrong)
  }
  if (wrong.length > 0) throw new Mistake(`Invalid arguments: ${wrong.slice(0, maxWrong).join(', ')}`)
  return out as Arguments<F>
}

// meant suggests a similar name.
function meant(name: string, names: readonly string[]): string {
  const [near] = nearest(name, names.map(bytesOf), 1)
  return near === undefined ? '' : `; did you mean ${textOf(near)}?`
}

// read reads a value, and adds what is wrong with it.
function read(name: string, kind: Kind, value: Json, source: string | undefined, wrong: string[]): string | number | string[] {
  if (kind === 'strings') {
    if (Array.isArray(value)) return value.map((item, i) => (item === null ? '' : (read(`${name}[${i}]`, 'string', item, undefined, wrong) as string)))
    wrong.push(`${name}: is ${kindOf(value)}, must be an array`)
  } else if (kind === 'string') {
    if (typeof value === 'string') return value
    wrong.push(`${name}: is ${kindOf(value)}, must be a string`)
  } else if (typeof value === 'number') {
    const written = source ?? String(value)
    if (isWhole(written, value)) return value
    wrong.push(`${name}: is ${written.slice(0, 30)}, must be a whole number`)
  } else {
    wrong.push(`${name}: is ${kindOf(value)}, must be a whole number`)
  }
  return ''
}

// isWhole reports whether a number is a 64-bit integer, also in a spelling such as 1.0 and 1e2.
function isWhole(written: string, value: number): boolean {
  return (/^-?\d{1,19}$/.test(written) && BigInt.asIntN(64, BigInt(written)) === BigInt(written)) || (Number.isInteger(value) && Math.abs(value) < 2 ** 53)
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'boolean' ? String(value) : `a ${typeof value}`
}

function folded(name: string): string {
  let out = ''
  for (const character of name) out += String.fromCodePoint(foldRune(character.codePointAt(0) as number))
  return out
}

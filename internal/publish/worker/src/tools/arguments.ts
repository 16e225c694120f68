import { sameCase, textOf } from '../text.ts'
import { isObject, type Json } from '../json.ts'

// Arguments of tools, read as the Go program reads them: names in any case, null as a missing value, all mistakes reported together.

// A Mistake is an error that the calling model can fix. The model reads its text.
export class Mistake extends Error {}

type Kind = 'string' | 'number' | 'strings'

export type Arguments<F extends { [name: string]: Kind }> = {
  [name in keyof F]: F[name] extends 'string' ? string : F[name] extends 'number' ? number : string[]
}

const maxWrong = 20

// argumentsOf reads the arguments of a call. A missing argument is '', 0 or empty.
export function argumentsOf<const F extends { [name: string]: Kind }>(given: Json | undefined, fields: F): Arguments<F> {
  const out: { [name: string]: string | number | string[] } = {}
  for (const [name, kind] of Object.entries(fields)) out[name] = kind === 'string' ? '' : kind === 'number' ? 0 : []
  if (given === undefined || given === null) return out as Arguments<F>
  if (Array.isArray(given) && given.length === 0) return out as Arguments<F> // an empty object of PHP
  if (!isObject(given)) throw new Mistake('Invalid arguments: they must be an object')
  const wrong: string[] = []
  for (const [key, value] of Object.entries(given)) {
    const name = Object.keys(fields).find((field) => sameCase(field) === sameCase(key))
    if (name !== undefined && value !== null) out[name] = read(name, fields[name] as Kind, value, wrong)
  }
  if (wrong.length > 0) throw new Mistake(`Invalid arguments: ${wrong.sort().slice(0, maxWrong).join(', ')}`)
  return out as Arguments<F>
}

// read reads a value, and adds what is wrong with it.
function read(name: string, kind: Kind, sent: Json, wrong: string[]): string | number | string[] {
  const value = kind === 'string' ? sent : meant(kind, sent)
  if (kind === 'strings') {
    if (typeof value === 'string') return [value]
    if (Array.isArray(value)) return value.map((item, i) => (item === null ? '' : (read(`${name}[${i}]`, 'string', item, wrong) as string)))
    wrong.push(`${name}: is ${kindOf(value)}, must be an array`)
  } else if (kind === 'string') {
    if (typeof value === 'string') return value
    wrong.push(`${name}: is ${kindOf(value)}, must be a string`)
  } else {
    if (Number.isSafeInteger(value)) return value as number
    wrong.push(`${name}: is ${typeof value === 'number' ? value : kindOf(value)}, must be a whole number`)
  }
  return ''
}

// meant returns the value that a text stands for, if it is JSON of the type.
function meant(kind: Kind, value: Json): Json {
  if (typeof value !== 'string' || !(kind === 'strings' ? /^\s*\[/ : /^\s*-?\d/).test(value)) return value
  try {
    return JSON.parse(value) as Json
  } catch {
    return value
  }
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'boolean' ? String(value) : `a ${typeof value}`
}

// Results of tools.

const block = (text: string): string => `{"type":"text","text":${JSON.stringify(text)}}`

// texts returns the members of a result with some texts, which are bytes.
export const texts = (all: readonly string[]): string => `"content":[${all.map((bytes) => block(textOf(bytes))).join(',')}]`

// failed returns the members of a result that reports a mistake to the model.
export const failed = (message: string): string => `"content":[${block(message)}],"isError":true`

// asText returns a value as JSON. Like Go, it escapes the characters that some readers treat as line ends.
export const asText = (value: unknown): string =>
  `"content":[${block(JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'))}]`

import { isObject, type Json, type JsonObject, membersOf } from './json.ts'
import { invalidParams } from './protocol.ts'

// Parameters are read by the type that they must have, as Go decodes JSON into a struct: the first member of a wrong type is an error, null
// leaves what is there, and of members of the same name the last one counts, but each must be right. Other members may be anything.

// A Shape is a type of parameters.
export type Shape = 'string' | 'boolean' | 'any' | 'raw' | Struct | { readonly items: Shape } | { readonly map: Shape }

export interface Struct {
  readonly fields: { readonly [name: string]: Shape }
  readonly pointer?: 1 // null is none of it
  readonly check?: (value: JsonObject) => void // it reads itself: a second one replaces the first, and each is checked
}

export type Of<S> = S extends 'string'
  ? string
  : S extends 'boolean'
    ? boolean
    : S extends { readonly fields: infer F }
      ? { -readonly [name in keyof F]: Of<F[name]> } | (S extends { readonly pointer: 1 } ? null : never)
      : S extends { readonly items: infer I }
        ? Of<I>[] | null
        : S extends { readonly map: infer V }
          ? { [name: string]: Of<V> } | null
          : Json

// decode reads parameters. What is not given is '', false, or null.
export function decode<const S extends Struct>(shape: S, params: Json): Of<S> {
  return read(shape, params, zero(shape), []) as Of<S>
}

// uriIn returns the member uri of parameters.
export const uriIn = (params: JsonObject): string => decode({ fields: { uri: 'string' } }, params).uri

// cursorIn returns the cursor of a request for a list, or "".
export const cursorIn = (params: JsonObject): string => decode({ fields: { cursor: 'string' } }, params).cursor

// fits reports whether a value is of a shape.
export function fits(shape: Shape, value: Json): boolean {
  try {
    read(shape, value, zero(shape), [])
    return true
  } catch {
    return false // nothing else is thrown
  }
}

function zero(shape: Shape): Json {
  if (shape === 'string') return ''
  if (shape === 'boolean') return false
  return typeof shape === 'object' && 'fields' in shape && !shape.pointer ? empty(shape) : null
}

const empty = ({ fields }: Struct): JsonObject => Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, zero(of)]))

type Path = readonly (string | number)[]

function wrong(path: Path): never {
  throw invalidParams(`invalid params: ${path.length > 0 ? `${path.join('.')} has` : 'they have'} the wrong type`)
}

function read(shape: Shape, value: Json, before: Json, path: Path): Json {
  if (shape === 'any') return finite(value, path)
  if (shape === 'raw') return value
  if (value === null) return typeof shape === 'string' || ('fields' in shape && !shape.pointer) ? before : null
  if (typeof shape === 'string') return typeof value === shape ? value : wrong(path)
  if ('items' in shape) {
    if (!Array.isArray(value)) wrong(path)
    return value.map((item, i) => read(shape.items, item, zero(shape.items), [...path, i]))
  }
  if (!isObject(value)) wrong(path)
  if ('map' in shape) {
    const out = Object.assign(Object.create(null), before) as JsonObject
    for (const [name, of] of membersOf(value)) out[name] = read(shape.map, of, zero(shape.map), [...path, name])
    return out
  }
  const out = before === null || shape.check ? empty(shape) : (before as JsonObject)
  for (const [name, of] of membersOf(value)) {
    if (Object.hasOwn(shape.fields, name)) out[name] = read(shape.fields[name] as Shape, of, out[name] as Json, [...path, name])
  }
  shape.check?.(out)
  return out
}

// finite refuses a number that Go has no float64 for.
function finite(whole: Json, path: Path): Json {
  const left: [value: Json, path: Path][] = [[whole, path]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [value, at] = next
    if (typeof value === 'number' && !Number.isFinite(value)) wrong(at)
    if (typeof value !== 'object' || value === null) continue
    const members = Array.isArray(value) ? value.map((item, i) => [i, item] as const) : membersOf(value)
    for (const [name, of] of [...members].reverse()) if (typeof of === 'number' || typeof of === 'object') left.push([of, [...at, name]])
  }
  return whole
}

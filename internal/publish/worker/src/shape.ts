import { isObject, type Json, member } from './json.ts'

// A Shape is a type of parameters. null is of every shape, and an object may have other members too.
export type Shape =
  | 'string'
  | 'boolean'
  | 'any'
  | { readonly fields: { readonly [name: string]: Shape } }
  | { readonly items: Shape }
  | { readonly map: Shape }

// fits reports whether a value is of a shape.
export function fits(shape: Shape, value: Json): boolean {
  if (shape === 'any') return isFinite(value)
  if (value === null) return true
  if (typeof shape === 'string') return typeof value === shape
  if ('items' in shape) return Array.isArray(value) && value.every((item) => fits(shape.items, item))
  if (!isObject(value)) return false
  if ('map' in shape) return Object.values(value).every((item) => fits(shape.map, item))
  return Object.entries(shape.fields).every(([name, field]) => fits(field, member(value, name) ?? null))
}

// isFinite reports whether a value has no number that is too large for a float64. It does not call itself: a client can nest deeper than
// calls can be.
function isFinite(value: Json): boolean {
  const left = [value]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'number' && !Number.isFinite(next)) return false
    if (typeof next === 'object' && next !== null) for (const item of Object.values(next)) left.push(item)
  }
  return true
}

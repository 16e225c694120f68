import { isObject, type Json, member } from './json.ts'

// A Shape is a type of parameters. null has every shape, and an object may have additional members.
export type Shape =
  | 'string'
  | 'boolean'
  | 'any'
  | { readonly fields: { readonly [name: string]: Shape } }
  | { readonly items: Shape }
  | { readonly map: Shape }

// fits reports whether a value has a shape.
export function fits(shape: Shape, value: Json): boolean {
  if (shape === 'any') return isFinite(value)
  if (value === null) return true
  if (typeof shape === 'string') return typeof value === shape
  if ('items' in shape) return Array.isArray(value) && value.every((item) => fits(shape.items, item))
  if (!isObject(value)) return false
  if ('map' in shape) return Object.values(value).every((item) => fits(shape.map, item))
  return Object.entries(shape.fields).every(([name, field]) => fits(field, member(value, name) ?? null))
}

// isFinite reports whether all numbers in a value fit into a float64. It is not recursive, because a client can nest values more deeply
// than the stack allows.
function isFinite(value: Json): boolean {
  const left = [value]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'number' && !Number.isFinite(next)) return false
    if (typeof next === 'object' && next !== null) for (const item of Object.values(next)) left.push(item)
  }
  return true
}

import { type Json, type JsonObject, isObject, member } from './json.ts'
import { invalidParams } from './protocol.ts'

// Parameters are read by the type that they must have. null stands for a member that is not there.

const kindOf = (value: Json): string =>
  Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : typeof value === 'boolean' ? `${value}` : `a ${typeof value}`

export function stringOf(params: JsonObject, key: string): string {
  const value = member(params, key)
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value.toWellFormed()
  throw invalidParams(`invalid params: ${key} is ${kindOf(value)}, must be a string`)
}

export function objectOf(params: JsonObject, key: string): JsonObject | undefined {
  const value = member(params, key)
  if (value === undefined || value === null) return undefined
  if (isObject(value)) return value
  throw invalidParams(`invalid params: ${key} is ${kindOf(value)}, must be an object`)
}

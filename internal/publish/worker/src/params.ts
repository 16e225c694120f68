import type { JsonObject } from './json.ts'
import { invalidParams } from './protocol.ts'
import { fits, type Shape } from './shape.ts'

// check refuses parameters that do not have a shape.
export function check(shape: Shape, params: JsonObject): void {
  if (!fits(shape, params)) throw invalidParams('invalid params: a member has the wrong type')
}

// stringIn returns a string member of parameters, or "".
export function stringIn(params: JsonObject, name: string): string {
  const value = params[name] ?? ''
  if (typeof value !== 'string') throw invalidParams(`invalid params: ${name} has the wrong type`)
  return value
}

export const uriIn = (params: JsonObject): string => stringIn(params, 'uri')

export const cursorIn = (params: JsonObject): string => stringIn(params, 'cursor')

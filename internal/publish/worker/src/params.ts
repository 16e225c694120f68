import type { JsonObject } from './json.ts'
import { invalidParams } from './protocol.ts'
import { fits, type Shape } from './shape.ts'

// check refuses parameters that are not of a shape.
export function check(shape: Shape, params: JsonObject): void {
  if (!fits(shape, params)) throw invalidParams('invalid params: a member has the wrong type')
}

// stringIn returns a member of parameters that is a string, or "".
export function stringIn(params: JsonObject, name: string): string {
  const value = params[name] ?? ''
  if (typeof value !== 'string') throw invalidParams(`invalid params: ${name} has the wrong type`)
  return value
}

// uriIn returns the member uri of parameters.
export const uriIn = (params: JsonObject): string => stringIn(params, 'uri')

// cursorIn returns the cursor of a request for a list, or "".
export const cursorIn = (params: JsonObject): string => stringIn(params, 'cursor')

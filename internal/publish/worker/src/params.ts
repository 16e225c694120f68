import { type Json, member } from './json.ts'
import { invalidParams } from './protocol.ts'

// stringIn returns a string member of parameters, or "".
export function stringIn(params: Json | undefined, name: string): string {
  const value = member(params, name) ?? ''
  if (typeof value !== 'string') throw invalidParams(`invalid params: ${name} has the wrong type`)
  return value
}

export const uriIn = (params: Json): string => stringIn(params, 'uri')

export const cursorIn = (params: Json): string => stringIn(params, 'cursor')

import { type Json, type JsonObject, member } from './json.ts'
import { type Era, invalidParams, type Session } from './protocol.ts'
import type { Assets } from './assets.ts'
import type { Manifest } from './manifest.ts'

// A Context holds what is needed to answer one call.
export interface Context {
  assets: Assets
  manifest: Manifest
  era: Era
  session: Session
}

// A Reply is the members of a result as JSON, without the braces around them.
export interface Reply {
  members: string
  ttl?: number // milliseconds that clients may cache the result in the stateless era; undefined: they must not
}

// A Method answers one method of MCP.
export type Method = (context: Context, params: JsonObject) => Reply | Promise<Reply>

// encode returns the members of an object as JSON. The object must not be empty.
export const encode = (value: JsonObject): string => JSON.stringify(value).slice(1, -1)

// listTTL is how many milliseconds clients may cache a list. It changes only with the next deployment.
export const listTTL = 60_000

// stringIn returns a string member of parameters, or "".
export function stringIn(params: Json | undefined, name: string): string {
  const value = member(params, name) ?? ''
  if (typeof value !== 'string') throw invalidParams(`invalid params: ${name} has the wrong type`)
  return value
}

export const uriIn = (params: Json): string => stringIn(params, 'uri')

export const cursorIn = (params: Json): string => stringIn(params, 'cursor')

import type { Assets } from './assets.ts'
import type { JsonObject } from './json.ts'
import type { Manifest } from './manifest.ts'
import type { Era } from './protocol.ts'

// A Context is what the answer to one call is made of.
export interface Context {
  assets: Assets
  manifest: Manifest
  era: Era
  numbers: ReadonlyMap<string, string> // arguments of a tool that are numbers, as the client wrote them, where JSON would be written in another way
}

// A Reply is the members of a result as JSON, without the braces around them.
export interface Reply {
  members: string
  ttl?: number // milliseconds that it may be kept in the stateless era; undefined: it may not
}

// A Method answers one method of MCP.
export type Method = (context: Context, params: JsonObject) => Reply | Promise<Reply>

// encode returns the members of an object that has any.
export const encode = (value: JsonObject): string => JSON.stringify(value).slice(1, -1)

// listTTL is how long a list may be kept. It changes with the next deployment only.
export const listTTL = 60_000

import { type Json, isObject, member } from './json.ts'

// A Message is a JSON-RPC message.
export interface Message {
  kind: 'call' | 'notification' | 'response' | 'fault'
  id: string // as the client wrote it; "null" if there is none
  method: string
  params: Json | undefined
  fault: string
}

// A Body is a parsed message or batch. Numbers lose digits when they are parsed, and an id is sent back as it was written.
export class Body {
  readonly value: Json
  readonly #text: string
  readonly #parsed: Json // with halves of characters, which ids keep

  // parse throws a SyntaxError.
  constructor(text: string) {
    this.#text = text
    const value = JSON.parse(text) as Json
    this.#parsed = value
    this.value = /\\u[dD][89a-fA-F]/.test(text) ? wellFormed(value) : value
  }

  // messages are the messages of a batch, or the only one.
  messages(): Message[] {
    const list = Array.isArray(this.value) ? this.value : [this.value]
    const parsed = Array.isArray(this.#parsed) ? this.#parsed : [this.#parsed]
    const exact = list.every((entry) => typeof member(entry, 'id') !== 'number')
    const ids = exact ? undefined : this.#ids()
    return list.map((entry, i) => read(entry, member(parsed[i], 'id'), ids?.[i]))
  }

  // ids are the sources of the ids that are numbers.
  #ids(): (string | undefined)[] {
    const sources = new Map<unknown, string>() // by the object whose member it is
    const parse = JSON.parse as (text: string, reviver: (this: unknown, key: string, value: Json, context: { source?: string }) => Json) => Json
    const value = parse(this.#text, function (key, of, context) {
      if (key === 'id' && typeof of === 'number' && context?.source) sources.set(this, context.source)
      return of
    })
    return (Array.isArray(value) ? value : [value]).map((entry) => sources.get(entry))
  }
}

// wellFormed replaces halves of characters, which only escapes can name, as Go does.
function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (!isObject(value)) return value
  const copy: { [key: string]: Json } = Object.create(null)
  for (const [key, of] of Object.entries(value)) copy[key.toWellFormed()] = wellFormed(of)
  return copy
}

function read(entry: Json, id: Json | undefined, source: string | undefined): Message {
  const m: Message = { kind: 'fault', id: 'null', method: '', params: member(entry, 'params'), fault: '' }
  if (!isObject(entry)) {
    m.fault = 'invalid request: not an object'
    return m
  }
  const method = member(entry, 'method')
  let known = false
  if (typeof id === 'string') [known, m.id] = [true, JSON.stringify(id)]
  else if (typeof id === 'number') [known, m.id] = [Number.isInteger(id) && Math.abs(id) < 2 ** 63, source ?? String(id)]
  const version = member(entry, 'jsonrpc')
  if (method === undefined && (member(entry, 'result') !== undefined || member(entry, 'error') !== undefined)) {
    m.kind = 'response'
    return m
  }
  if (version !== '2.0') m.fault = 'invalid request: "jsonrpc" is not "2.0"'
  else if (method === undefined) m.fault = 'invalid request: no "method"'
  else if (typeof method !== 'string') m.fault = 'invalid request: "method" is not a string'
  else if (id !== undefined && !known) m.fault = 'invalid request: "id" is neither a string nor an integer'
  else {
    m.method = method.toWellFormed()
    m.kind = known ? 'call' : 'notification'
  }
  return m
}

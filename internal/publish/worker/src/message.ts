import { type Json, isObject, member } from './json.ts'
import { Finder, type Sources } from './sources.ts'
import { needsCare, valueOf } from './twice.ts'

// A Message is a JSON-RPC message.
export interface Message {
  kind: 'call' | 'notification' | 'response' | 'fault'
  id: string // as the client wrote it; "null" if there is none
  method: string
  params: Json | undefined
  numbers: ReadonlyMap<string, readonly string[]> // members of params.arguments, as the client wrote them
  fault: string
}

// A Body is a parsed message or batch. An id is sent back as it was written.
export class Body {
  readonly value: Json
  readonly #sources: readonly Sources[]

  // It throws a SyntaxError.
  constructor(text: string) {
    const value = JSON.parse(text) as Json
    const { found, members } = new Finder(text)
    this.#sources = found
    this.value = needsCare(text, value, members) ? valueOf(text) : value
  }

  // messages are the messages of a batch, or the only one.
  messages(): Message[] {
    return (Array.isArray(this.value) ? this.value : [this.value]).map((entry, i) => read(entry, this.#sources[i]))
  }
}

function read(entry: Json, sources: Sources = { arguments: new Map() }): Message {
  const m: Message = { kind: 'fault', id: 'null', method: '', params: member(entry, 'params'), numbers: sources.arguments, fault: '' }
  if (!isObject(entry)) {
    m.fault = 'invalid request: not an object'
    return m
  }
  const id = member(entry, 'id')
  const method = member(entry, 'method')
  let known = false
  if (typeof id === 'string') [known, m.id] = [true, sources.id ?? JSON.stringify(id)]
  else if (Number.isFinite(id)) [known, m.id] = [Number.isInteger(id) && Math.abs(id as number) < 2 ** 63, sources.id ?? String(id)]
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
    m.method = method
    m.kind = known ? 'call' : 'notification'
  }
  return m
}

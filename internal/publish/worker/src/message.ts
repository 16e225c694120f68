import { isObject, type Json, member } from './json.ts'

// A Message is a JSON-RPC message.
export interface Message {
  kind: 'call' | 'notification' | 'response' | 'fault'
  id: string // as the client wrote it; "null" if the message has none
  method: string
  params: Json | undefined
  numbers: Sources // members of params.arguments
  fault: string
}

// Sources holds ids and numbers of an object as the client wrote them, by name, if JSON.stringify would write them differently: 1.0,
// 1e2, "\u00e9" and integers above 2^53.
type Sources = ReadonlyMap<string, string>

const maxDepth = 10_000 // of nested values, as in encoding/json
const maxSources = 10_000 // in a body: a batch has at most 1,000 messages

// A Body is a parsed message or batch.
export class Body {
  readonly value: Json
  readonly #sources = new Map<unknown, Map<string, string>>() // by object

  // The constructor throws a SyntaxError.
  constructor(text: string) {
    this.value = this.#parse(text)
    if (depthOf(text) > maxDepth) throw new SyntaxError('nested too deep')
  }

  #parse(text: string): Json {
    const sources = this.#sources
    let count = 0
    try {
      return JSON.parse(text, function (this: unknown, name: string, value: Json, context?: { source?: string }): Json {
        if (typeof value === 'string') value = value.toWellFormed()
        const source = context?.source
        if ((name === 'id' || typeof value === 'number') && source && source !== JSON.stringify(value) && count < maxSources) {
          sources.set(this, (sources.get(this) ?? new Map<string, string>()).set(name, source))
          count++
        }
        return value
      }) as Json
    } catch (error) {
      // JSON.parse recurses only if it gets a function.
      if (error instanceof RangeError) return JSON.parse(text) as Json
      throw error
    }
  }

  // messages returns the messages of a batch, or the only message.
  messages(): Message[] {
    return (Array.isArray(this.value) ? this.value : [this.value]).map((entry) => this.#read(entry))
  }

  #read(entry: Json): Message {
    const params = member(entry, 'params')
    const numbers = this.#sources.get(member(params, 'arguments')) ?? new Map<string, string>()
    const m: Message = { kind: 'fault', id: 'null', method: '', params, numbers, fault: '' }
    if (!isObject(entry)) {
      m.fault = 'invalid request: not an object'
      return m
    }
    const id = member(entry, 'id')
    const method = member(entry, 'method')
    const known = typeof id === 'string' || (Number.isInteger(id) && Math.abs(id as number) < 2 ** 63)
    if (typeof id === 'string' || Number.isFinite(id)) m.id = this.#sources.get(entry)?.get('id') ?? JSON.stringify(id)
    if (method === undefined && (member(entry, 'result') !== undefined || member(entry, 'error') !== undefined)) m.kind = 'response'
    else if (member(entry, 'jsonrpc') !== '2.0') m.fault = 'invalid request: "jsonrpc" is not "2.0"'
    else if (method === undefined) m.fault = 'invalid request: no "method"'
    else if (typeof method !== 'string') m.fault = 'invalid request: "method" is not a string'
    else if (id !== undefined && !known) m.fault = 'invalid request: "id" is neither a string nor an integer'
    else {
      m.method = method
      m.kind = known ? 'call' : 'notification'
    }
    return m
  }
}

// depthOf returns how deep the values of a valid JSON text are nested.
function depthOf(text: string): number {
  let [depth, deepest, isString] = [0, 0, false]
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (c === '"') isString = !isString
    else if (isString) i += c === '\\' ? 1 : 0
    else if (c === '[' || c === '{') deepest = Math.max(deepest, ++depth)
    else if (c === ']' || c === '}') depth--
  }
  return deepest
}

import { isObject, type Json, member } from './json.ts'

// A Message is a JSON-RPC message.
export interface Message {
  kind: 'call' | 'notification' | 'response' | 'fault'
  id: string // as JSON; "null" if the message has none
  method: string
  params: Json | undefined
  fault: string
}

const maxIds = 1000 // in a body: a batch has at most 1,000 messages

// A Body is a parsed message or batch.
export class Body {
  readonly value: Json
  readonly #ids = new Map<unknown, string>() // integers above 2^53 as the client wrote them, by message

  // The constructor throws a SyntaxError, or a RangeError for values that are nested too deep.
  constructor(text: string) {
    const long = /"id"\s*:\s*(-?\d{16,})/.exec(text)
    if (!long) {
      this.value = JSON.parse(text) as Json
      return
    }
    const ids = this.#ids
    this.value = JSON.parse(text, function (this: unknown, name: string, value: Json, context?: { source?: string }): Json {
      const source = context?.source ?? (Number(long[1]) === value && long[1]) // Node 18 and 20 have no context
      if (name === 'id' && Number.isInteger(value) && !Number.isSafeInteger(value) && source && ids.size < maxIds) ids.set(this, source)
      return value
    }) as Json
  }

  // messages returns the messages of a batch, or the only message.
  messages(): Message[] {
    return (Array.isArray(this.value) ? this.value : [this.value]).map((entry) => this.#read(entry))
  }

  #read(entry: Json): Message {
    const m: Message = { kind: 'fault', id: 'null', method: '', params: member(entry, 'params'), fault: '' }
    if (!isObject(entry)) {
      m.fault = 'invalid request: not an object'
      return m
    }
    const id = member(entry, 'id')
    const method = member(entry, 'method')
    const known = typeof id === 'string' || Number.isInteger(id)
    if (known) m.id = this.#ids.get(entry) ?? JSON.stringify(id)
    if (method === undefined && (member(entry, 'result') !== undefined || member(entry, 'error') !== undefined)) m.kind = 'response'
    else if (member(entry, 'jsonrpc') !== '2.0') m.fault = 'invalid request: "jsonrpc" is not "2.0"'
    else if (typeof method !== 'string') m.fault = 'invalid request: "method" is missing or not a string'
    else if (id !== undefined && !known) m.fault = 'invalid request: "id" is neither a string nor an integer'
    else {
      m.method = method
      m.kind = known ? 'call' : 'notification'
    }
    return m
  }
}

import { type Json, isObject, member } from './json.ts'
import { type Numbers, numbersIn } from './numbers.ts'

// A Message is a JSON-RPC message.
export interface Message {
  kind: 'call' | 'notification' | 'response' | 'fault'
  id: string // as the client wrote it; "null" if there is none
  method: string
  params: Json | undefined
  numbers: ReadonlyMap<string, string> // members of params.arguments, as the client wrote them
  fault: string
}

// A Body is a parsed message or batch. An id is sent back as it was written.
export class Body {
  readonly value: Json
  readonly #numbers: readonly Numbers[]
  readonly #parsed: Json // with halves of characters, which ids keep

  // parse throws a SyntaxError.
  constructor(text: string) {
    const value = JSON.parse(text) as Json
    this.#numbers = numbersIn(text)
    this.#parsed = value
    this.value = /\\u[dD][89a-fA-F]/.test(text) ? wellFormed(value) : value
  }

  // messages are the messages of a batch, or the only one.
  messages(): Message[] {
    const list = Array.isArray(this.value) ? this.value : [this.value]
    const parsed = Array.isArray(this.#parsed) ? this.#parsed : [this.#parsed]
    return list.map((entry, i) => read(entry, member(parsed[i], 'id'), this.#numbers[i]))
  }
}

// wellFormed replaces halves of characters, which only escapes can name, as Go does.
function wellFormed(whole: Json): Json {
  const root: Json[] = []
  const left: [from: Json, put: (to: Json) => void][] = [[whole, (to) => (root[0] = to)]] // not yet copied: values may be nested deep
  for (let next = left.pop(); next; next = left.pop()) {
    const [from, put] = next
    if (typeof from === 'string') put(from.toWellFormed())
    else if (Array.isArray(from)) {
      const copy: Json[] = from.map(() => null)
      put(copy)
      from.forEach((item, i) => left.push([item, (to) => (copy[i] = to)]))
    } else if (isObject(from)) {
      const copy: { [key: string]: Json } = Object.create(null)
      put(copy)
      for (const key of Object.keys(from)) copy[key.toWellFormed()] = null // their order, and that of the last one of two that become one
      for (const [key, item] of Object.entries(from).reverse()) left.push([item, (to) => (copy[key.toWellFormed()] = to)])
    } else put(from)
  }
  return root[0] as Json
}

function read(entry: Json, id: Json | undefined, numbers: Numbers = { arguments: new Map() }): Message {
  const m: Message = { kind: 'fault', id: 'null', method: '', params: member(entry, 'params'), numbers: numbers.arguments, fault: '' }
  if (!isObject(entry)) {
    m.fault = 'invalid request: not an object'
    return m
  }
  const method = member(entry, 'method')
  let known = false
  if (typeof id === 'string') [known, m.id] = [true, JSON.stringify(id)]
  else if (Number.isFinite(id)) [known, m.id] = [Number.isInteger(id) && Math.abs(id as number) < 2 ** 63, numbers.id ?? String(id)]
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

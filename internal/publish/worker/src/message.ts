import { code, Failure, invalidRequest, noBatches, versionIn } from './protocol.ts'
import { lengthOf } from './text.ts'
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

// bodyOf reads a body, or returns undefined if it is blank. It throws a Failure if it is not JSON.
export function bodyOf(data: Uint8Array): Body | undefined {
  let [text, what] = ['', 'UTF-8']
  try {
    text = decoder.decode(data)
    what = 'JSON'
    return /^[ \t\r\n]*$/.test(text) ? undefined : new Body(text)
  } catch {
    throw new Failure(code.parse, `parse error: not ${what}`)
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const maxBatch = 1000
const fullBatch = 1 << 20 // bytes of answers before the last call of a batch is made

// An Answered is the JSON that a message gets, '' if it gets none, and what is wrong with the message.
type Answered = [answer: string, failure?: Failure]

// answerBatch answers an array of messages, which 2025-06-18 removed, in their order.
export async function answerBatch(messages: Message[], version: string, result: (m: Message) => Promise<string>): Promise<Answered> {
  const removed = `invalid request: JSON-RPC batches were removed in protocol version ${noBatches}`
  if (version >= noBatches) return failed('null', invalidRequest(removed))
  if (messages.length === 0) return failed('null', invalidRequest('invalid request: an empty batch'))
  if (messages.length > maxBatch) return failed('null', invalidRequest(`invalid request: more than ${maxBatch} entries in one batch`))
  const answers: string[] = []
  let size = 0
  for (const m of messages) {
    if (m.kind === 'response' || m.kind === 'notification') continue
    if (m.method === 'initialize') m.fault = 'invalid request: initialize in a batch'
    else if (versionIn(m.params) >= noBatches) m.fault = removed
    const full = m.fault === '' && size > fullBatch
    const [answer] = full ? failed(m.id, new Failure(code.internal, 'the results of this batch are too large together; ask for this one alone')) : await answerTo(m, result)
    answers.push(answer)
    size += lengthOf(answer)
  }
  return [answers.length === 0 ? '' : `[${answers.join(',')}]`]
}

// answerTo answers a call. It logs errors that are not for clients.
export async function answerTo(m: Message, result: (m: Message) => Promise<string>): Promise<Answered> {
  try {
    if (m.fault !== '') throw invalidRequest(m.fault)
    return [`{"jsonrpc":"2.0","id":${m.id},"result":${await result(m)}}`]
  } catch (error) {
    if (error instanceof Failure) return failed(m.id, error)
    console.error(m.method, error)
    return failed(m.id, new Failure(code.internal, 'internal error: see the log of the server'))
  }
}

export const failed = (id: string, failure: Failure): [string, Failure] => [`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(failure.wire())}}`, failure]

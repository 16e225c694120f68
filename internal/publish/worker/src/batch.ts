import type { Message } from './message.ts'
import { code, Failure, invalidRequest, noBatches, versionIn } from './protocol.ts'
import { lengthOf } from './text.ts'

const maxBatch = 1000
const fullBatch = 1 << 20 // bytes of answers before the last call of a batch is made

// answerBatch answers an array of messages, which 2025-06-18 removed, in their order. It returns '' if no message gets an answer, and throws a
// Failure if the array is not a batch.
export async function answerBatch(messages: Message[], version: string, result: (m: Message) => Promise<string>): Promise<string> {
  if (version >= noBatches) throw invalidRequest(`invalid request: JSON-RPC batches were removed in protocol version ${noBatches}`)
  if (messages.length === 0) throw invalidRequest('invalid request: an empty batch')
  if (messages.length > maxBatch) throw invalidRequest(`invalid request: more than ${maxBatch} entries in one batch`)
  const answers: string[] = []
  let size = 0
  for (const m of messages) {
    if (m.kind === 'response' || m.kind === 'notification') continue
    let fault = m.fault
    if (m.method === 'initialize') fault = 'invalid request: initialize in a batch'
    else if (versionIn(m.params) >= noBatches) fault = `invalid request: JSON-RPC batches were removed in protocol version ${noBatches}`
    try {
      if (fault !== '') throw invalidRequest(fault)
      if (size > fullBatch) throw new Failure(code.internal, 'the results of this batch are too large together; ask for this one alone')
      answers.push(`{"jsonrpc":"2.0","id":${m.id},"result":${await result(m)}}`)
    } catch (error) {
      answers.push(frame(m.id, failureOf(m.method, error)))
    }
    size += lengthOf(answers.at(-1) as string)
  }
  return answers.length === 0 ? '' : `[${answers.join(',')}]`
}

// failureOf returns the error that the client gets. It logs errors that are not for clients.
export function failureOf(method: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  console.error(method, error)
  return new Failure(code.internal, 'internal error: see the log of the server')
}

export const frame = (id: string, failure: Failure): string => `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(failure.wire())}}`

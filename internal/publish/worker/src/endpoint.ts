import { answer } from './answer.ts'
import type { Assets } from './assets.ts'
import { answerBatch, answerTo, type Body, bodyOf, failed, type Message } from './message.ts'
import { manifestOf } from './manifest.ts'
import { code, Failure, firstStateless, oldest, versionIn, versionsFrom } from './protocol.ts'
import { shown } from './text.ts'
import { accepts, mismatch, sendsJSON } from './headers.ts'

// The streamable HTTP transport, without sessions: each POST is independent.

const maxBody = 16 << 20

export async function endpoint(assets: Assets, manifestPath: string, request: Request): Promise<Response> {
  if (request.method !== 'POST') {
    return refuse(405, 'method not allowed: use POST for messages; there are no sessions and no streams here', { Allow: 'POST' })
  }
  if (!sendsJSON(request.headers.get('Content-Type') ?? '')) return refuse(415, 'Content-Type must be application/json')
  const coding = request.headers.get('Content-Encoding')
  if (coding && coding.toLowerCase() !== 'identity') return refuse(415, 'the message must not be compressed')
  if (!accepts(request.headers.get('Accept'))) return refuse(406, 'Accept must have application/json')
  if (Number(request.headers.get('Content-Length') ?? 0) > maxBody) return refuse(413, tooLong)
  const data = await read(request)
  if (!data) return refuse(413, tooLong)
  let body: Body | undefined
  try {
    body = bodyOf(data)
    if (!body) throw new Failure(code.parse, 'parse error: there is no message')
  } catch (error) {
    if (error instanceof Failure) return json(400, failed('null', error)[0])
    throw error
  }
  const version = request.headers.get('Mcp-Protocol-Version') ?? ''
  if (version !== '' && version < firstStateless && !versionsFrom(oldest).includes(version)) {
    return refuse(400, `unsupported MCP-Protocol-Version ${shown(version)}; supported are ${versionsFrom(oldest).join(', ')}`)
  }
  const named = request.headers.get('Mcp-Session-Id') ?? ''
  const result = async (m: Message, inSession: boolean): Promise<string> => answer(assets, await manifestOf(assets, manifestPath), { begun: inSession, oldest }, m)
  const messages = body.messages()
  if (Array.isArray(body.value)) {
    if (named !== '') return noSession()
    const [answers, failure] = await answerBatch(messages, version, (m) => result(m, true))
    return answers === '' ? new Response(null, { status: 202 }) : json(failure ? 400 : 200, answers)
  }
  const m = messages[0] as Message
  if (m.kind === 'response') return new Response(null, { status: 202 })
  const stateless = m.kind !== 'fault' && (version >= firstStateless || (m.kind === 'call' && versionIn(m.params) >= firstStateless))
  if (m.kind !== 'fault' && !stateless && named !== '') return noSession()
  if (m.kind === 'notification') return new Response(null, { status: 202 })
  const wrong = stateless && mismatch(request.headers, version, m)
  if (wrong) return json(400, failed(m.id, wrong)[0])
  const [answered, failure] = await answerTo(m, (m) => result(m, !stateless))
  return json(failure && (stateless || m.kind === 'fault') ? (statuses[failure.code] ?? 200) : 200, answered)
}

// noSession refuses a session that another server has begun, so that the client begins a new one.
const noSession = (): Response => refuse(404, 'there is no such session; begin one with initialize')

const tooLong = 'the message has more than 16 MiB'

const statuses: { [code: number]: number } = { [code.methodNotFound]: 404, [code.invalidParams]: 400, [code.invalidRequest]: 400, [code.unsupportedVersion]: 400, [code.missingCapabilities]: 400 }

const json = (status: number, body: string): Response => new Response(body, { status, headers: { 'Content-Type': 'application/json' } })

// refuse answers a request with a status and an error of the transport.
export function refuse(status: number, message: string, headers: { [name: string]: string } = {}): Response {
  const response = json(status, failed('null', new Failure(code.server, message))[0])
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

async function read(request: Request): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (request.body) {
    for await (const chunk of request.body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > maxBody) return undefined
      chunks.push(chunk)
    }
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer())
}

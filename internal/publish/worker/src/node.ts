import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { answer } from './answer.ts'
import type { Assets } from './assets.ts'
import { answerBatch, answerTo, bodyOf, failed, type Message } from './message.ts'
import { type Manifest, manifestOf } from './manifest.ts'
import { Failure, invalidRequest, type Session } from './protocol.ts'

// The server of a package: it answers over standard input and output, as internal/mcp/stdio does, one message after the other. A client that
// stops reading stops the server, which then reads no more messages.

const maxLine = 16 << 20
const drainTime = 5000 // milliseconds that the end of the input waits until the client has read the answers

// Files reads assets from the folder of a package: bin/answers has those that are not equal to a file of the project.
class Files implements Assets {
  readonly most = Number.POSITIVE_INFINITY
  readonly #packed: Map<string, string> // assets and the files that they are equal to

  constructor(private readonly folder: string) {
    this.#packed = new Map(Object.entries(JSON.parse(readFileSync(join(folder, 'bin/answers/files.json'), 'utf8'))))
  }

  async get(path: string): Promise<Uint8Array | null> {
    try {
      return readFileSync(join(this.folder, this.#packed.get(path) ?? `bin/answers/${path}`))
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return null
      throw error
    }
  }
}

// lines yields the lines of a stream, and undefined for a line that is too long, which is not kept.
async function* lines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(10); ; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end < 0 ? chunk.length : end)
      size += part.length
      if (size > maxLine + 1) parts = [] // the end of the line may have two bytes
      else parts.push(part)
      if (end < 0) break
      yield joined(parts, size)
      parts = []
      size = 0
      start = end + 1
    }
  }
  if (size > 0) yield joined(parts, size)
}

function joined(parts: Uint8Array[], size: number): Uint8Array | undefined {
  if (size > maxLine + 1) return undefined
  const line = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)
  const ended = line.at(-1) === 13 ? line.subarray(0, -1) : line
  return ended.length > maxLine ? undefined : ended
}

// A Server answers the lines of one client.
class Server {
  readonly #session: Session = { begun: false, oldest: '' }
  #version = '' // that initialize has agreed on

  constructor(private readonly assets: Assets, private readonly manifest: Manifest) {}

  // line returns the answer to a line, or '' if it gets none.
  async line(data: Uint8Array | undefined): Promise<string> {
    try {
      if (!data) throw invalidRequest(`invalid request: more than ${maxLine} bytes in one line`)
      const body = bodyOf(data)
      const messages = body?.messages() ?? []
      const [m] = messages
      if (Array.isArray(body?.value)) return (await answerBatch(messages, this.#version, (m) => this.#result(m)))[0]
      if (!m || m.kind === 'response' || m.kind === 'notification') return ''
      return (await answerTo(m, (m) => this.#result(m)))[0]
    } catch (error) {
      if (error instanceof Failure) return failed('null', error)[0]
      throw error
    }
  }

  async #result(m: Message): Promise<string> {
    if (m.method === 'initialize' && this.#session.begun) throw invalidRequest('initialize: the session has begun already')
    const result = await answer(this.assets, this.manifest, this.#session, m)
    if (m.method === 'initialize') {
      this.#version = (JSON.parse(result) as { protocolVersion: string }).protocolVersion
      this.#session.begun = true
    }
    return result
  }
}

// serve serves the folder of a package until the input ends.
export async function serve(folder: string): Promise<void> {
  const { stdin, stdout } = process
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
  stdout.on('error', () => process.exit(0)) // the client has gone
  if (stdin.isTTY) console.error('This is an MCP server: a client starts it, and writes messages to its standard input.')
  try {
    const files = new Files(folder)
    const server = new Server(files, await manifestOf(files, 'manifest.json'))
    for await (const line of lines(stdin)) {
      const answered = await server.line(line)
      if (answered !== '' && !stdout.write(`${answered}\n`)) await new Promise((resolve) => stdout.once('drain', resolve))
    }
  } catch (error) {
    console.error(`The files of the server cannot be read; install its package again: ${(error as Error).message}`)
    process.exitCode = 1
  }
  setTimeout(() => process.exit(), drainTime).unref()
}

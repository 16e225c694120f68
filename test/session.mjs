// A session that writes raw messages, to check what no client shows: each line, each code, and how the process ends.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { binary } from './binary.mjs'
import { hello, metaOf } from './http.mjs'

export class Session {
  #waiting = new Map() // id, or 'batch' → the functions for the answer
  #version
  lines = [] // everything on standard output
  log = [] // the lines on standard error
  notifications = [] // received notifications, each with its time
  onMessage = () => {} // called with each answer and notification, in order
  ended // resolves to { code, signal } when the process has ended and all its output has been read

  // The process, by default the server of the project in dir, ends with the test t.
  constructor(t, dir, { version, reading = true, args = [], command = [binary(), 'serve', ...args, dir] } = {}) {
    this.#version = version
    this.process = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'pipe'] })
    t.after(() => this.process.kill('SIGKILL'))
    this.process.stdin.on('error', () => {}) // the process may end first
    this.loaded = new Promise((resolve) => {
      createInterface({ input: this.process.stderr }).on('line', (line) => {
        this.log.push(line)
        if (line.includes(': serving ')) resolve()
      })
    })
    if (reading) createInterface({ input: this.process.stdout }).on('line', (line) => this.#take(line))
    this.ended = new Promise((resolve) => {
      this.process.on(reading ? 'close' : 'exit', (code, signal) => {
        for (const { reject } of this.#waiting.values()) reject(new Error('the server ended without an answer'))
        resolve({ code, signal })
      })
    })
  }

  #take(line) {
    this.lines.push(line)
    let message
    try {
      message = JSON.parse(line)
    } catch {
      return // assertOnlyMessages finds it
    }
    if (message.method) this.notifications.push({ ...message, at: performance.now() })
    this.onMessage(message)
    const id = Array.isArray(message) ? 'batch' : message.id
    this.#waiting.get(id)?.resolve(message)
    this.#waiting.delete(id)
  }

  write(line) {
    this.process.stdin.write(line + '\n')
  }

  // send writes a request, or a notification if id is undefined, in the form of the session's version.
  send(id, method, params = {}) {
    this.write(JSON.stringify({ jsonrpc: '2.0', id, method, params: this.#version ? { ...params, _meta: metaOf(this.#version) } : params }))
  }

  // raw writes a line and returns the answer with an id.
  raw(line, id) {
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.write(line)
    return answer
  }

  // request sends a request and returns the whole answer.
  request(method, params) {
    const id = `${method} ${this.#next++}`
    this.send(id, method, params)
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }
  #next = 1

  async initialize(protocolVersion = '2025-11-25') {
    const answer = await this.request('initialize', hello(protocolVersion).params)
    this.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    return answer.result
  }

  // end closes standard input and checks how the process ends.
  async end() {
    this.process.stdin.end()
    assert.deepEqual(await this.ended, { code: 0, signal: null })
    this.assertOnlyMessages()
  }

  // kill sends a signal and returns how many milliseconds the process took to end with code 0.
  async kill(signal) {
    const start = performance.now()
    this.process.kill(signal)
    assert.deepEqual(await this.ended, { code: 0, signal: null })
    return performance.now() - start
  }

  // assertOnlyMessages checks that each line of standard output is one JSON-RPC message.
  assertOnlyMessages() {
    for (const line of this.lines) {
      const message = JSON.parse(line)
      assert.equal(message.jsonrpc, '2.0', line)
      const kinds = ['method', 'result', 'error'].filter((key) => key in message)
      assert.equal(kinds.length, 1, line)
      assert.ok('id' in message || 'method' in message, line)
    }
  }
}

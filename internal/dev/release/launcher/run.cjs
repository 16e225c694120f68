#!/usr/bin/env node
// Starts the program of @mcp-docs-server/cli for this computer. It writes nothing to standard output, which carries the protocol.
'use strict'

const { spawn } = require('node:child_process')
const { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } = require('node:fs')
const { constants: { signals: numbers } } = require('node:os')
const { join } = require('node:path')

const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64']
const platform = `${process.platform}-${process.arch}`
const extension = process.platform === 'win32' ? '.exe' : ''

// find returns the path of the program, or undefined. It looks in this order: MCP_DOCS_SERVER_BINARY, the folder of this file, the
// package for this computer.
function find() {
  if (process.env.MCP_DOCS_SERVER_BINARY) return process.env.MCP_DOCS_SERVER_BINARY
  const bundled = join(__dirname, `mcp-docs-server-${platform}${extension}`)
  if (existsSync(bundled)) return bundled
  try {
    return require.resolve(`@mcp-docs-server/cli-${platform}/bin/mcp-docs-server${extension}`)
  } catch {
    return undefined
  }
}

function fail(message) {
  process.stderr.write(`mcp-docs-server: ${message}\n`)
  process.exitCode = 1
}

function missing() {
  const build = 'Or set MCP_DOCS_SERVER_BINARY to the path of the program.'
  if (!platforms.includes(platform)) return `there is no program for ${platform}, only for ${platforms.join(', ')}. ${build}`
  return `the program for ${platform} is not installed. It comes with the optional package @mcp-docs-server/cli-${platform}: ` +
    `install again on this computer, and without --omit=optional or --no-optional. ${build}`
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

// kind returns what a file is to this computer, by its first bytes: 'program'; 'script', also for other files that the system may
// be able to start; 'other' for files that the system would refuse or, worse, run as a shell script; undefined if it cannot be read.
function kind(file) {
  const head = Buffer.alloc(20)
  try {
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)) // opening a pipe must not block
    readSync(descriptor, head, 0, head.length, 0)
    closeSync(descriptor)
  } catch {
    return undefined
  }
  if (head.toString('latin1', 0, 2) === '#!') return 'script'
  if (process.platform === 'linux') {
    const machine = { x64: 62, arm64: 183 }[process.arch] // e_machine of ELF
    if (head.toString('latin1', 0, 4) !== '\x7fELF') return 'other'
    return machine === undefined || head.readUInt16LE(18) === machine ? 'program' : 'other'
  }
  if (process.platform === 'darwin') {
    const processor = { x64: 0x01000007, arm64: 0x0100000c }[process.arch] // cputype of Mach-O
    if (head.readUInt32BE(0) === 0xcafebabe) return 'program' // for several processors
    if (head.readUInt32LE(0) !== 0xfeedfacf) return 'other'
    return head.readUInt32LE(4) === processor ? 'program' : 'script'
  }
  return 'script'
}

// run replaces this process by the program with these arguments. Where the system or Node cannot, it starts a child process.
function run(args) {
  const program = find()
  if (program === undefined) return fail(missing())
  if (!existsSync(program)) return fail(`MCP_DOCS_SERVER_BINARY is ${JSON.stringify(program)}, which does not exist`)
  const what = kind(program)
  if (what === 'other') return fail(`${program} does not start: it is not a program for ${platform}`)
  // Node 22.15 and later can replace the process, which saves its memory and the forwarding of signals. If the program does not
  // start, execve ends Node with a stack trace; so files that may not start become a child process, and the user gets a message.
  if (process.execve && what === 'program' && isExecutable(program)) return process.execve(program, [program, ...args], process.env)
  const broken = (error) => fail(`${program} does not start: ${error.message}`)
  let child
  try {
    child = spawn(program, args, { stdio: 'inherit', windowsHide: true })
  } catch (error) { // Node throws some errors and emits others
    return broken(error)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const forward = (signal) => child.kill(signal)
  for (const signal of signals) process.on(signal, forward)
  child.on('error', broken)
  child.on('exit', (code, signal) => {
    for (const signal of signals) process.off(signal, forward)
    // Some signals do not end Node, so the exit code says how the program ended.
    process.exitCode = signal ? 128 + numbers[signal] : code
    if (signal && signal !== 'SIGUSR1') process.kill(process.pid, signal)
  })
}

module.exports = { run }
if (require.main === module) run(process.argv.slice(2))

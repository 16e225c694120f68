// PostgreSQL and PgBouncer in temporary folders, and a connection to them that can be cut.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './http.mjs'
import { until } from './live.mjs'

// Debian keeps the programs of each version in a folder of its own, outside PATH.
const debian = '/usr/lib/postgresql'
const programs = existsSync(debian) && readdirSync(debian).sort((a, b) => b - a).map((version) => join(debian, version, 'bin')).find((dir) => existsSync(join(dir, 'initdb')))
const program = (name) => (programs ? join(programs, name) : name)

export const missing = spawnSync(program('initdb'), ['--version']).status !== 0 && 'postgresql is not installed'
export const missingBouncer = missing || (spawnSync('pgbouncer', ['--version']).status !== 0 && 'pgbouncer is not installed')

// Neither program runs as root. The package of PostgreSQL adds a user for it.
const user = !missing && process.getuid() === 0
  ? { uid: Number(execFileSync('id', ['-u', 'postgres'])), gid: Number(execFileSync('id', ['-g', 'postgres'])) }
  : {}

// folder makes a temporary folder of the user that runs the programs.
function folder(name) {
  const dir = mkdtempSync(join(tmpdir(), name))
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid)
  return dir
}

// ask runs SQL and returns its rows, which are arrays of texts. NULL is ''.
export function ask(port, sql, { host = '127.0.0.1', timeout = 30_000, database = 'postgres', as = 'postgres' } = {}) {
  const args = ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-F', '\x1f', '-R', '\x1e', '-h', host, '-p', port, '-U', as, '-d', database, '-c', sql]
  return new Promise((resolve, reject) => {
    execFile(program('psql'), args, { timeout, maxBuffer: 1 << 28 }, (error, output) => {
      if (error) reject(error)
      else resolve(output === '' ? [] : output.replace(/\n$/, '').split('\x1e').map((row) => row.split('\x1f')))
    })
  })
}

// hasMemory reports whether a process has not ended.
function hasMemory(pid) {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'latin1') !== ''
  } catch {
    return false
  }
}

const urlOf = ({ port }) => `postgres://postgres@127.0.0.1:${port}/postgres`

// A Postgres is a cluster that listens at a port of 127.0.0.1 and at a socket in its folder. Every local user may be any role.
export class Postgres {
  dir = folder('mds-postgres-')
  #process
  #settings

  // settings are parameters of the server: name → value. It leaves it to the system when data reaches the disk, which other tests
  // may keep busy for seconds: a process that is killed loses nothing by that.
  static async start(after, settings = {}) {
    const postgres = new Postgres()
    after(() => postgres.#stop())
    postgres.port = await freePort()
    postgres.#settings = Object.entries({ listen_addresses: '127.0.0.1', port: postgres.port, unix_socket_directories: postgres.dir, fsync: 'off', ...settings })
    execFileSync(program('initdb'), ['-D', postgres.#data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], { ...user, cwd: postgres.dir, stdio: ['ignore', 'ignore', 'inherit'] })
    await postgres.restart()
    postgres.url = urlOf(postgres)
    return postgres
  }

  get #data() {
    return join(this.dir, 'data')
  }

  // restart starts the cluster after kill or stop, and waits until it answers.
  async restart() {
    const args = ['-D', this.#data, ...this.#settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
    let log = ''
    this.#process = spawn(program('postgres'), args, { ...user, cwd: this.dir, stdio: ['ignore', 'ignore', 'pipe'] })
    this.#process.stderr.on('data', (chunk) => { log = (log + chunk).slice(-10_000) })
    this.ended = new Promise((resolve) => this.#process.on('exit', resolve))
    await until(() => this.#process.exitCode !== null || this.query('SELECT 1').then(() => true, () => false), () => log)
    if (this.#process.exitCode !== null) throw new Error(`PostgreSQL ended: ${log}`)
    this.log = () => log
  }

  query(sql, options) {
    return ask(this.port, sql, options)
  }

  // run runs a program as the user of the cluster, with the variables by which PostgreSQL's programs find it.
  run(program, ...args) {
    const env = { ...process.env, PATH: `${programs}:${process.env.PATH}`, PGHOST: '127.0.0.1', PGPORT: this.port, PGUSER: 'postgres', PGDATA: this.#data }
    return execFileSync(program, args, { ...user, cwd: this.dir, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  }

  // shut ends the cluster as an operator does. restart starts it again.
  async shut() {
    this.#process.kill('SIGINT')
    await this.ended
  }

  // kill ends all processes of the cluster at once, as when its machine or container fails.
  async kill() {
    const { pid } = this.#process
    process.kill(pid, 'SIGSTOP') // it would start no more processes, and report the end of others to their clients
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean)
    for (const child of children) {
      try {
        process.kill(Number(child), 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    process.kill(pid, 'SIGKILL')
    await this.ended
    // While one of them has the shared memory, the cluster cannot start again.
    await until(() => !children.some(hasMemory))
  }

  async #stop() {
    this.#process?.kill('SIGQUIT')
    await this.ended
    rmSync(this.dir, { recursive: true, force: true })
  }
}

// A Bouncer is PgBouncer in front of the server at a port of 127.0.0.1. A connection to the server serves one transaction after the other,
// of any client.
export class Bouncer {
  #dir = folder('mds-pgbouncer-')
  #process
  crashes = 0 // how often it ended by itself: older versions do so when a request is cancelled at the wrong moment ("server in bad state")

  static async start(after, postgres, pool) {
    const bouncer = new Bouncer()
    after(() => bouncer.#stop())
    bouncer.port = await freePort()
    bouncer.url = urlOf(bouncer)
    const config = join(bouncer.#dir, 'pgbouncer.ini')
    writeFileSync(config, `[databases]
* = host=127.0.0.1 port=${postgres} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${bouncer.port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${pool}
max_client_conn = 1000
`)
    bouncer.ended = new Promise((resolve) => {
      const begin = () => {
        bouncer.#process = spawn('pgbouncer', [config], { ...user, cwd: bouncer.#dir, stdio: 'ignore' })
        bouncer.#process.on('exit', (code) => {
          if (bouncer.#stopped || code !== 1) return resolve()
          bouncer.crashes++
          begin() // as systemd does
        })
      }
      begin()
    })
    await until(() => ask(bouncer.port, 'SELECT 1').then(() => true, () => false))
    return bouncer
  }

  #stopped = false

  async #stop() {
    this.#stopped = true
    this.#process?.kill('SIGQUIT')
    await this.ended
    rmSync(this.#dir, { recursive: true, force: true })
  }
}

// A Link passes TCP connections to a port of 127.0.0.1. While it is cut, it passes nothing in either direction, and no end of a connection, as
// a network that loses all packets. Afterwards it passes what was sent meanwhile.
export class Link {
  #server
  #pairs = new Set() // [from the client, to the server]
  #waiting = new Set() // connections that began while the link was cut
  #cut = false
  delay = 0 // of each chunk, in milliseconds

  static async start(after, to) {
    const link = new Link()
    after(() => link.#stop())
    link.#server = createServer({ pauseOnConnect: true }, (socket) => {
      socket.on('error', () => {})
      if (link.#cut) link.#waiting.add(socket)
      else link.#pass(socket)
    })
    await new Promise((resolve) => link.#server.listen(0, '127.0.0.1', resolve))
    link.port = link.#server.address().port
    link.url = urlOf(link)
    link.to = to
    return link
  }

  #pass(client) {
    const pair = [client, connect(this.to, '127.0.0.1')]
    this.#pairs.add(pair)
    pair.forEach((socket, i) => {
      const other = pair[1 - i]
      const later = (act) => (this.delay > 0 ? setTimeout(act, this.delay) : act())
      socket.setNoDelay(true)
      socket.on('data', (chunk) => later(() => other.write(chunk)))
      socket.on('end', () => later(() => other.end()))
      socket.on('error', () => {})
      socket.on('close', () => {
        if (!this.#cut) later(() => other.destroy())
        if (other.destroyed) this.#pairs.delete(pair)
      })
      socket.resume()
    })
  }

  cut() {
    this.#cut = true
    for (const socket of [...this.#pairs].flat()) socket.pause()
  }

  restore() {
    this.#cut = false
    for (const pair of this.#pairs) {
      if (pair.some((socket) => socket.destroyed)) for (const socket of pair) socket.destroy()
      else for (const socket of pair) socket.resume()
    }
    for (const socket of this.#waiting) this.#pass(socket)
    this.#waiting.clear()
  }

  #stop() {
    for (const socket of [...[...this.#pairs].flat(), ...this.#waiting]) socket.destroy()
    this.#server.close()
  }
}

// An npm registry for package managers, on the loopback interface and in memory. Published packages can be installed from it.
import { createHash } from 'node:crypto'
import { listening } from './http.mjs'

export class Registry {
  packages = new Map() // name → packument
  tarballs = new Map() // file name → bytes
  requests = [] // "METHOD /path", in order
  down = false // true: connections end without an answer
  refusal // the answer to every publication, as [status, body]; undefined: packages are accepted

  async start(after) {
    this.url = `${await listening(after, (request, response) => this.#answer(request, response).catch((error) => response.writeHead(500).end(String(error))))}/`
    return this
  }

  async #answer(request, response) {
    const path = decodeURIComponent(new URL(request.url, this.url).pathname).slice(1)
    this.requests.push(`${request.method} /${path}`)
    if (this.down) return request.socket.destroy()
    const json = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.method === 'PUT') {
      const chunks = []
      for await (const chunk of request) chunks.push(chunk)
      if (!request.headers.authorization) return json(401, { error: 'need auth' })
      return json(...this.refusal ?? this.#publish(path, JSON.parse(Buffer.concat(chunks).toString())))
    }
    if (path.startsWith('-/tarballs/')) {
      const bytes = this.tarballs.get(path.slice('-/tarballs/'.length))
      return bytes ? response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes) : json(404, {})
    }
    const known = this.packages.get(path)
    return known ? json(200, known) : json(404, { error: 'Not found' })
  }

  // publish accepts the body that `npm publish` sends: the package with its tarball.
  #publish(name, sent) {
    const [version] = Object.keys(sent.versions)
    const known = this.packages.get(name) ?? { _id: name, name, 'dist-tags': {}, versions: {}, time: { created: new Date(0).toISOString() } }
    if (known.versions[version]) return [403, { error: `You cannot publish over the previously published versions: ${version}.` }]
    const bytes = Buffer.from(Object.values(sent._attachments)[0].data, 'base64')
    const file = `${name.replace('/', '-')}-${version}.tgz`
    const integrity = 'sha512-' + createHash('sha512').update(bytes).digest('base64')
    if (sent.versions[version].dist.integrity !== integrity) return [400, { error: 'the tarball is not what was announced' }]
    this.tarballs.set(file, bytes)
    known.versions[version] = { ...sent.versions[version], dist: { ...sent.versions[version].dist, tarball: `${this.url}-/tarballs/${encodeURIComponent(file)}` } }
    known.time[version] = new Date(0).toISOString()
    Object.assign(known['dist-tags'], sent['dist-tags'])
    this.packages.set(name, known)
    return [201, { ok: true }]
  }
}

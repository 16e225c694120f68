// The server behind nginx, which buffers answers unless the server asks it not to.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import { clients, list } from './clients.mjs'
import { ending, freePort, Web } from './http.mjs'
import { Follower, listChanged, Live, until, updated } from './live.mjs'
import { missing, Proxy } from './nginx.mjs'

const large = 'line of text\n'.repeat(300_000)

describe('behind nginx with buffering', { timeout: 100_000, skip: missing }, () => {
  const a = 'notes://h/a.md'
  let project, web, nginx, url
  const later = ending()
  before(async () => {
    project = new Live({ 'notes/h/a.md': 'a', 'notes/h/large.txt': large })
    later(() => project.remove())
    for (let i = 0; i < 500; i++) project.put(`pages/h/${i % 10}/${i}.md`, `page ${i}`)
    const [port, behind] = [await freePort(), await freePort()]
    url = new URL(`http://127.0.0.1:${port}/mcp`)
    web = await Web.start(later, ['--public-url', url.origin, '--trusted-proxy', '127.0.0.1', project.dir], { http: `127.0.0.1:${behind}` })
    nginx = await Proxy.start(later, port, [behind])
  })

  for (const kind of clients) {
    test(kind.name, async (t) => {
      const open = async () => {
        const client = kind.create()
        await client.connect(new kind.HTTP(url))
        return client
      }
      const f = new Follower(kind, project, [a], open)
      t.after(() => f.client?.close())
      await f.start()
      assert.equal((await list(f.client, 'listResources', 'resources')).length, project.now().size)
      assert.equal((await f.client.readResource({ uri: 'notes://h/large.txt' })).contents[0].text, large)
      for (const text of [`one, ${kind.name}`, `two, ${kind.name}`]) {
        assert.deepEqual(await f.heard(async () => {
          project.replace('notes/h/a.md', text)
          project.put(`notes/h/${text}.md`, text)
          await f.mirror.holds(a, text)
          await f.mirror.lists(project)
        }), [listChanged, `${updated} ${a}`])
      }
    })
  }

  // nginx and the server may disagree about where these requests end. A part of a request must not become a separate request.
  test('smuggled requests', async () => {
    const smuggled = `GET /smuggled HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`
    const post = (headers, body, version = '1.1') => `POST /mcp HTTP/${version}\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`
    const length = `Content-Length: ${smuggled.length + 5}`
    const last = `0\r\n\r\n${smuggled}`
    const attacks = [
      `${length}\r\nTransfer-Encoding: chunked`, `${length}\r\nTransfer-Encoding : chunked`, `${length}\r\nTransfer-Encoding:\tchunked`, `${length}\r\nTransfer-Encoding: \vchunked`,
      `${length}\r\nTransfer-Encoding:\r\n chunked`, `${length}\r\nTransfer-Encoding: xchunked`, `${length}\r\nTransfer-Encoding: chunked, identity`,
      `${length}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x`, `${length}\r\nTransfer_Encoding: chunked`, `${length}\r\nX: y\rTransfer-Encoding: chunked`,
      `Content-Length: 0\r\nContent-Length: ${last.length}`, `Content-Length: 0, ${last.length}`, `Content-Length : ${last.length}`, 'Content-Length: -1', length,
    ].map((headers) => post(headers, last)).concat([
      post(`Connection: keep-alive\r\n${length}\r\nTransfer-Encoding: chunked`, last, '1.0'),
      post('Transfer-Encoding: chunked\r\nContent-Length: 4', `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`),
      post('Transfer-Encoding: chunked', `2;a="\r\n{}\r\n${last}`), post('Transfer-Encoding: chunked', `2\n{}\n${last}`), post('Transfer-Encoding: chunked', `10000000000000002\r\n{}\r\n${last}`),
      `GET /docs/ HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    ])
    for (const attack of attacks) {
      const socket = connect(url.port, '127.0.0.1')
      socket.setTimeout(500, () => socket.destroy())
      socket.on('error', () => {}).resume().end(attack)
      await once(socket, 'close')
    }
    await until(async () => !(await fetch(new URL('/end', url))).ok && web.log.some((line) => line.includes('path=/end')))
    const passed = nginx.passed().filter(({ path }) => path === '/smuggled').length
    const seen = web.log.filter((line) => line.includes('path=/smuggled')).length
    assert.ok(seen <= passed, `${seen} requests reached the server, nginx passed ${passed} on`)
    assert.equal((await fetch(new URL('/health', url))).status, 200)
  })
})

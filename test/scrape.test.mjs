// The official clients scrape pages of the web: over standard input and output, and over HTTP with two callers.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { clients, connect } from './clients.mjs'
import { folder } from './files.mjs'
import { ending, listening, Web } from './http.mjs'

const parts = Array.from({ length: 300 }, (_, i) => `<p>Bell ${i} rings 🔔 at noon, à Paris.</p>`).join('')
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

// site is a web site on the loopback interface that records its requests.
const site = {
  requests: [],
  held: undefined, // resolves when the page named held may be sent
  async start(after) {
    this.url = await listening(after, (request, response) => {
      this.requests.push(request)
      const send = (type, body, headers = {}) => response.writeHead(200, { 'Content-Type': type, ...headers }).end(body)
      switch (request.url) {
        case '/bells': return send('text/html; charset=utf-8', `<title>Bells</title><nav><a href="/menu">Menu</a></nav><main><h1>Bells</h1>${parts}</main>`)
        case '/held': return this.held.then(() => send('text/plain', 'held'))
        case '/secret': return send('text/plain', request.headers.authorization ? 'for you alone' : 'nothing')
        case '/bell.png': return send('image/png', png)
        case '/list.json': return send('application/json', '{"bells": 300}')
      }
      response.writeHead(404).end()
    })
  },
  asked(path) {
    return this.requests.filter((request) => request.url === path).length
  },
}

const options = ['--capture', '--allow=127.0.0.1:*', '--no-watch']
const names = ['url', 'timeout', 'maxChars', 'startIndex', 'resultHandling', 'forceRescrape', 'cleanScrape', 'maxAge', 'proxy', 'blockAds', 'headers',
  'waitFor', 'includeTags', 'excludeTags', 'formats', 'onlyMainContent', 'actions']

describe('scrape', () => {
  const later = ending()
  const dir = folder(later, { tokens: 'alice 0123456789abcdef\nbob fedcba9876543210\n' }, { mode: 0o600 })
  before(() => site.start(later))

  for (const kind of clients) {
    test(`over standard input and output, ${kind.name}`, async () => {
      const client = await connect(kind, dir, undefined, options)
      try {
        await scrapes(client)
      } finally {
        await client.close()
      }
    })
  }

  test('over HTTP, with separate callers', async (t) => {
    const web = await Web.start((stop) => t.after(stop), [...options, '--token-file', join(dir, 'tokens'), dir])
    const of = async (kind, token) => {
      const client = kind.create()
      await client.connect(new kind.HTTP(web.url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
      t.after(() => client.close())
      return client
    }
    for (const kind of clients) await scrapes(await of(kind, '0123456789abcdef'))
    const alice = await of(clients[0], '0123456789abcdef')
    const bob = await of(clients[1], 'fedcba9876543210')
    const secret = { name: 'scrape', arguments: { url: `${site.url}/secret`, headers: { Authorization: 'Bearer xyzzy' } } }
    const { content: [{ resource }] } = await alice.callTool(secret)
    assert.match(resource.text, /for you alone$/)
    assert.match((await alice.readResource({ uri: resource.uri })).contents[0].text, /for you alone$/)
    await assert.rejects(bob.readResource({ uri: resource.uri }))
    const { resources } = await bob.listResources()
    assert.ok(resources.some(({ uri }) => uri.includes('_bells_')) && !resources.some(({ uri }) => uri.includes('_secret_')))
    assert.ok(!JSON.stringify(await alice.listResources()).includes('xyzzy'))
    const { content: [other] } = await bob.callTool({ name: 'scrape', arguments: { url: `${site.url}/secret` } })
    assert.match(other.resource.text, /nothing$/)
  })
})

// scrapes calls the tool like a model.
async function scrapes(client) {
  const { tools } = await client.listTools()
  const tool = tools.find(({ name }) => name === 'scrape')
  assert.deepEqual(Object.keys(tool.inputSchema.properties).sort(), [...names].sort())
  assert.deepEqual({ ...tool.annotations }, { readOnlyHint: true, idempotentHint: true, openWorldHint: true })

  const progress = []
  const call = (args) => client.callTool({ name: 'scrape', arguments: args })
  const scrape = async (args) => (await call({ url: `${site.url}/bells`, ...args })).content
  const before = site.asked('/bells')
  const held = { name: 'scrape', arguments: { url: `${site.url}/held`, forceRescrape: true } }
  // The page is held back until a progress notification arrives, because a client drops notifications that arrive together with the
  // answer. The older client takes the schema of the result before its options.
  let release
  site.held = new Promise((resolve) => { release = resolve })
  const where = { onprogress: (p) => release(progress.push(p)) }
  await (client instanceof clients[0].Client ? client.callTool(held, undefined, where) : client.callTool(held, where))
  assert.ok(progress[0].message.startsWith('native: '), `progress is ${JSON.stringify(progress)}`)
  await scrape({ forceRescrape: true })

  let whole = ''
  for (let startIndex = 0; startIndex !== undefined;) {
    const [{ type, resource }] = await scrape({ maxChars: 2000, startIndex })
    assert.equal(type, 'resource')
    assert.equal(resource.mimeType, 'text/markdown')
    const [head, ...rest] = resource.text.split('\n\n')
    assert.match(head, /^Untrusted text from the web, http:\/\/127\.0\.0\.1:\d+\/bells /)
    const more = /^\[Content truncated at \d+ characters\. Use startIndex parameter to continue reading from character (\d+)\]$/.exec(rest.at(-1))
    if (more) rest.pop()
    whole += rest.join('\n\n')
    startIndex = more ? Number(more[1]) : undefined
  }
  const [link] = await scrape({ resultHandling: 'saveOnly' })
  assert.equal(link.type, 'resource_link')
  assert.match(link.description, /^Scraped from .*\/bells\. Estimated \d+ tokens\.$/)
  const { contents: [kept] } = await client.readResource({ uri: link.uri })
  assert.equal(kept.mimeType, 'text/markdown')
  assert.equal(kept.text.slice(kept.text.indexOf('# Bells')), whole)
  assert.equal(site.asked('/bells'), before + 1)

  const [text] = await scrape({ resultHandling: 'returnOnly', forceRescrape: true, includeTags: ['h1'] })
  assert.match(text.text, /\n\n# Bells\n[^]*\n\n---\nScraped using: native$/)
  const image = (await call({ url: `${site.url}/bell.png` })).content.find(({ type }) => type === 'image')
  assert.deepEqual(Buffer.from(image.data, 'base64'), png)
  const json = (await call({ url: `${site.url}/list.json` })).content.find(({ type }) => type === 'resource')
  assert.deepEqual(JSON.parse(json.resource.text), { bells: 300 })

  for (const [args, message] of [
    [{ url: 'ftp://x', timeout: 'soon' }, /^Invalid arguments: timeout: is a string, must be a whole number, url: has the scheme "ftp"/],
    [{ url: `${site.url}/none` }, /^Failed to scrape [^]*Strategies attempted: native[^]*- native: .*answers 404[^]*Timing:\n- native: \d+ms$/],
    [{ url: 'http://169.254.169.254/' }, /metadata address/],
    [{ url: `${site.url}/bells`, actions: [{ type: 'click', selector: 'a' }] }, /actions need a browser: start the server with --browser, or set FIRECRAWL_API_KEY/],
  ]) {
    const { isError, content: [{ text }] } = await call(args)
    assert.ok(isError)
    assert.match(text, message)
  }
}

// Requests with one or a few mistakes: members that have the wrong type, are missing, are repeated or have another spelling, text that is
// not JSON, and headers that do not agree with the body. The same seed gives the same requests.
import { request } from 'node:http'

// A value is JSON as text, so that it may repeat members and spell numbers in any way: a string is written unchanged, a Map is an object.
// Members are a list of pairs.
const object = (members) => ({ members })
const array = (items) => ({ items })

const tree = (value) => {
  if (Array.isArray(value)) return array(value.map(tree))
  if (typeof value === 'object' && value !== null) return object(Object.entries(value).map(([key, member]) => [JSON.stringify(key), tree(member)]))
  return { text: JSON.stringify(value) }
}

const written = (node, space) =>
  node.text ??
  (node.items
    ? `[${node.items.map((item) => written(item, space)).join(`,${space()}`)}]`
    : `{${space()}${node.members.map(([key, member]) => `${key}:${space()}${written(member, space)}`).join(`${space()},`)}}`)

const about = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', title: 'Test', version: '1', websiteUrl: 'https://example.com', description: 'x', icons: [{ src: 'x', mimeType: 'image/png', sizes: ['1x1'], theme: 'dark' }] },
  'io.modelcontextprotocol/clientCapabilities': { roots: { listChanged: true }, sampling: { tools: {}, context: {} }, elicitation: { form: {}, url: {} }, experimental: { x: {} }, extensions: { 'a/b': {} } },
}

const calls = [
  ['initialize', { protocolVersion: '2025-11-25', capabilities: about['io.modelcontextprotocol/clientCapabilities'], clientInfo: about['io.modelcontextprotocol/clientInfo'] }],
  ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }],
  ['ping', {}], ['ping', undefined], ['server/discover', {}], ['tools/list', {}], ['prompts/list', {}], ['resources/templates/list', { cursor: '' }], ['skills/list', {}], ['resources/list', { cursor: '' }],
  ['resources/read', { uri: 'config://schemas/app.json' }], ['resources/directory/read', { uri: 'config://schemas', cursor: '' }], ['skills/get', { uri: 'skill://none/SKILL.md' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'review', title: 'x' }, argument: { name: 'language', value: '' }, context: { arguments: { a: 'x' } } }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'docs://{host}/{+path}' }, argument: { name: 'host', value: '' } }],
  ['prompts/get', { name: 'review', arguments: { language: 'German', schema: 'x' } }], ['tools/call', { name: 'list_resources', arguments: { prefix: 'config://', limit: 2, cursor: '' } }],
  ['tools/call', { name: 'read_resource', arguments: { uri: 'config://schemas/app.json', offset: 1 } }], ['tools/call', { name: 'searchAcme', arguments: { paths: ['index.md'], query: 'x', queryKeywords: ['y'], limit: 2 } }],
  ['nothing', {}], ['logging/setLevel', { level: 'info' }], ['notifications/initialized', {}], ['notifications/cancelled', { requestId: 1 }], ['notifications/progress', { progressToken: 1 }],
]

// Values of wrong types.
const odd = [
  'null', 'true', 'false', '0', '1', '-1', '1.5', '1.0', '-0', '1e2', '1E400', '12345678901234567', '9007199254740993', '9223372036854775807', '9223372036854775808', '123456789012345678901234567890', '1e-400',
  '""', '"x"', '"2025-11-25"', '"2026-07-28"', '"2025-03-26"', '"2027-01-01"', '"3"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u0000"', '"\\u00e9 \\/"', '"ref/prompt"', '"ref/resource"', '"ref/x"',
  '{}', '[]', '[1]', '["x"]', '{"a":1}', '{"name":"x"}', '{"name":5}', '[{}]', '{"":""}', '{"__proto__":null}', '[null]', '{"a":[{}]}', '[[]]',
].map((text) => ({ text }))
const spellings = ['id', 'method', 'params', 'jsonrpc', '_meta', 'name', 'uri', 'result', 'error', 'cursor', '__proto__', 'constructor', 'arguments', 'progressToken', 'x']

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2026-07-28', '2027-01-01', '2020-01-01', '', ' ', 'x', '2025-11', '2025-11-25 ', '2025-11-25x', '28 2025-11', '9999', '\u00e9']
const types = ['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'application/json; charset=latin1', 'application/json; charset=', 'application/json;', 'application/json; x', 'application/json; x=y; x=z', 'application/json; x="a;b"', 'application/json; charset="utf-8', 'text/plain', '', 'application/json x', 'application/json/x', ' application/json ', 'application/jsonx', "application/json; charset*=utf-8''utf-8", 'application/json; =x', 'application/json; x=é']
const accepts = ['application/json, text/event-stream', '*/*', 'application/*, text/*', 'application/json', 'text/event-stream', 'application/json;q=0, text/event-stream', 'application/json; q=0.0, */*', 'application/json;q=, text/event-stream', 'application/json;q=0.5;x, text/event-stream;q=1', 'APPLICATION/JSON,TEXT/EVENT-STREAM', 'application/json; Q=0 , text/event-stream', 'application/json;q=0.0., text/event-stream', 'application/json;q =0, text/event-stream', 'application/json ,\ttext/event-stream\t']

// A Malformed makes requests: { method, headers: [[name, value]], body, calls: whether it begins no session }.
export class Malformed {
  #r

  constructor(r) {
    this.#r = r
  }

  next() {
    const r = this.#r
    const [name, params] = r.of(calls)
    const isStateless = name !== 'initialize' && r.chance(50)
    const full = isStateless ? { ...params, _meta: { ...about, ...(r.chance(30) && { progressToken: 'x' }) } } : params && r.chance(30) ? { ...params, _meta: { progressToken: 1, x: {} } } : params
    const message = tree({ jsonrpc: '2.0', ...(!name.startsWith('notifications/') && { id: 1 }), method: name, ...(full && { params: full }) })
    const headers = [['Content-Type', 'application/json'], ['Accept', 'application/json, text/event-stream']]
    if (isStateless || r.chance(80)) headers.push(['MCP-Protocol-Version', isStateless ? '2026-07-28' : '2025-11-25'])
    if (isStateless) {
      headers.push(['Mcp-Method', name])
      const repeated = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }[name]
      if (repeated) headers.push(['Mcp-Name', params[repeated]])
    }
    let root = message
    const where = r.below(100)
    if (where < 75) for (let i = 1 + r.below(2); i > 0; i--) root = this.#changed(root)
    if (where >= 65 && where < 95) for (let i = 1 + r.below(2); i > 0; i--) this.#changeHeader(headers, name)
    if (r.chance(4)) root = array(Array.from({ length: r.below(4) }, () => this.#changed(root)))
    const space = () => (r.chance(3) ? r.of([' ', '\n', '\t', '\r\n', '\u00a0', '\f', '\u2028', '\ufeff']) : '')
    let body = Buffer.from(space() + written(root, r.chance(10) ? space : () => '') + space())
    if (where >= 95) body = this.#cut(body)
    return { headers, body }
  }

  // places are all members and items of a tree: the list that each is in, and its index.
  #places(node, found = []) {
    for (const list of [node.members, node.items]) {
      for (const [i, entry] of (list ?? []).entries()) {
        found.push([list, i])
        this.#places(list === node.members ? entry[1] : entry, found)
      }
    }
    return found
  }

  #changed(root) {
    const r = this.#r
    const places = this.#places(root)
    if (r.chance(2) || places.length === 0) return r.of(odd)
    const [list, i] = r.of(places)
    const isMember = Array.isArray(list[i])
    const put = (node) => (isMember ? [list[i][0], node] : node)
    const was = isMember ? list[i][1] : list[i]
    r.of([
      () => (list[i] = put(r.of(odd))), () => (list[i] = put(r.of(odd))), () => (list[i] = put(r.of(odd))), () => (list[i] = put(r.of(odd))), () => list.splice(i, 1), () => list.splice(i, 1),
      () => list.splice(i + r.below(2), 0, put(r.of(odd))), () => list.splice(i, 0, list[i]), () => (list[i] = put(array([was]))),
      () => isMember && (list[i] = [r.of([`"${r.of(spellings)}"`, list[i][0].toUpperCase(), list[i][0].replace(/"(.)/, (_, c) => `"\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)]), was]),
      () => isMember && list.splice(i, 0, [`"${r.of(spellings)}"`, r.of(odd)]),
    ])()
    return root
  }

  #changeHeader(headers, method) {
    const r = this.#r
    const set = (name, value) => {
      const index = headers.findIndex(([other]) => other === name)
      if (index < 0) headers.push([name, value])
      else headers[index] = [name, value]
    }
    const base64 = (text) => Buffer.from(text).toString('base64')
    const name = headers.find(([other]) => other === 'Mcp-Name')?.[1] ?? 'x'
    r.of([
      () => set('MCP-Protocol-Version', r.of(versions)), () => set('MCP-Protocol-Version', r.of(versions)), () => headers.push(['MCP-Protocol-Version', r.of(versions)]),
      () => set('Content-Type', r.of(types)), () => set('Content-Type', r.of(types)), () => set('Accept', r.of(accepts)), () => set('Accept', r.of(accepts)), () => headers.push(['Accept', r.of(accepts)]),
      () => headers.splice(r.below(headers.length), 1), () => set('Content-Encoding', r.of(['gzip', 'identity', 'IDENTITY', '', 'br'])),
      () => set('Mcp-Method', r.of(['', 'tools/list', method.toUpperCase(), ` ${method} `, `${method}x`, 'x'.repeat(300)])), () => headers.push(['Mcp-Method', r.of([method, 'x'])]),
      () => set('Mcp-Name', r.of(['', 'x', `=?base64?${base64(name)}?=`, `=?base64?${base64(name).replaceAll('=', '')}?=`, '=?base64?!?=', '=?base64??=', '=?base64?', `=?BASE64?${base64(name)}?=`, `=?base64?${base64(name).replace(/(.)=/, 'B=')}?=`, `=?base64?${base64('\u00e9')}?=`, '\u00e9', `${name} `])),
      () => headers.push(['Mcp-Name', r.of([name, 'x'])]), () => headers.push(['Mcp-Session-Id', r.of(['x', 'a'.repeat(200)])]), () => headers.push(['Last-Event-ID', r.of(['1', 'x', ''])]),
    ])()
  }

  #cut(body) {
    const r = this.#r
    const offset = r.below(body.length + 1)
    const parts = (...middle) => Buffer.concat([body.subarray(0, offset), Buffer.from(middle), body.subarray(Math.min(offset + r.below(2), body.length))])
    return r.of([() => body.subarray(0, offset), () => parts(r.below(256)), () => parts(), () => parts(...Buffer.from(r.of(['"', '\\', '{', ']', ',', ':', '0', '\n', '\u0000', '\u2028', '\\u', '//', "'"]))), () => Buffer.concat([body, body])])()
  }
}

// send sends a request as it is and returns the answer: { status, text }.
export function send(url, { headers, body }, agent) {
  return new Promise((resolve, reject) => {
    const lines = headers.flatMap(([name, value]) => [name, Buffer.from(value).toString('latin1')])
    const ask = request(url, { method: 'POST', agent, headers: [...lines, 'Host', url.host, 'Content-Length', String(body.length)] }, (answer) => {
      const chunks = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () => resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() }))
      answer.on('error', reject)
    })
    ask.on('error', reject)
    ask.end(body)
  })
}

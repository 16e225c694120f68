// Random projects, and random requests to them. The same seed gives the same projects and requests.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { names } from './tree.mjs'

// A Random returns numbers (mulberry32).
export class Random {
  #state

  constructor(seed) {
    this.#state = seed
  }

  // below returns a number from 0 to n-1.
  below(n) {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * n)
  }

  chance(percent) {
    return this.below(100) < percent
  }

  of(list) {
    return list[this.below(list.length)]
  }

  some(n, make) {
    return Array.from({ length: this.below(n + 1) }, (_, i) => make(i))
  }
}

const words = 'install the server, then configure retries and timeouts of each client; see the guide, Straße, naïve, ünïcode 中文 日本語 한국어 emoji 😀 running runs ran retry-after max_retries'.split(' ')
const types = ['.md', '.md', '.txt', '.json', '.png', '.MDX', '', '.html', '.mdx']
const short = names.filter((name) => name.length < 60)
const plain = ['guide', 'setup', 'api', 'index', 'README', 'Überblick', '中文', 'a b', '100%', 'x_y-z', 'Guide', 'GUIDE', 'ß', 'K', 'notes.v2']
const schemes = ['docs', 'config', 'API', 'x+y-z.1', 'capability-index', 'prompt']

const latin1 = (bytes) => Buffer.from(bytes, 'latin1')
const bytes = (text) => Buffer.from(text).toString('latin1')
const name = (r) => (r.chance(70) ? bytes(r.of(plain)) : r.of(short))
const sentence = (r) => r.some(14, () => r.of(words)).join(' ')

function markdown(r) {
  const front = r.chance(25) ? `---\ntitle: ${JSON.stringify(sentence(r))}\ndescription: ${JSON.stringify(sentence(r))}\n---\n` : ''
  const parts = r.some(7, () => r.of([
    () => `${'#'.repeat(1 + r.below(4))} ${sentence(r)}\n\n`, () => `${sentence(r)}\n\n`, () => `${sentence(r)}\n${sentence(r)}\n`, () => '```js\n# no heading\nconst retries = 3\n```\n\n',
    () => `- [${r.of(words)}](${r.of(plain)}.md)\n`, () => `<!-- ${r.of(words)} -->\n`, () => r.of(['<a id="X"></a>\n', '.. _X:\n\n', '(X)=\n', '[[X]]\ntext\n']).replace('X', r.of(words)), () => `${r.of(words)}\n===\n`, () => 'long '.repeat(r.below(200)) + '\n',
  ])())
  return front + parts.join('')
}

const contents = (r, file) => r.of([
  () => markdown(r), () => markdown(r), () => markdown(r), () => '', () => '\ufeffmarked\n', () => `"quoted" \\ \u2028\u2029 <&> \x01\x7f\n`, () => 'x'.repeat(r.below(5000)),
  () => latin1('caf\xe9 \xff\xfe\x00'), () => Buffer.from('\ufeffutf-16 ünï 😀\n', 'utf16le'), () => latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR' + 'data'.repeat(r.below(50))), () => `line ${file}\r\n`.repeat(r.below(60)),
])()

// project writes a random project to a folder that does not exist, and returns the names that requests can use.
export function project(r, dir) {
  const write = (path, data) => {
    try {
      const file = Buffer.concat([Buffer.from(`${dir}/`), latin1(path)])
      mkdirSync(file.subarray(0, file.lastIndexOf('/')), { recursive: true })
      writeFileSync(file, data, { flag: 'wx' })
    } catch (error) {
      if (!['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ENOENT', 'EILSEQ', 'EINVAL'].includes(error.code)) throw error // the name is taken, or no file can have it
    }
  }
  const folders = r.some(5, () => [r.of(schemes), ...r.some(3, () => name(r))]).concat([['docs', 'guides'], ['config']])
  for (let i = 0; i < 20 + r.below(60); i++) {
    const path = `resources/${[...r.of(folders), ...(r.chance(20) ? [name(r)] : []), `${name(r)}${r.of(types)}`].join('/')}`
    write(path, contents(r, i))
    if (r.chance(10)) write(`${path}.meta.json`, JSON.stringify({ title: sentence(r) || 'x', description: sentence(r) || 'y', annotations: { priority: 0.5, audience: ['user'] } }))
  }
  mkdirSync(join(dir, 'resources/docs/empty'), { recursive: true })
  for (let i = 0; i < 5 + r.below(25); i++) write(`docs/${[...r.some(2, () => name(r)), name(r)].join('/')}${r.of(['.md', '.md', '.md', '.mdx', '.txt'])}`, contents(r, i))
  write('docs/index.md', '# Start\n\nInstall the server.\n\n## Retries\n\nSet max_retries.\n')
  for (let i = 0; i < r.below(5); i++) {
    const placeholders = ['topic', 'path'].slice(0, r.below(3))
    const front = { description: sentence(r) || 'x', arguments: placeholders.map((of, k) => ({ name: of, description: sentence(r) || 'y', required: k === 0 && r.chance(50) })) }
    write(`prompts/prompt-${i}.md`, `---\n${JSON.stringify(front)}\n---\n${sentence(r)} ${placeholders.map((of) => `{{${of}}}`).join(' ')}\n\n${markdown(r)}`)
  }
  for (let i = 0; i < r.below(4); i++) {
    write(`skills/skill-${i}/SKILL.md`, r.chance(20) ? 'no front matter' : `---\nname: skill-${i}\ndescription: ${JSON.stringify(sentence(r) || 'x')}\n---\n\n# Use\n\n${markdown(r)}`)
    if (r.chance(50)) write(`skills/skill-${i}/references/${bytes(r.of(plain))}.md`, markdown(r))
  }
  const templates = [
    ['docs://{host}/{+path}', 'Documents'], ['config://{name}', 'Config'], ['docs://guides/{page}.md', 'Guides'], ['x+y-z.1://{a}/{...rest}', 'Rest'], ['api://{a}/{b}-{c}', 'Parts'],
  ].filter(() => r.chance(60))
  write('resources/templates.json', JSON.stringify(templates.map(([uriTemplate, of]) => ({ uriTemplate, name: of, ...(r.chance(50) && { description: sentence(r) || 'z' }) }))))
  const config = {
    name: 'Random', package: '@me/random', version: '1.2.3', index: r.chance(50), describe: r.chance(50), docsResources: r.chance(30),
    tools: { resources: true, connector: r.chance(70) }, skills: { asPrompts: r.chance(50) }, search: { resources: r.chance(40) },
    limits: { pageSize: r.of([3, 7, 50, 1000]), maxFrameBytes: r.of([1500, 4096, 10485760, 10485760]), maxReadBytes: r.of([3000, 67108864]) },
  }
  write('mcp-docs-server.json', JSON.stringify(config))
  return config
}

// cursor returns an invented cursor with the checksum of the server.
function cursor(kind, key) {
  const bytes = Buffer.from(kind + key)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return Buffer.concat([bytes, sum]).toString('base64url')
}

// A Requests makes requests about the items that a server lists.
export class Requests {
  #r
  #ask
  cursors = ['', '', '', 'x', 'cg', '%%%', cursor('s', '~'), cursor('s', 'skill://skill-1/x'), cursor('r', 'docs://none'), cursor('t', '9223372036854775807 x'), cursor('t', '1 x')]
  uris = ['docs://', 'capability-index://summary', 'capability-index://elements/document', 'nothing://at/all', '', 'no uri']
  templates = ['docs://{host}/{+path}', 'capability-index://elements/{type}', 'x://{y}']
  tools = ['read_resource', 'nothing']
  prompts = ['nothing']
  paths = ['index.md', '', 'guides/', '../x', 'index.md#retries']

  // ask sends a call to the server and returns its result.
  constructor(r, ask) {
    this.#r = r
    this.#ask = ask
  }

  // learn reads the lists of the server.
  async learn() {
    const all = async (method, member) => {
      const items = []
      for (let cursor; ; ) {
        const page = await this.#ask(method, cursor ? { cursor } : {})
        items.push(...page[member])
        if (!(cursor = page.nextCursor)) return items
        this.cursors.push(cursor)
      }
    }
    this.uris.push(...(await all('resources/list', 'resources')).map(({ uri }) => uri).filter((uri) => uri !== 'capability-index://stats'))
    this.templates.push(...(await all('resources/templates/list', 'resourceTemplates')).map(({ uriTemplate }) => uriTemplate))
    this.skills = (await all('skills/list', 'skills')).map(({ uri }) => uri)
    this.tools.push(...(await all('tools/list', 'tools')).map((tool) => tool.name))
    this.prompts.push(...(await all('prompts/list', 'prompts')).map((prompt) => prompt.name))
  }

  // uri returns a URI in some spelling.
  uri() {
    const r = this.#r
    let uri = r.of(this.uris)
    if (r.chance(15)) uri = uri.slice(0, uri.lastIndexOf('/') + r.below(2))
    for (let i = 0; i < r.below(3); i++) {
      uri = r.of([
        (s) => s, (s) => s, (s) => unescape(s), (s) => s.replace(/(%[0-9A-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString()), (s) => encodeURI(s.toWellFormed()), (s) => s.toLowerCase(), (s) => s.toUpperCase(), (s) => `${s}#part`, (s) => `${s}?x=1`,
        (s) => s.replaceAll('%', '%25'), (s) => `${s}/`, (s) => s.replace(/^[^:]*/, (scheme) => scheme.toUpperCase()), (s) => s.slice(0, -1), (s) => `${s}x`, (s) => s.replace(/[aeiou]/, (c) => encodeURIComponent(c)),
      ])(uri)
    }
    return uri
  }

  text() {
    const r = this.#r
    return r.of([() => r.of(words), () => `${r.of(words)} ${r.of(words)}`, () => r.of(plain), () => '', () => `path:guides ${r.of(words)}`, () => sentence(r), () => '"' + r.of(words) + '"', () => 'zzz']) ()
  }

  arguments(tool) {
    const r = this.#r
    const number = () => r.of([0, 1, 2, 3, 10, 100, 5000, -1, 1.5, '3'])
    const optional = (of) => Object.fromEntries(Object.entries(of).filter(() => r.chance(30)).map(([key, make]) => [key, make()]))
    switch (tool) {
      case 'list_resources':
        return optional({ prefix: () => this.uri(), glob: () => r.of(['docs://**', '**/*.md', '**/{a,b}*', '[', '*://*', '{', 'docs://guides/*.{md,txt}']), cursor: () => r.of(this.cursors), limit: number, wrong: number })
      case 'read_resource':
        return { uri: this.uri(), ...optional({ section: () => this.text(), offset: number, limit: number }) }
      case 'search':
        return r.chance(90) ? { query: this.text() } : {}
      case 'fetch':
        return { id: this.uri() + r.of(['', '', '#L2', '#L1+3', '#L99999']) }
    }
    const paths = () => r.some(3, () => r.of([() => r.of(this.paths), () => r.of(plain), () => this.uri(), () => `path:${r.of(plain)}`])())
    return optional({ paths, queryKeywords: () => r.some(2, () => this.text()), query: () => this.text(), alternatives: () => r.some(3, () => (r.chance(20) ? `"${this.text()}"` : this.text())), section: () => this.text(), offset: number, limit: number })
  }

  // next returns a method and its parameters.
  next() {
    const r = this.#r
    const cursor = () => (r.chance(60) ? { cursor: r.of(this.cursors) } : {})
    return r.of([
      () => ['resources/read', { uri: this.uri() }], () => ['resources/read', { uri: this.uri() }], () => ['resources/read', { uri: this.uri() }], () => ['resources/directory/read', { uri: this.uri(), ...cursor() }],
      () => [r.of(['resources/list', 'resources/templates/list', 'skills/list', 'tools/list', 'prompts/list']), cursor()], () => ['skills/get', { uri: r.chance(60) && this.skills.length ? r.of(this.skills) : this.uri() }],
      () => ['completion/complete', { ref: { type: 'ref/resource', uri: r.of(this.templates) }, argument: { name: r.of(['host', 'path', 'name', 'page', 'type', 'a', 'b', 'c', 'rest']), value: r.of(['', '', 'g', 'G', '1', 'ü', 'd']) }, ...(r.chance(30) && { context: { arguments: { host: r.of(plain), a: r.of(plain) } } }) }],
      () => ['completion/complete', { ref: { type: 'ref/prompt', name: r.of(this.prompts) }, argument: { name: r.of(['topic', 'path', 'request']), value: r.of(['', 'docs://', 'x']) } }],
      () => ['prompts/get', { name: r.of(this.prompts), arguments: Object.fromEntries(['topic', 'path', 'request'].filter(() => r.chance(60)).map((of) => [of, r.of([this.uri(), 'value', '{{topic}}'])])) }],
      () => { const tool = r.of(this.tools); return ['tools/call', { name: tool, arguments: this.arguments(tool) }] }, () => { const tool = r.of(this.tools); return ['tools/call', { name: tool, arguments: this.arguments(tool) }] },
      () => [r.of(['ping', 'server/discover', 'nothing', 'constructor']), {}], () => ['resources/read', r.of([{}, { uri: 5 }, { uri: null }, [], 'x'])],
    ])()
  }
}

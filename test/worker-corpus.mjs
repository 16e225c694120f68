// Random projects with documents and prompts, and random calls of their tools. The same seed gives the same projects and calls.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// random returns a function that returns integers below a bound (mulberry32).
export function random(seed) {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

// Words that the rules of the search treat differently: identifiers, accents, scripts without spaces, characters that NFKC changes,
// irregular stems, stop words, numbers.
const vocabulary = `install configuration configure server documents readFile read_file read-file rate limit ratelimit token tokens
authentication authenticate running runs ran https HTTP2 JSON parser parsing generation generously communication the and of documentation guide page
naïve café CAFÉ ÉTÉ straße Straße 東京 東京都 日本語 ドキュメント ภาษาไทย 한국어 v1.2.3 1.2.3 ﬁle ﬁnd Ⅷ ① it's don't we’re İstanbul ΣΟΦΟΣ όσος
snake_case_name camelCaseName XMLHttpRequest ID3Tag hash hashes index indexes indices happily happiness relational conditional hesitance digitizer
conformably radically differently analogously operator feudalism decisiveness skis dying lying news proceed canning inning succeed skies early only
deploy deployment deploys release released workflow error errors retry retries timeout a an in to by my do`.split(/\s+/)

export function words(r, n) {
  const out = []
  for (let i = 0; i < n; i++) {
    let w = vocabulary[Math.floor((r(1000) * r(1000) * vocabulary.length) / 1e6)]
    switch (r(30)) {
      case 0: w = `\`${w}\``; break
      case 1: w = `**${w}**`; break
      case 2: w += r(3000); break
      case 3: w = `docs/${w}`; break
      case 4: w = w.toUpperCase(); break
      case 5: w += '.'; break
      case 6: w = `[${w}](https://example.com/${r(9)})`; break
      case 7: if (r(6) === 0) w = ['\u202e', '\ufeff', '\u2028', '\u0301\u0323', 'e\u0301', '\u{1f600}'][r(6)] + w; break
    }
    out.push(w)
  }
  return out.join(' ')
}

const folders = ['', 'guides/', 'guides/setup/', 'reference/api/', 'reference/', 'a b/', '日本/', 'UPPER/']
const names = ['index', 'README', '02-setup', 'rate-limit', 'readFile', 'config', 'cafe\u0301', 'a#b', '50%', 'x y', 'notes', 'Ünï', 'deploy_now', '.']

// writeProject writes a project with about n documents, and returns the names that calls can use.
export function writeProject(dir, r, n) {
  const config = { name: ['demo', 'Ärger & Co', 'a/b'][r(3)], package: 'demo-docs', version: '1.0.0', docsResources: r(3) === 0, search: { resources: r(2) === 0 }, describe: true, tools: { connector: true } }
  const write = (path, data) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), data)
  }
  write('mcp-docs-server.json', JSON.stringify(config))
  const paths = []
  const headings = []
  for (let i = 0; i < n; i++) {
    const name = names[r(names.length)]
    if (name === '.') continue
    const path = `${folders[r(folders.length)]}${name}${r(3) ? '' : i}${['.md', '.md', '.md', '.mdx', '.MD', '.txt'][r(6)]}`
    let text = ''
    if (r(4) === 0) text += `---\ntitle: ${words(r, 3).replace(/[`*[\]#:&]/g, '')}\ndescription: x\n---\n`
    for (let s = r(8); s > 0; s--) {
      const heading = words(r, 1 + r(4))
      headings.push(heading)
      text += `${'#'.repeat(1 + r(4))} ${heading}${r(9) ? '' : ` {#name-${r(9)}}`}\n\n`
      for (let p = r(4); p > 0; p--) {
        const kind = r(6)
        if (kind === 0) text += `- **${words(r, 1)}**: ${words(r, 10)}\n`
        else if (kind === 1) text += `| ${words(r, 1)} | ${words(r, 10)} |\n`
        else if (kind === 2) text += `\`\`\`sh\n# ${words(r, 3)}\n\`\`\`\n\n`
        else text += `${words(r, r(120))}\n\n`
      }
    }
    const form = r(20)
    if (form === 0) write(`docs/${path}`, Buffer.from(`\ufeff${text}`, 'utf16le'))
    else if (form === 1) write(`docs/${path}`, Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0xc3, 10])]))
    else if (form === 2) write(`docs/${path}`, `${text}${'long line '.repeat(12000)}\n`)
    else if (form === 3) write(`docs/${path}`, text.replaceAll('\n', '\r\n'))
    else write(`docs/${path}`, text)
    paths.push(path)
  }
  // A captured page that its site no longer has.
  const front = 'url: "https://example.com/d/3"\ntitle: "Page: 3"\nfetched: "2026-11-22T01:02:03Z"\nsha256: "00"\nsite: "https://example.com/d/"\ngone: "2026-11-22T01:02:04Z"\nassets:\n  - "00 example.com/d/i.png"\n'
  write('docs/web/example.com/d/3.md', `---\n${front}---\n\n# Page 3\n\nThe deployment of [page 1](1.md).\n\n![A picture](i.png)\n`)
  write('docs/web/.crawl-00.jsonl', '{"deployment":1}\n')
  paths.push('web/example.com/d/3.md', 'web/.crawl-00.jsonl')
  write('docs/image.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]))
  write('resources/config/examples/app.json', '{"title": "App", "b": 1}\n')
  write('resources/notes/readFile/rate limit.md', `# ${words(r, 3)}\n\n${words(r, 60)}\n`)
  write('resources/notes/picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]))
  const prompts = Array.from({ length: 6 }, (_, i) => writePrompt(write, r, `${folders[r(4)]}${names[r(names.length - 1)].replace('#', '')}${i}`))
  return { config, paths, headings, prompts }
}

const links = ['config://examples/app.json', 'notes://readFile/rate%20limit.md', 'notes://readFile/rate limit.md', 'notes://picture.png', 'config://none', 'https://example.com/', 'NOTES://picture.png', 'docs://demo/index.md']

// writePrompt writes a prompt with arguments of each type, placeholders and links.
function writePrompt(write, r, name) {
  const kinds = [{ type: 'number' }, { type: 'boolean' }, { enum: ['English', 'Ärger', 'x y', ''] }, {}, { type: 'number', enum: [1, 2.5, '1e3'] }]
  const args = []
  for (let i = r(4); i > 0; i--) args.push({ name: `${['language', 'größe', 'a.b', 'x-y'][i]}`, ...kinds[r(kinds.length)] })
  for (const a of args) {
    if (r(3) === 0) a.optional = true
    if (a.type === undefined && !a.enum && r(3) === 0) a.default = words(r, 2)
  }
  const value = () => (args.length > 0 && r(2) ? `{{${args[r(args.length)].name}}}` : words(r, 1))
  let text = `---\n${JSON.stringify({ description: r(2) ? words(r, 3) : '', args })}\n---\n`
  for (let i = r(12); i > 0; i--) {
    text += [
      () => `${words(r, 5)} ${value()} ${words(r, 2)}\n`,
      () => '\n \n',
      () => `${r(2) ? '!' : ''}[${words(r, 1).replace(/[[\]]/g, '')}](<${links[r(links.length)]}>)${r(2) ? '' : '  '}\n`,
      () => `[x](config://examples/${value().replace(/[()[\]<> ]/g, '')})\n`,
      () => `![](${args.length > 0 ? `{{${args[0].name}}}` : 'notes://picture.png'})\n`,
      () => '\`\`\`\n[x](config://examples/app.json)\n\`\`\`\n',
      () => `\\{{ ${value()}\r\n`,
    ][r(7)]()
  }
  write(`prompts/${name}.md`, text)
  return { name, args }
}

const given = ['', 'true', 'false', '1', '1.0', '+2.5', '1000', '1e3', 'x', 'English', 'ärger', 'config://examples/app.json', 'notes://picture.png', 'app.json', 'a/b?c#d', '{{language}}', '\n\n x \n', '\u2028', ' ', '\u{1f600}'.repeat(90)]

// promptOf returns the parameters of a random prompts/get.
export function promptOf(r, { prompts }) {
  const { name, args } = prompts[r(prompts.length)]
  const values = {}
  for (const a of args) if (r(6)) values[a.name] = a.enum && r(2) ? String(a.enum[r(a.enum.length)]) : given[r(given.length)]
  if (r(12) === 0) values[['langage', 'x', '__proto__x', 'größe '][r(4)]] = 'x'
  return { name: r(20) ? name : name.slice(1), arguments: values }
}

// completionOf returns the parameters of a random completion of an argument of a prompt.
export function completionOf(r, { prompts }) {
  const { name, args } = prompts[r(prompts.length)]
  const argument = { name: args[0] && r(5) ? args[r(args.length)].name : 'x', value: ['', 't', 'E', 'ä', '1', 'config://', 'notes://r', 'docs://', 'x'][r(9)] }
  return { ref: { type: 'ref/prompt', name }, argument }
}

// pathOf returns a path as a client may spell it.
export function pathOf(r, { paths }) {
  let path = r(6) ? (paths[r(paths.length)] ?? 'x') : folders[r(folders.length)]
  if (r(8) === 0) path = words(r, 1)
  for (let i = r(3); i > 0; i--) {
    switch (r(14)) {
      case 0: path = `docs/${path}`; break
      case 1: path = `/${path}`; break
      case 2: path = `./${path}`; break
      case 3: path = path.replaceAll('/', '\\'); break
      case 4: path = path.replace(/\.[a-zA-Z]+$/, ''); break
      case 5: path = encodeURIComponent(path); break
      case 6: path = `${path}/`; break
      case 7: path = `${path}#${words(r, 1)}`; break
      case 8: path = `../${path}`; break
      case 9: path = path.replace('/', '//'); break
      case 10: path = `%2e%2e/${path}`; break
      case 11: path = path.slice(0, -1); break
      case 12: path = path.toUpperCase(); break
      case 13: path = ` ${path}\n`; break
    }
  }
  return path
}

export function queryOf(r) {
  let query = words(r, 1 + r(6))
  if (r(3) === 0) {
    const runes = [...query]
    runes.splice(r(runes.length), 1 + r(2))
    query = runes.join('')
  }
  if (r(6) === 0) query = `${words(r, 1)} ${['qzxvkj', 'wvjkqx', 'pfgqzv', 'hwzzqk'].join(' ')}` // no passage has most of these
  if (r(8) === 0) query += ` ${['--server', '`.server`,', '(C++)', '@server', '||>', '<|', '#1 server:', '--'][r(8)]}`
  if (r(6) === 0) query += ` path:${['guides', 'docs/guides/setup', '*api*', '{guides,日本}/**', '"guides/*.md"', '**/*1.md', '[0-4]*', 'guides/{setup/,}0*', '[', 'a{b', '*', '/'][r(12)]}`
  if (r(30) === 0) query = ['', ' ', 'the', 'the of and', '京', '国', 'ab', '-', 'x'.repeat(70), words(r, 60)][r(10)]
  return query
}

// callOf returns the arguments of a random call of the tool for documents.
export function callOf(r, project) {
  const args = {}
  if (r(2)) args.paths = Array.from({ length: 1 + (r(5) ? r(3) : r(12)) }, () => pathOf(r, project))
  if (r(2) || !args.paths) args.query = queryOf(r)
  if (r(3) === 0) args.queryKeywords = Array.from({ length: r(4) }, () => words(r, 1 + r(3)))
  if (args.query && r(2)) args.alternatives = Array.from({ length: r(7) }, () => (r(5) ? queryOf(r) : `"${words(r, 1 + r(2))}"`))
  if (r(4) === 0) args.section = r(4) ? (project.headings[r(project.headings.length)] ?? 'x').slice(0, r(4) ? undefined : -1) : words(r, 1)
  if (r(4) === 0) args.offset = r(40) - 2
  if (r(4) === 0) args.limit = r(30) - 1
  if (r(40) === 0) args[['Query', 'wrong', 'offset', 'paths'][r(4)]] = [1, 1.5, 'x', null, [1], true, {}][r(7)]
  return args
}

// Projects with awkward trees, in temporary folders.
//
// Paths are relative to resources/ and hold bytes; see uri.mjs.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesOf } from './uri.mjs'

// names are legal on common file systems, and cause problems somewhere between the disk and a client.
export const names = [
  'plain.md', 'with space.md', ' leading.md', 'trailing ', ' ', '  ', "apostrophe's.md", 'double"quote".md', '{braces}.md', '{', '}', '{+x}',
  '100%.md', '%', '%%', '%zz', '%2', 'a b.txt', 'a%20b.txt', '%2e%2e', '%2E%2E', '%2F', 'a%2Fb.md', '%41.txt', '%00', '%25', '50%25.md',
  'new\nline.md', '\n', 'tab\t.md', 'carriage\rreturn.md', '\x01\x1f.md', '\x7f', '\u0085.md',
  'what?.md', '?', '#', 'c#.md', 'a#b?c.md', 'a?b#c.md', '[', ']', 'a[1].md', '\\', 'back\\slash.md', 'x\\..\\..\\y', '|', 'pipe|.md', '^', 'caret^.md',
  '`', '`tick`.md', '<', '>', '&', '<b>&amp;.md', ':', 'colon:name.md', '@', 'user@host.md', ';', ';v=1', ',', 'a,b.md', '=', '+', 'plus+sign.md', '$', '!',
  '*', '(x).md', "'", 'a~b', '-', '--help', 'a.', 'a..', 'x..md', 'CON', 'nul', '0', 'null', '__proto__', 'constructor', 'toString', 'templates.json',
  '\u00e9.md', 'e\u0301.md', 'caf\u00e9.txt', 'cafe\u0301.txt', '\u212b.md', '\ufb01.md', '\u0130.md', '\u00df.md', '\u1e9e.md',
  '\u05e9\u05dc\u05d5\u05dd.md', '\u0645\u0631\u062d\u0628\u0627.md', '\u202egpj.md', '\u2066x\u2069.md',
  '\u{1f600}.md', '\u{1f469}\u200d\u{1f4bb}.md', '\u{1f1e8}\u{1f1ed}', '\u4e2d\u6587.md', '\u65e5\u672c\u8a9e', '\ud55c\uad6d\uc5b4.md', '\u{20000}.md',
  '\u200b', 'zero\u200bwidth.md', '\ufeffmark.md', '\u00a0', '\u2028.md', '\u3000', '\ufffd.md', '\uffff', '\u{10ffff}',
  'x'.repeat(251) + '.txt', '\u00e9'.repeat(127), '\u{1f600}'.repeat(63), '%'.repeat(255),
].map(bytesOf).concat([
  'caf\xe9.txt', '\xff', '\xff\xfe', '\xc3', '\xc3\x28', '\xed\xa0\x80.md', '\xc0\x80', '\xf4\x90\x80\x80', '\xe9 %E9?.md', '\xff'.repeat(255),
])

const utf16 = (text, order) => {
  const bytes = Buffer.from('\ufeff' + text, 'utf16le')
  return order === 'BE' ? bytes.swap16() : bytes
}
const latin1 = (bytes) => Buffer.from(bytes, 'latin1')

const contents = {
  'empty.txt': '', 'EMPTY': '', 'utf8.md': 'h\u00e9llo \u4e2d \u{1f600}\n', 'bom.txt': '\ufeffmarked\n', 'bom-only.txt': '\ufeff',
  'crlf.txt': 'one\r\ntwo\r\n', 'cr.txt': 'one\rtwo', 'blank.txt': '\n', 'html.html': '<script>&amp;"\\\u2028\u2029</script>', 'replacement.txt': '\ufffd\ufffe\uffff',
  'control.txt': '\x01\x02\x1b[31m\x7f\u0085', 'Makefile': 'all:\n\techo\n', 'run': '#!/bin/sh\necho\n', 'code.ts': 'export {}\n', 'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'data.json': '{"a": 1}\n', 'long-line.txt': 'x'.repeat(300000), 'long.md': '\u00e9 line\n'.repeat(30000),
  'utf16le.txt': utf16('h\u00e9llo \u4e2d \u{1f600}\r\n'), 'utf16be.txt': utf16('h\u00e9llo \u4e2d \u{1f600}\n', 'BE'), 'utf16-extensionless': utf16('text'), 'utf16-mark-only.txt': utf16(''),
  'utf16-odd.txt': Buffer.concat([utf16('odd'), latin1('x')]), 'utf16-half-pair.txt': utf16('a\ud83d'), 'utf16-nul.txt': utf16('a\0b', 'BE'),
  'latin1.txt': latin1('caf\xe9\n'), 'nul-at-end.txt': 'text\0', 'nul.md': '\0', 'truncated.txt': latin1('caf\xc3'), 'truncated-emoji.md': latin1('\xf0\x9f\x98'),
  'surrogate.txt': latin1('\xed\xa0\x80'), 'overlong.txt': latin1('\xc0\x80'), 'late.txt': latin1('x'.repeat(100000) + '\xff'),
  'image.png': latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), 'image': latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), 'letters.png': 'only letters', 'paper.pdf': latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'), 'letters.pdf': '%PDF-1.4\n',
  'module.wasm': latin1('\0asm\x01\0\0\0'), 'empty.png': '', 'program': latin1('\x7fELF\x02\x01\x01\0'), 'every-byte.bin': Buffer.from(Array.from({ length: 256 }, (_, i) => i)), 'letters.bin': 'letters',
}

const hosts = ['host with space', '%', '%2e%2e', 'user@host:80', ':', '[::1]', 'a?b#c', 'm\u00fcnchen', '\u4e2d', 'Upper.Host', '1.2.3.4', '"q"', '<h>', 'a|b^c`d', '\\', 'tab\t'].map(bytesOf).concat(['caf\xe9'])

const isASCII = (name) => /^[\x00-\x7f]*$/.test(name)

// below lists files with these names in a folder. The text of each file is unique.
const below = (folder, list) => list.map((name) => [`${folder}/${name}`, `${folder}: ${JSON.stringify(name)}\n`])

const served = [
  ...below('config/ascii', names.filter(isASCII)), ...below('config/unicode', names.filter((name) => !isASCII(name))),
  ...Object.entries(contents).map(([name, bytes]) => [`config/contents/${name}`, bytes]),
  ...names.filter((name) => name.length < 200).map((name, i) => [`folders/${isASCII(name) ? 'ascii' : 'unicode'}/${name}/${i % 2 ? 'index.md' : name}`, `in ${i}`]),
  ...hosts.flatMap((host, i) => [[`hosts/${host}/a.md`, `a ${i}`], [`hosts/${host}/b c/d.md`, `d ${i}`]]),
  ...below('direct', names.filter((name) => /^[ -~]{1,12}$/.test(name))),
  ['deep/h/' + Array.from({ length: 60 }, (_, i) => `level-${i}`).join('/') + '/end.txt', 'the end'],
  ['deep/h/top.txt', 'the top'], ['deep/h/level-0/one.txt', 'one'],
  ...below('pair/split', ['x-y.txt', 'x-y-z.txt', bytesOf('\u00e9-100%.txt'), 'a b-c?d.txt', 'p-#1.txt', 'caf\xe9-\xff.txt']),
  ...below('pair/whole', ['--.txt', '-x-.txt']), // {a}-{b} requires at least one character on each side
  ...below('pair/explode', ['top.md', 'a/b c.md', 'a/100%/d#e.md', bytesOf('\u00e9/\u4e2d.md'), 'caf\xe9/\xff.md']),
  ['API/v1/Users.json', '{}'], ['x+y-z.1/h/a.txt', 'plus'], ['https/Example.COM/Docs/a b.md', 'https'], ['https/example.org/top', 'top'], ['file/h/etc/passwd', 'not that one'],
  ['links/target/file.txt', 'through a link'], ['links/target/sub/file.txt', 'through two folders'],
]

const unserved = [
  'h/.env', 'h/.git/config', 'h/a~', 'h/.x.swp', 'h/x.swp', 'h/.#lock', 'h/node_modules/x', 'h/...', 'h/..a', 'h/a/.b/c/d.txt', '.host/a.txt',
].map((path) => `config/${path}`).concat(['.scheme/h/a.txt', '1abc/h/a.txt', 'with space/h/a.txt', bytesOf('\u00fcn\u00ef/h/a.txt'), 'under_score/h/a.txt', '%63onfig/h/a.txt', 'loose.txt'])

// [path, target, what it shows: the path of a served file, or nothing]
const links = (project) => [
  ['links/h/inside.txt', '../../config/contents/crlf.txt', 'config/contents/crlf.txt'],
  ['links/h/again.txt', 'inside.txt', 'config/contents/crlf.txt'],
  ['links/h/by name\u0020\xff', '../../config/unicode/caf\xe9.txt', 'config/unicode/caf\xe9.txt'],
  ['links/h/folder', '../target', 'links/target'],
  ['links/h/absolute.txt', `${project}/resources/config/contents/crlf.txt`, 'config/contents/crlf.txt'],
  ['links/h/escapes.txt', '../../../../outside/secret.txt'], ['links/h/escapes', '../../../../outside'], ['links/h/passwd', '/etc/passwd'], ['links/h/etc', '/etc'],
  ['links/h/out-and-in.txt', '../../../../project/resources/config/contents/crlf.txt'],
  ['links/h/loop', 'loop'], ['links/h/ping', 'pong'], ['links/h/pong', 'ping'], ['links/h/self', '.'], ['links/h/parent', '..'], ['links/h/project', '../../..'],
  ['links/h/env.txt', '../../config/h/.env'], ['links/h/project-env.txt', '../../../.env'], ['links/h/git', '../../config/h/.git'], ['links/h/broken', 'nowhere'], ['links/h/fifo', '../../config/h/fifo'],
]

// awkwardTemplates match files of the tree above: [template, the folder whose files it names].
const awkwardTemplates = [
  ['config://ascii/{name}', 'config/ascii'], ['config://unicode/{name}', 'config/unicode'], ['config://contents/{+path}', 'config/contents'], ['folders://ascii/{folder}/{file}', 'folders/ascii'], ['folders://unicode/{folder}/{file}', 'folders/unicode'], ['folders://{+rest}', 'folders'],
  ['hosts://{host}/{+path}', 'hosts'], ['direct://{name}', 'direct'], ['deep://h/{...path}', 'deep/h'], ['pair://split/{a}-{b}.txt', 'pair/split'],
  ['pair://explode{/path*}', 'pair/explode'], ['api://v1/{name}.json', 'API/v1'], ['{scheme}://target/{+path}', 'links/target'],
]

export class Project {
  #parent = mkdtempSync(join(tmpdir(), 'mds-'))
  #open = []
  dir = join(this.#parent, 'project')
  files = new Map() // path → bytes of every file that is served
  unserved = [] // paths of existing files that clients must not see
  templates = [] // [template, folder]

  constructor(templates) {
    this.templates = templates
    mkdirSync(join(this.dir, 'resources'), { recursive: true })
    writeFileSync(join(this.dir, 'mcp-docs-server.json'), JSON.stringify({ name: 'awkward', package: 'awkward', version: '1.0.0' }))
    writeFileSync(join(this.dir, 'resources/templates.json'), JSON.stringify(templates.map(([uriTemplate], i) => ({ uriTemplate, name: `template ${i}` }))))
  }

  // at returns the path of a file on the disk.
  at(path) {
    return Buffer.concat([Buffer.from(join(this.dir, 'resources') + '/'), latin1(path)])
  }

  // tolerate ignores errors of file systems that do not support a name: some allow only UTF-8, or ignore case.
  tolerate(act) {
    try {
      act()
      return true
    } catch (error) {
      if (process.platform === 'linux') throw error
      return false
    }
  }

  write(path, content) {
    const bytes = Buffer.from(content)
    return this.tolerate(() => {
      mkdirSync(this.at(path.slice(0, path.lastIndexOf('/'))), { recursive: true })
      writeFileSync(this.at(path), bytes, { flag: 'wx' })
    }) && bytes
  }

  serve(path, content) {
    const bytes = this.write(path, content)
    if (bytes) this.files.set(path, bytes)
  }

  link(path, target, shows) {
    mkdirSync(this.at(path.slice(0, path.lastIndexOf('/'))), { recursive: true })
    if (!this.tolerate(() => symlinkSync(latin1(target), this.at(path)))) return
    if (!shows) this.unserved.push(path)
    for (const [original, bytes] of [...this.files]) {
      if (original === shows) this.files.set(path, bytes)
      else if (shows && original.startsWith(shows + '/')) this.files.set(path + original.slice(shows.length), bytes)
    }
  }

  async addAwkward() {
    mkdirSync(join(this.#parent, 'outside'))
    writeFileSync(join(this.#parent, 'outside/secret.txt'), 'secret')
    writeFileSync(join(this.dir, '.env'), 'secret')
    for (const [path, content] of served) this.serve(path, content)
    for (const path of unserved) {
      this.write(path, 'secret')
      this.unserved.push(path)
    }
    for (const [path, target, shows] of links(this.dir)) this.link(path, target, shows)
    mkdirSync(join(this.dir, 'docs'))
    writeFileSync(join(this.dir, 'docs/guide.md'), '# Guide\n')
    symlinkSync('../../../docs/guide.md', this.at('links/h/guide.md'))
    this.files.set('links/h/guide.md', Buffer.from('# Guide\n'))
    execFileSync('mkfifo', [this.at('config/h/fifo').toString()])
    const socket = createServer()
    await new Promise((resolve, reject) => socket.on('error', reject).listen(this.at('config/h/socket').toString(), resolve))
    this.#open.push(socket.unref())
    this.unserved.push('config/h/fifo', 'config/h/socket')
    return this
  }

  remove() {
    for (const socket of this.#open) socket.close()
    rmSync(this.#parent, { recursive: true, force: true })
  }
}

// awkward makes a project with all names above.
export const awkward = () => new Project(awkwardTemplates).addAwkward()

// many makes a project with count small files, in folders and with templates of every form.
export function many(count) {
  const short = names.filter((name) => name.length < 40)
  const places = [
    ['config://flat/{name}', 'config/flat', (name, i) => `${name} ${i}`],
    ['config://sub/{folder}/{name}', 'config/sub', (name, i) => `${short[i % 37]}/${i}${name}`],
    ['docs://{+path}', 'docs', (name, i) => `h/${short[i % 11]}/${short[i % 13]}/${i} ${name}`],
    ['tree://h/{...path}', 'tree/h', (name, i) => `${i % 10}/${name}/${i}.md`],
    ['explode://h{/path*}', 'explode/h', (name, i) => `${name}/${i % 7}/${i}`],
    ['pair://h/{a}-{b}.txt', 'pair/h', (name, i) => `${name}-${i}.txt`],
    ['part://h/v{version}/{name}.{type}', 'part/h', (name, i) => `v${i % 20}/${name}${i}.md`],
    ['none://nothing/{x}', 'none/matches', (name, i) => `${i}${name}`],
  ]
  const project = new Project(places.map(([template, folder]) => [template, folder]))
  for (let i = 0; i < count; i++) {
    const [, folder, path] = places[i % places.length]
    project.serve(`${folder}/${path(short[Math.floor(i / places.length) % short.length], i)}`, `file ${i}\n`)
  }
  return project
}

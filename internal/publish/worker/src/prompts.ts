import { bytesIn, jsonOf } from './assets.ts'
import { bytesOf, latin, lengthOf, lowerOf, quoted, shown } from './text.ts'
import { type Context, cursorIn, encode, listTTL, type Reply, stringIn } from './context.ts'
import { isObject, type JsonObject } from './json.ts'
import { invalidParams } from './protocol.ts'
import { contentOf, embeddedType, isPointer, notFetched } from './resources/contents.ts'
import { eachURI } from './resources/list.ts'
import { fileOf, type RecordOf } from './resources/lookup.ts'
import { maxLength, segment } from './uri.ts'

// Prompts, as in internal/library/prompts and prompt.go of internal/mcp/server. The build writes them in prompts.go.

interface List {
  items: JsonObject[]
  assets: { [name: string]: string }
}

interface Argument {
  name: string
  type: 'string' | 'number' | 'boolean'
  required: boolean
  enum?: string[]
  default?: string
}

type Piece = string | number // a text, or the number of an argument

interface Part {
  p: Piece[]
  u?: Piece[] // the target, if the part is a line that is a link
  i?: boolean // the target is an image
}

interface Prompt {
  description: string
  arguments: Argument[]
  parts: Part[]
}

const maxText = 16 << 20
const maxErrors = 10
const maxEmbedded = 1000

const listOf = (context: Context): Promise<List> => jsonOf<List>(context.assets, context.manifest.prompts)

export async function listPrompts(context: Context, params: JsonObject): Promise<Reply> {
  if (cursorIn(params) !== '') throw invalidParams('the cursor is not one of this list')
  return { members: encode({ prompts: (await listOf(context)).items }), ttl: listTTL }
}

async function promptOf(context: Context, name: string): Promise<Prompt> {
  const { assets } = await listOf(context)
  if (Object.hasOwn(assets, name)) return jsonOf<Prompt>(context.assets, assets[name] as string)
  throw invalidParams(`there is no prompt ${shown(name)}`)
}

// getPrompt answers prompts/get: a message of the user for each block.
export async function getPrompt(context: Context, params: JsonObject): Promise<Reply> {
  const name = stringIn(params, 'name')
  const all = params['arguments'] ?? {}
  if (!isObject(all)) throw invalidParams('invalid params: arguments has the wrong type')
  const given = new Map(Object.keys(all).filter((key) => all[key] !== null).map((key) => [key, stringIn(all, key)]))
  const prompt = await promptOf(context, name)
  const values = valuesOf(prompt, given)
  measure(prompt, values)
  const blocks = await render(context, prompt, values)
  const messages = blocks.filter((block) => block !== textBlock('')).map((block) => `{"role":"user","content":${block}}`).join(',')
  const description = prompt.description === '' ? '' : `"description":${JSON.stringify(prompt.description)},`
  return { members: `${description}"messages":[${messages}]` }
}

// quote returns a value for a message, shortened if it is long.
function quote(value: string): string {
  const runes = [...value]
  return quoted(runes.length > 80 ? `${runes.slice(0, 80).join('')}…` : value)
}

// oneOf lists values for a message.
function oneOf(values: readonly string[]): string {
  const most = 20
  const more = values.length > most ? ` and ${values.length - most} more` : ''
  return values.slice(0, most).map(quote).join(', ') + more
}

const isNumber = (s: string): boolean => s !== '' && /^[-+.0-9eE]*$/.test(s) && Number.isFinite(Number(s))

function flaw(a: Argument, value: string): string {
  if (a.type === 'number' && !isNumber(value)) return `is ${quote(value)}, must be a number`
  if (a.type === 'boolean' && value !== 'true' && value !== 'false') return `is ${quote(value)}, must be "true" or "false"`
  if (!a.enum || a.enum.length === 0) return ''
  const lists = a.type === 'number' ? a.enum.some((other) => Number(other) === Number(value)) : a.enum.includes(value)
  return lists ? '' : `is ${quote(value)}, must be one of ${oneOf(a.enum)}`
}

// isBlank reports whether an empty string counts as an argument that is not given.
const isBlank = (a: Argument): boolean =>
  !a.required && (a.type !== 'string' || (a.enum !== undefined && a.enum.length > 0 && !a.enum.includes('')))

// valuesOf returns the values of the arguments, in their order.
function valuesOf(prompt: Prompt, given: Map<string, string>): string[] {
  const errors: string[] = []
  const fail = (name: string, reason: string): void => {
    errors.push(`argument ${quote(name)} ${reason}`)
  }
  const values = prompt.arguments.map((a) => {
    const value = given.get(a.name)
    if (value !== undefined && !(value === '' && isBlank(a))) {
      const wrong = flaw(a, value)
      if (wrong !== '') fail(a.name, wrong)
      return value
    }
    if (a.required) fail(a.name, 'is required')
    return a.required ? '' : (a.default ?? '')
  })
  const names = prompt.arguments.map((a) => a.name)
  const unknown = [...given.keys()].filter((name) => !names.includes(name))
  const known = names.length === 0 ? 'the prompt has no arguments' : `the prompt has ${oneOf(names)}`
  for (const name of unknown.slice(0, maxErrors)) fail(name, `is not known; ${known}`)
  if (errors.length > 0) throw invalidParams(errors.slice(0, maxErrors).join('; '))
  return values
}

// measure refuses a prompt that would be too long.
function measure(prompt: Prompt, values: readonly string[]): void {
  const sizes = values.map(lengthOf)
  const each = values.map(() => 0)
  let total = 0
  const count = (pieces: readonly Piece[], factor: number): void => {
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        total += lengthOf(piece)
        continue
      }
      each[piece] = (each[piece] as number) + factor * (sizes[piece] as number)
      total += factor * (sizes[piece] as number)
    }
  }
  for (const { p, u } of prompt.parts) {
    count(p, 1)
    if (u) count(u, 3) // an encoded byte has three
  }
  if (total <= maxText) return
  const most = prompt.arguments[each.indexOf(Math.max(...each))] as Argument
  throw invalidParams(`argument ${quote(most.name)} makes the prompt longer than ${maxText} bytes`)
}

// isResource reports whether a string can be the URI of a resource of this server.
function isResource(s: string): boolean {
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/[^]/.exec(s)
  if (!found || lengthOf(s) > maxLength || /[\0-\x1f\x7f]/.test(s)) return false
  return !['http', 'https', 'mailto', 'data'].includes((found[1] as string).toLowerCase())
}

// expanded returns the URI of a line. A value is one segment of it, unless it is the whole URI.
function expanded(uri: readonly Piece[], values: readonly string[]): string {
  const [first] = uri
  if (uri.length === 1 && typeof first === 'number') return values[first] as string
  return uri.map((piece) => (typeof piece === 'string' ? piece : segment(bytesOf(values[piece] as string)))).join('')
}

interface Run {
  text: string
  value: boolean // of an argument, which is never trimmed
}

const runsOf = (pieces: readonly Piece[], values: readonly string[]): Run[] =>
  pieces.map((piece) => (typeof piece === 'string' ? { text: piece, value: false } : { text: values[piece] as string, value: true }))

// trimmed returns a text without the author's blank lines at its ends.
function trimmed(all: readonly Run[]): string {
  const runs = all.filter((run) => run.text !== '').map((run) => ({ ...run }))
  for (let first = runs[0]; first && !first.value; first = runs[0]) {
    first.text = first.text.replace(/^(?:[ \t]*\n)+/, '')
    if (first.text !== '') break
    runs.shift()
  }
  for (let last = runs.at(-1); last && !last.value; last = runs.at(-1)) {
    let end = last.text.length
    while (end > 0 && ' \t\n'.includes(last.text[end - 1] as string)) end--
    last.text = last.text.slice(0, end)
    if (last.text !== '') break
    runs.pop()
  }
  return runs.map((run) => run.text).join('')
}

const textBlock = (text: string): string => `{"type":"text","text":${JSON.stringify(text)}}`

// render returns the blocks of a prompt as JSON.
async function render(context: Context, prompt: Prompt, values: readonly string[]): Promise<string[]> {
  const blocks: (string | Promise<string>)[] = []
  let runs: Run[] = []
  const flush = (): void => {
    const text = trimmed(runs)
    if (text !== '') blocks.push(textBlock(text))
    runs = []
  }
  const records = new Map<string, RecordOf | undefined>()
  const room = { left: context.manifest.limits.frame }
  let embeds = 0
  for (const { p, u, i } of prompt.parts) {
    const uri = u && expanded(u, values)
    if (uri !== undefined && isResource(uri) && embeds < maxEmbedded) {
      if (!records.has(uri)) records.set(uri, await fileOf(context, bytesOf(uri)))
      const record = records.get(uri)
      if (record) {
        embeds++
        flush()
        const line = runsOf(p, values).map((run) => run.text).join('')
        blocks.push(await embedded(context, record, line.replace(/[ \t]+$/, ''), i === true, room))
        continue
      }
    }
    runs.push(...runsOf(p, values))
  }
  flush()
  return blocks.length === 0 ? [textBlock('')] : Promise.all(blocks)
}

// embedded returns a resource as a block. If the resource cannot be read or is too large, it returns the line that names it.
async function embedded(context: Context, record: RecordOf, line: string, image: boolean, room: { left: number }): Promise<string> {
  const [uri, mime, form, asset] = record
  if (form === 'e' || typeof asset !== 'string') return textBlock(line)
  const data = await bytesIn(context.assets, asset)
  if (data.length > room.left || data.length === 0) return textBlock(line) // clients refuse empty texts
  if (data.length < 1024 && isPointer(latin(data))) return textBlock(`${line} (${notFetched})`)
  room.left -= data.length
  const content = await contentOf(context, [uri, embeddedType(mime, form), form, asset], '')
  if (!image || form !== 'i') return `{"type":"resource","resource":${content}}`
  const { blob } = JSON.parse(content) as { blob: string }
  return `{"type":"image","mimeType":${JSON.stringify(mime)},"data":"${blob}"}`
}

// completePrompt completes an argument of a prompt from its enumeration, or from the URIs of resources. It may return some values more
// than most.
export async function completePrompt(context: Context, name: string, argument: string, prefix: string, most: number): Promise<string[]> {
  const prompt = await promptOf(context, name)
  const completed = prompt.arguments.find((a) => a.name === argument)
  if (completed) {
    const all = completed.type === 'boolean' ? ['true', 'false'] : (completed.enum ?? [])
    const low = lowerOf(prefix)
    if (all.length > 0) return all.filter((value) => lowerOf(value).startsWith(low))
  }
  const values: string[] = []
  if (!prefix.includes('://')) return values
  for await (const uri of eachURI(context)) {
    if (uri.startsWith(prefix)) values.push(uri)
    if (values.length > most) break
  }
  return values
}

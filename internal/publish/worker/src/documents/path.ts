import { decode } from '../uri.ts'
import { oneLine, trim } from './excerpt.ts'
import { composed, lower } from '../text.ts'

// Paths as clients spell them, as in path.go of internal/library/docs. All strings are bytes.

export const maxPath = 4096

export const extensions = ['.md', '.mdx']

// cutExtension returns the name of a document without its extension, and whether the name has such an extension.
export function cutExtension(name: string): [name: string, isDocument: boolean] {
  const found = /^([\s\S]+)\.mdx?$/i.exec(name)
  return found ? [found[1] as string, true] : [name, false]
}

// cleaned returns path.Clean of the path with a leading slash, without that slash.
function cleaned(path: string): string {
  const out: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') out.pop()
    else if (part !== '' && part !== '.') out.push(part)
  }
  return out.join('/')
}

// clean removes the redundant parts of a path.
export const clean = (path: string): string => cleaned(trim(path.replaceAll('\\', '/')))

// prefixesOf returns the names of the folder of documents with which a path may begin.
export const prefixesOf = (dir: string): string[] => [dir, dir.slice(dir.lastIndexOf('/') + 1), 'docs']

// readable returns a path as answers write it: as it is, or with escapes if it is not one line of text.
export function readable(path: string): string {
  if (oneLine(path) === path) return path
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}

// traverses reports whether a segment of the path is "..".
export const traverses = (path: string): boolean => path.split(/[/\\#]/).some((segment) => trim(segment) === '..')

// spellings returns the possible meanings of a path: the path itself, and the path decoded up to three times.
export function spellings(asked: string): string[] {
  const all = [asked]
  for (let i = 0; i < 3; i++) {
    const last = all.at(-1) as string
    if (/%(?![0-9A-Fa-f]{2})/.test(last)) break // an escape is wrong
    const decoded = last.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
    if (decoded === last) break
    all.push(decoded)
  }
  return all
}

// documentName matches the extensions of documents and of their pages.
export const documentName = /^\.(?:mdx?|markdown|mkd|mdoc|qmd|rmd|rst|rest|adoc|asciidoc|asc|ipynb|org|txt|html?)$/i

const maxEnd = 8 // parts of a path that are compared
const maxLink = 2 << 10

// linkOf returns the parts of the path of a link or URL as clients send it, and the heading that it names, as Seek of internal/library/site.
export function linkOf(asked: string): { parts: string[]; section: string } | undefined {
  let link = trim(asked).replaceAll('\\', '/').replace(/^[<>]+|[<>]+$/g, '')
  if (link.length > maxLink) return undefined
  const wiki = /^!?\[\[([^|]*)/.exec(link)
  if (wiki) link = (wiki[1] as string).replace(/\]\]$/, '')
  const url = /^(?:([A-Za-z][\w+.-]*):|(?=\/\/))(?:\/\/[^/?#]*)?/.exec(link)
  const web = url !== null && /^(?:https?)?$/i.test(url[1] ?? '')
  if (url && !web) return undefined
  link = link.slice(url?.[0].length ?? 0).replace(/^\/?#\//, '/').replace(/^(?:@site|@|~)\//, '/')
  const [path = '', ...ids] = link.split('#')
  const parts = clean(unescaped(wiki ? path : path.replace(/\?[^]*$/, ''))).split('/').filter((part) => part !== '')
  return url && parts.length < 2 ? undefined : { parts: parts.slice(-maxEnd), section: unescaped(ids.join('#')) }
}

const unescaped = (path: string): string => (/%(?![0-9A-Fa-f]{2})/.test(path) ? path : decode(path))

// endKey returns the last parts of a path as ends compare them, the last part first, as in ends.go of internal/library/site.
export function endKey(name: string, cut: boolean): string {
  const parts = name.split('/').reverse().map((part) => lower(composed(part)).replaceAll(' ', '-'))
  const [last = ''] = parts
  const dot = last.lastIndexOf('.')
  const base = dot > 0 && dot < last.length - 1 ? last.slice(0, dot) : last
  const indexed = parts.length > 1 && ['index', 'readme', '_index'].includes(base)
  if (indexed) parts.shift()
  else if (cut) parts[0] = base
  return parts.slice(0, indexed ? maxEnd - 1 : maxEnd).map((part, i) => (i > 0 || indexed || base === last ? part.replace(/^_/, '') : part)).map((part) => part.replace(/^\d{1,3}[-_.]+(?=[^-_.\d])/, '')).join('\0')
}

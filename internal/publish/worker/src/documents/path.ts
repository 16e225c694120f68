import { oneLine, trim } from './excerpt.ts'

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

// Escapes that traverses decodes, also overlong ones, which some decoders accept.
const dots: { [code: string]: string } = { '%2e': '.', '%2f': '/', '%5c': '/', '%25': '%', '%c0%ae': '.', '%c0%af': '/' }
const dot = /%2[eEfF]|%5[cC]|%25|%c0%a[ef]|%C0%A[EF]/g

// readable returns a path as answers write it: as it is, or with escapes if it is not one line of text.
export function readable(path: string): string {
  if (oneLine(path) === path) return path
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}

// traverses reports whether a segment of the path is "..".
export function traverses(path: string): boolean {
  for (const part of path.split(/[/\\]/)) {
    let segment = trim(part.replaceAll('\0', ''))
    for (let i = 0; i < 3; i++) {
      if (segment === '..') return true
      segment = segment.replace(dot, (code) => dots[code.toLowerCase()] as string)
    }
    if (segment.startsWith('../') || segment.endsWith('/..') || segment.includes('/../')) return true
  }
  return false
}

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

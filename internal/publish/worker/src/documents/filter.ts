import { bytesOf, lower, lowerOf, textOf } from '../text.ts'
import { type Glob, GlobError, parseGlob } from '../glob.ts'
import { ellipsis, firstField, oneLine, trim, trimLeft } from './excerpt.ts'
import type { Found, Tree } from './index.ts'
import type { Library } from './library.ts'
import { clean, cutExtension, prefixesOf } from './path.ts'

// Path filters of a query, as in filter.go of internal/library/docs.

export const maxPaths = 100
export const maxPatterns = 64
export const maxShown = 256

// shown returns a client's text for an answer, shortened if it is long.
export const shown = (s: string): string => ellipsis(s, maxShown)

// A Part of a filter is a path or pattern. It selects nothing if it has neither paths nor globs.
interface Part {
  asked: string
  found: boolean // a document or folder has this path
  paths: string[]
  globs: Glob[]
}

// A Filter selects documents by their paths in lower case.
export class Filter {
  readonly parts: Part[] = []
  left = 0 // parts that are left out, because there are too many
  #patterns = 0
  readonly #chosen = new Map<string, boolean>()
  readonly languages: string[] = []
  readonly versions: string[] = []

  // add adds the path of a folder or document, or a pattern. It returns what is wrong with a pattern, or ''.
  async add(library: Library, asked: string): Promise<string> {
    if (this.parts.length === maxPaths) return this.#leave('')
    const { invalid, file, folder } = await library.find(asked)
    const part: Part = { asked, found: file?.isDocument ?? folder !== undefined, paths: [], globs: [] }
    const lowered = (path: string): string => bytesOf(lowerOf(textOf(path).normalize('NFC')))
    const value = lowered(clean(asked))
    const readings = invalid ? [] : [value]
    if (file || folder !== undefined) part.paths.push(...readings.splice(0).map(() => lowered(file?.path ?? (folder as string).replace(/\/$/, ''))))
    for (const prefix of readings.length > 0 ? prefixesOf(library.dir) : []) {
      const below = `${lower(prefix)}/`
      if (`${value}/`.startsWith(below)) readings.push(`${value}/`.slice(below.length).replace(/\/$/, ''))
    }
    let problem = ''
    try {
      for (const reading of readings) {
        if (!/[*?[{]/.test(reading)) part.paths.push(reading)
        else part.globs.push(parseGlob(reading.includes('/') ? reading : `**/${reading}`))
      }
    } catch (error) {
      if (!(error instanceof GlobError)) throw error
      problem = error.message
    }
    for (const glob of part.globs) this.#patterns += glob.patterns
    if (this.#patterns > maxPatterns && part.globs.length > 0) return this.#leave(problem)
    this.parts.push(part)
    return problem
  }

  #leave(problem: string): string {
    this.left++
    return problem
  }

  // addTree adds a word such as language:fr or version:2.0.
  addTree(word: string): void {
    const colon = word.indexOf(':')
    const list = word.startsWith('language') ? this.languages : this.versions
    list.push(lower(word.slice(colon + 1).replace(/^"+|"+$/g, '')))
  }

  // selectsTree reports whether documents of a language and version are found. undefined: the document is not of a site.
  selectsTree(tree: Tree | undefined): boolean {
    const { languages, versions } = this
    if (!tree) return languages.length === 0 && versions.length === 0
    if (languages.length > 0 && !languages.includes(tree.language)) return false
    if (versions.length > 0 && !versions.includes(tree.version)) return false
    if (this.parts.length > 0 || !tree.other) return true
    return (languages.length > 0 || tree.ofLanguage) && (versions.length > 0 || tree.ofVersion)
  }

  selects(path: string): boolean {
    if (this.parts.length === 0 && this.languages.length + this.versions.length > 0) return true
    let chosen = this.#chosen.get(path)
    if (chosen === undefined) this.#chosen.set(path, (chosen = this.parts.some((part) => matches(part, path))))
    return chosen
  }
}

// matches reports whether a part of a filter selects a document.
export function matches({ paths, globs }: Part, path: string): boolean {
  const name = cutExtension(path)[0]
  return paths.some((p) => p === '' || path === p || path.startsWith(`${p}/`) || name === p) || globs.some((glob) => glob(path))
}

// selects reports whether a query finds a document.
export function selects(only: Filter | undefined, { lower: path, tree }: Found, trees: readonly Tree[]): boolean {
  if (only) return only.selectsTree(trees[tree]) && only.selects(path)
  return trees[tree]?.other !== true
}

// A Filtered is a query without its path filters.
export interface Filtered {
  words: string
  only?: Filter
  error?: string
}

// filtered splits a query into its words and its path filters.
export async function filtered(library: Library, query: string): Promise<Filtered> {
  let rest = ''
  const out: Filtered = { words: '' }
  for (let q = query; q !== ''; ) {
    q = trimLeft(q)
    let value = firstField(q)
    const end = value.length
    if (library.contents.sites && /^(language|version):[^]/.test(value)) {
      out.only ??= new Filter()
      out.only.addTree(value)
      q = q.slice(end)
      continue
    }
    if (!value.startsWith('path:') || value === 'path:') {
      rest += `${value} `
      q = q.slice(end)
      continue
    }
    value = value.slice('path:'.length)
    const inner = q.slice('path:'.length + 1)
    const close = inner.indexOf('"')
    if (value[0] === '"' && close >= 0) {
      value = inner.slice(0, close)
      q = inner.slice(close + 1)
    } else q = q.slice(end)
    out.only ??= new Filter()
    const error = await out.only.add(library, value)
    if (error !== '') out.error ??= `path:${shown(oneLine(value))}: ${error}`
  }
  out.words = trim(rest)
  return out
}

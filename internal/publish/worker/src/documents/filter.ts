import { lowerOf } from '../characters.ts'
import { type Glob, GlobError, parseGlob } from '../glob.ts'
import { bytesOf } from '../text.ts'
import { ellipsis, firstField, oneLine, trim, trimLeft } from './excerpt.ts'
import type { Found, Tree } from './index.ts'
import { clean, cutExtension } from './path.ts'
import { lower, textOf } from './text.ts'

// Path filters of a query, as in filter.go of internal/library/docs.

const maxFilters = 8
export const maxShown = 256

// shown returns a client's text for an answer, shortened if it is long.
export const shown = (s: string): string => ellipsis(s, maxShown)

// prefixesOf returns the names of the folder of documents with which a path may begin.
export const prefixesOf = (dir: string): string[] => [dir, dir.slice(dir.lastIndexOf('/') + 1), 'docs']

// A Filter selects documents by their paths in lower case.
export class Filter {
  readonly paths: string[] = []
  readonly #globs: Glob[] = []
  readonly #languages: string[] = []
  readonly #versions: string[] = []

  // add adds the path of a folder or document, or a pattern. The path may start with one of the prefixes.
  // It returns what is wrong with a pattern, or ''.
  add(given: string, prefixes: readonly string[]): string {
    const value = bytesOf(lowerOf(textOf(clean(given)).normalize('NFC')))
    const readings = [value]
    for (const prefix of prefixes) {
      const below = `${lower(prefix)}/`
      if (`${value}/`.startsWith(below)) readings.push(`${value}/`.slice(below.length).replace(/\/$/, ''))
    }
    try {
      for (const reading of readings) {
        if (!/[*?[{]/.test(reading)) this.paths.push(reading)
        else this.#globs.push(parseGlob(reading.includes('/') ? reading : `**/${reading}`))
      }
    } catch (error) {
      if (error instanceof GlobError) return error.message
      throw error
    }
    return ''
  }

  // addTree adds a word such as language:fr or version:2.0.
  addTree(word: string): void {
    const colon = word.indexOf(':')
    const list = word.startsWith('language') ? this.#languages : this.#versions
    list.push(lower(word.slice(colon + 1).replace(/^"+|"+$/g, '')))
  }

  // selectsTree reports whether documents of a language and version are found. undefined: the document is not of a site.
  selectsTree(tree: Tree | undefined): boolean {
    const [languages, versions] = [this.#languages, this.#versions]
    if (!tree) return languages.length === 0 && versions.length === 0
    if (languages.length > 0 && !languages.includes(tree.language)) return false
    if (versions.length > 0 && !versions.includes(tree.version)) return false
    if (this.paths.length + this.#globs.length > 0 || !tree.other) return true
    return (languages.length > 0 || tree.ofLanguage) && (versions.length > 0 || tree.ofVersion)
  }

  selects(path: string): boolean {
    if (this.paths.length + this.#globs.length === 0 && this.#languages.length + this.#versions.length > 0) return true
    for (const p of this.paths) {
      if (path.startsWith(p)) {
        const below = path.slice(p.length)
        if (p === '' || below === '' || below[0] === '/') return true
      }
      if (cutExtension(path)[0] === p) return true
    }
    return this.#globs.some((glob) => glob(path))
  }
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
export function filtered(query: string, prefixes: readonly string[], sites: boolean): Filtered {
  let rest = ''
  let number = 0
  const out: Filtered = { words: '' }
  for (let q = query; q !== ''; ) {
    q = trimLeft(q)
    let value = firstField(q)
    const end = value.length
    if (sites && /^(language|version):[^]/.test(value)) {
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
    if (++number > maxFilters) continue
    const error = out.only.add(value, prefixes)
    if (error !== '') out.error ??= `path:${shown(oneLine(value))}: ${error}`
  }
  out.words = trim(rest)
  return out
}

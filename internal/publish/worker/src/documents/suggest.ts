import { bytesOf } from '../text.ts'
import { cut, trim } from './excerpt.ts'
import { Index } from './index.ts'
import { Budget } from './kept.ts'
import type { Library } from './library.ts'
import { maxTerms } from './query.ts'
import { clean, cutExtension, maxPath, readable } from './path.ts'
import { rank, type Scored } from './rank.ts'
import { maxQuery, termsOf } from './wording.ts'

// Suggestions for paths that do not exist, as in path.go of internal/library/docs. All strings are bytes.

export const maxSuggestions = 10
const maxNear = 5

// joined returns some names as a list.
export function joined(names: readonly string[]): string {
  const more = names.length - maxSuggestions
  return [...names.slice(0, maxSuggestions), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

// baseOf returns the last part of a path that a client asked for, without an extension.
export const baseOf = (asked: string): string => cutExtension(clean(cut(asked, maxPath)).replace(/^[^]*\//, ''))[0]

// near names documents and folders for filters that select nothing.
export async function near(library: Library, asked: readonly string[]): Promise<string> {
  const names = asked.filter((path) => !/^(language|version):/.test(path)).map(baseOf)
  const paths = await suggest(library, names.join(' '))
  return (paths.length > 0 ? ` Similar: ${paths.slice(0, maxNear).join(', ')}.` : '') + bytesOf(library.contents.near)
}

// suggest returns up to ten documents that have some words.
export async function suggest(library: Library, given: string): Promise<string[]> {
  const words = trim(cut(given, maxQuery))
  if (words === '' || library.contents.documents === 0) return []
  const x = new Index(await library.head(false), new Budget(library.assets))
  const paths: string[] = []
  for (const [first] of await rank(x, await termsOf(x, { text: words, phrases: [], signed: [], most: maxTerms }, false, []), 2 * maxSuggestions, 1)) {
    const found = await x.document(await x.documentOf((first as Scored).passage))
    if (found.uri === '' && paths.length < maxSuggestions) paths.push(readable(found.path))
  }
  return paths
}

import { cut, trim } from './excerpt.ts'
import { Index, maxReads } from './index.ts'
import { Budget } from './kept.ts'
import type { Library } from './library.ts'
import { maxTerms, parse } from './query.ts'
import { readable } from './path.ts'
import type { Scored } from './rank.ts'
import { textOf } from './text.ts'
import { best, maxQuery } from './wording.ts'

// Suggestions for paths that do not exist, as in suggest.go of internal/library/docs. All strings are bytes.

export const maxSuggestions = 10

// suggest returns up to ten documents that have some words.
export async function suggest(library: Library, given: string): Promise<string[]> {
  const words = trim(cut(given, maxQuery))
  if (words === '' || library.contents.documents === 0) return []
  const x = new Index(await library.head(false), new Budget(library.assets, maxReads))
  const paths: string[] = []
  for (const [first] of await best(x, await parse(x, textOf(words), maxTerms), 2 * maxSuggestions, 1)) {
    const found = await x.document(await x.documentOf((first as Scored).passage))
    if (found.uri === '' && paths.length < maxSuggestions) paths.push(readable(found.path))
  }
  return paths
}

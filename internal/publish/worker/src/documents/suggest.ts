import { lowerOf } from '../characters.ts'
import { bytesOf, runeAt } from '../text.ts'
import { cut, fields } from './excerpt.ts'
import { Index, maxReads } from './index.ts'
import { Budget } from './kept.ts'
import type { Library, Target } from './library.ts'
import { clean, cutExtension, maxPath } from './path.ts'
import { maxTerms, parse } from './query.ts'
import type { Scored } from './rank.ts'
import { textOf } from './text.ts'
import { isCapital, isInWord, maxWord } from './word.ts'
import { best } from './wording.ts'

// Suggestions for paths that do not exist, as in suggest.go of internal/library/docs. All strings are bytes.

export const maxSuggestions = 10
const maxKeywords = 16
const maxKeywordBytes = 4 << 10

const lower = (bytes: string): string => bytesOf(lowerOf(textOf(bytes)))

// keywordsOf splits the client's keywords at white space.
export function keywordsOf(items: readonly string[]): string[] {
  const words: string[] = []
  let left = maxKeywordBytes
  for (const item of items) {
    for (const field of fields(cut(item, left))) {
      const word = lower(field)
      if (word.length <= maxWord && !words.includes(word)) words.push(word)
      if (words.length === maxKeywords) return words
    }
    left -= item.length
    if (left <= 0) break
  }
  return words
}

// pathWords returns the words of the last part of a path.
function pathWords(path: string): string[] {
  const cleaned = clean(cut(path, maxPath))
  const [name] = cutExtension(cleaned.slice(cleaned.lastIndexOf('/') + 1) || '.')
  const out: string[] = []
  const add = (part: string): void => {
    const word = lower(part)
    if ([...textOf(word)].length >= 3 && word.length <= maxWord && out.length < maxKeywords && !out.includes(word)) out.push(word)
  }
  let start = 0
  for (let i = 0; i < name.length; ) {
    const [r, size] = runeAt(name, i)
    if (isCapital(r)) {
      add(name.slice(start, i))
      start = i
    } else if (!isInWord(r)) {
      add(name.slice(start, i))
      start = i + size
    }
    i += size
  }
  add(name.slice(start))
  return out
}

const isSeparator = (c: string | undefined): boolean => c !== undefined && '/-_. '.includes(c)

// byPath returns the paths of documents that contain most of the words, best first.
async function byPath(library: Library, words: readonly string[]): Promise<string[]> {
  const found: { path: string; score: number }[] = []
  await library.all((file) => {
    if (!file.isDocument) return
    let score = 0
    for (const word of words) {
      const index = file.lower.lastIndexOf(word)
      if (index < 0) continue
      score += 2
      if (index >= file.lower.lastIndexOf('/') + 1) score++
      const end = index + word.length
      if ((index === 0 || isSeparator(file.lower[index - 1])) && (end === file.lower.length || isSeparator(file.lower[end]))) score++
    }
    if (score > 0) found.push({ path: file.path, score })
  })
  found.sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
  return found.map((f) => f.path)
}

// suggest returns up to ten paths for a path and the keywords of a request.
export async function suggest(library: Library, asked: string, keywords: readonly string[], target: Target): Promise<string[]> {
  const { folder } = target
  const words = folder !== undefined && keywords.length > 0 ? [] : pathWords(asked)
  for (const word of keywords) if (!words.includes(word)) words.push(word)
  if (words.length === 0) return []
  const paths: string[] = []
  const add = (path: string): void => {
    if (folder !== undefined) {
      const dir = path.slice(0, path.lastIndexOf('/') + 1)
      if (dir === folder || (keywords.length === 0 && dir.startsWith(folder))) return
    }
    if (paths.length < maxSuggestions && !paths.includes(path)) paths.push(path)
  }
  for (const path of await byPath(library, words.slice(0, maxKeywords))) {
    if (paths.length === maxSuggestions) return paths
    add(path)
  }
  if (library.contents.documents === 0) return []
  const x = new Index(await library.head(false), new Budget(library.assets, maxReads))
  const terms = await parse(x, textOf(words.join(' ')), maxTerms)
  for (const [first] of await best(x, terms, 2 * maxSuggestions, 1)) {
    const found = await x.document(await x.documentOf((first as Scored).passage))
    if (found.uri === '') add(found.path)
  }
  return paths
}

import { countOf } from './excerpt.ts'
import type { Filter, Filtered } from './filter.ts'
import { type Found, Index, maxReads } from './index.ts'
import { Budget } from './kept.ts'
import type { Library } from './library.ts'
import { parse, type Term } from './query.ts'
import { rank, type Scored } from './rank.ts'
import { codeAfter, frontMatter, matchesOf, snippetOf } from './snippet.ts'
import { textOf } from './text.ts'

// Search, as in search.go of internal/library/docs. All strings are bytes.

export const maxHits = 100
const hitsPerFile = 3

// The number of assets that are reserved for the texts of hits and their documents.
const forHits = 14

// A Hit is a passage that matches a query.
export interface Hit {
  document: Found
  heading: string
  line: number
  snippet: string
  code: number // the number of backticks that began the code in which the snippet begins, or 0
  matches: [number, number][]
}

export interface Hits {
  hits: Hit[]
  more: boolean // there are more hits, whose assets would exceed the budget
}

// bestOf returns at most limit passages, best first, with the index that has them.
async function bestOf(library: Library, { words, only }: Filtered, limit: number): Promise<{ x: Index; terms: Term[]; best: Scored[] }> {
  const x = new Index(await library.head(only !== undefined), new Budget(library.assets, maxReads))
  if (x.head.passages === 0 || limit <= 0) return { x, terms: [], best: [] }
  const terms = await parse(x, textOf(words))
  if (terms.length === 0) return { x, terms, best: [] }
  return { x, terms, best: await ranked(x, terms, Math.min(limit, maxHits), hitsPerFile, only) }
}

// foundBy returns the documents of the best passages, best first.
export async function foundBy(library: Library, query: string, limit: number): Promise<Found[]> {
  const { x, best } = await bestOf(library, library.filtered(query), limit)
  const out: Found[] = []
  for (const { passage } of best) out.push(await x.document(await x.documentOf(passage)))
  return out
}

// search skips some passages and returns at most limit passages, best first, with their snippets.
export async function search(library: Library, query: Filtered, skip: number, limit: number): Promise<Hits> {
  const { x, terms, best } = await bestOf(library, query, skip + limit + 1)
  const stems = new Map<string, boolean>()
  for (const t of terms) {
    for (const [k, number] of t.from.entries()) {
      const stem = await x.term(number)
      stems.set(stem, stems.get(stem) === true || t.share[k] === 1)
    }
  }
  const hits: Hit[] = []
  for (const { passage } of best.slice(skip, skip + limit)) {
    const number = await x.documentOf(passage)
    const needed = [x.textPath(passage), x.documentPath(number)].filter((path) => !x.budget.has(path))
    if (needed.length > x.budget.left) return { hits, more: true }
    const [document, { heading, line, lines, code, text }] = await Promise.all([x.document(number), x.passage(passage)])
    const found = snippetOf(text, line === 1 ? frontMatter(text) : 0, stems)
    const { snippet, before } = found
    const ends = countOf(before, '\n')
    hits.push({ document, heading, line: lines[ends] ?? line + ends, snippet, code: codeAfter(before, code), matches: matchesOf(snippet, stems) })
  }
  return { hits, more: best.length > skip + limit }
}

// ranked is rank within the budget of assets. For a query with very many words, it leaves out the least specific words.
export async function ranked(x: Index, terms: Term[], limit: number, perDocument: number, only?: Filter): Promise<Scored[]> {
  const costs: { term: Term; number: number; worth: number; paths: string[] }[] = []
  for (const term of terms) {
    for (const [k, number] of term.from.entries()) {
      costs.push({ term, number, worth: (term.share[k] as number) * term.idf, paths: await x.pathsOf(number) })
    }
  }
  costs.sort((a, b) => b.worth - a.worth || a.number - b.number)
  let room = x.budget.left - x.head.tables.length - Math.min(forHits, x.budget.left)
  room = Math.max(room, 4)
  const paths = new Set<string>()
  for (const { term, number, paths: needed } of costs) {
    const fresh = needed.filter((path) => !paths.has(path))
    if (fresh.length <= room) {
      room -= fresh.length
      for (const path of fresh) paths.add(path)
      continue
    }
    const index = term.from.indexOf(number)
    term.from.splice(index, 1)
    term.share.splice(index, 1)
  }
  await Promise.all([...paths].map((path) => x.budget.read(path, 1, (data) => data)))
  return rank(x, terms, limit, perDocument, only)
}

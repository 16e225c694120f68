import { type Filter, matches } from './filter.ts'
import { documentsOf, forHits, type Found, Index } from './index.ts'
import { bytesOf, textOf } from '../text.ts'
import { Budget } from './kept.ts'
import { sectionOf } from './lead.ts'
import type { Library } from './library.ts'
import type { Term } from './query.ts'
import { type Part, partOf } from './snippet.ts'
import { folded, look, merged, type Page, spelled, termsOf, type Wordings, wordingsOf } from './wording.ts'
import { spaceless } from './word.ts'

// Search, as in search.go of internal/library/docs. All strings are bytes.

export const maxHits = 100
const weakScore = 1.5 // what the first page must be worth in its two best wordings
const ownWorth = 4 // of a word of the wording that found a page, when a snippet is chosen, times its rarity

const f = Math.fround

// A Hit is a page that matches a query, with its passages, best first.
export interface Hit {
  document: Found
  passages: Part[]
}

export interface Results {
  hits: Hit[]
  more: boolean // there are more hits, or hits whose assets would exceed the budget
  missing: { word: string; instead: string[] }[] // words that no document has
  absent: boolean // no document has any word
  weak: boolean // the best hit is perhaps about something else
  dropped: string[] // words that were not searched: there are too many
  unmatched: string[] // parts of the filter that select no document
  nothing: boolean // the filter selects no document
}

// pagesOf returns the pages for a query, best first, and the terms of each of its wordings.
async function pagesOf(library: Library, { all, only }: Wordings): Promise<{ x: Index; pages: Page[]; terms: Term[][]; dropped: string[] }> {
  const x = new Index(await library.head(only !== undefined), new Budget(library.assets))
  const lists: Page[][] = []
  const terms: Term[][] = []
  const dropped: string[] = []
  for (const wording of all) terms.push(await termsOf(x, wording, all.length === 1, dropped))
  for (const [i, wording] of all.entries()) lists.push(await look(x, wording, i, terms[i] as Term[], all.length === 1, only))
  return { x, pages: lists.length > 0 ? merged(lists) : [], terms, dropped }
}

// foundBy returns the documents that a query finds, best first.
export async function foundBy(library: Library, query: string, limit: number): Promise<Found[]> {
  const { x, pages } = await pagesOf(library, await wordingsOf(library, { words: query, alternatives: [], paths: [] }))
  const out: Found[] = []
  for (const { document } of pages.slice(0, limit)) out.push(await x.document(document))
  return out
}

// search skips some pages and returns at most limit pages, best first, with their passages. In a brief answer,
// the first page has its section.
export async function search(library: Library, query: Wordings, skip: number, limit: number, brief: boolean): Promise<Results> {
  const { x, pages, terms, dropped } = await pagesOf(library, query)
  const out: Results = { hits: [], more: pages.length > skip + limit, missing: [], absent: false, weak: false, dropped, unmatched: [], nothing: false }
  if (terms.length === 0) return out
  if (query.only) await check(x, query.only, out, pages.length > 0 ? forHits : 0)
  for (const page of pages.slice(skip, skip + limit)) {
    const hit = await hitOf(x, page, terms.at(-1) as Term[]) // the last wording has all words
    if (!hit) {
      out.more = true
      break
    }
    out.hits.push(hit)
  }
  const [first] = pages
  const [hit] = out.hits
  if (brief && first && hit) hit.passages[0] = await sectionOf(x, first, hit.passages[0] as Part)
  await judge(x, out, terms.slice(0, Math.max(1, terms.length - 1)).flat()) // without the wording of all words
  out.weak = first !== undefined && first.sure < weakScore
  return out
}

// check sets which parts of a filter select no document, as far as the budget of assets goes without others.
async function check(x: Index, { parts, languages, versions }: Filter, out: Results, others: number): Promise<void> {
  let left = parts.filter(({ found }) => !found)
  for (const { path } of x.head.documents) {
    if (left.length === 0) break
    const documents = x.affords([path], others) ? await x.budget.read(path, 4, documentsOf) : undefined
    left = left.filter((part) => documents?.some((d) => matches(part, d.lower)) === false)
  }
  out.nothing = left.length > 0 && left.length === parts.length
  out.unmatched = left.map(({ asked }) => asked)
  for (const [key, asked] of [['language', languages], ['version', versions]] as const) {
    const unknown = asked.filter((value) => !x.head.trees.some((tree) => tree[key] === value))
    out.unmatched.push(...unknown.map((value) => `${key}:${value}`))
    out.nothing ||= unknown.length > 0 && unknown.length === asked.length
  }
}

// hitOf returns a page with its passages, or nothing if the budget of assets is used up.
async function hitOf(x: Index, { document: number, ranked, terms }: Page, all: readonly Term[]): Promise<Hit | undefined> {
  const stems = new Map<string, number>()
  for (const t of [...all, ...terms]) {
    for (const [k, number] of t.from.entries()) {
      const [stem, worth] = [await x.term(number), terms.includes(t) && t.share[k] === 1 ? ownWorth : 1]
      stems.set(stem, Math.max(stems.get(stem) ?? 1, 1 + Math.trunc(f(worth * (await x.idf([number]))))))
    }
  }
  const phrases = terms.filter((t) => t.passages.length > 0).map((t) => bytesOf(folded(textOf(t.word))))
  const passages: Part[] = []
  for (const { passage } of ranked) {
    if (!x.affords([x.textPath(passage), x.documentPath(number)], 0)) break
    const part = partOf(await x.passage(passage), stems, phrases)
    if (!passages.some(({ line }) => line === part.line)) passages.push(part) // of an included file
  }
  return passages.length > 0 ? { document: await x.document(number), passages } : undefined
}

// camel finds identifiers such as useFetch: their parts alone say nothing about whether they are there.
const camel = /^[^"]*[a-z][A-Z]/

// uncovered returns the parts of a text without spaces between words whose characters are in no pair that a document has. pairs says of the
// pairs that were looked up whether a document has them.
function uncovered(text: string, pairs: ReadonlyMap<string, boolean>): string[] {
  const runes = [...textOf(text)]
  const has = (at: number): boolean => {
    if (at < 0 || at + 2 > runes.length) return false
    const pair = runes.slice(at, at + 2)
    return pairs.get(bytesOf(pair.join(''))) ?? pair.every((r) => spaceless(r.codePointAt(0) as number))
  }
  const rest = runes.map((r, i) => (has(i - 1) || has(i) || !/[\p{Script=Han}\p{Script=Katakana}ー]/u.test(r) ? ' ' : r)) // in other scripts, endings have such characters
  return rest.join('').split(' ').filter((part) => [...part].length > 1).map(bytesOf)
}

// judge sets which words no document has.
async function judge(x: Index, out: Results, terms: readonly Term[]): Promise<void> {
  const said = [...new Set(terms.map((t) => t.said).filter((word) => word !== ''))]
  const missing = said.filter((word) => !terms.some((t) => t.said === word && !t.replaced && (t.whole || !camel.test(word))))
  out.absent = said.length > 0 && missing.length === said.length
  const pairs = new Map<string, boolean>()
  for (const t of terms) pairs.set(t.word, pairs.get(t.word) === true || !t.replaced)
  for (const word of said) {
    if (!missing.includes(word)) {
      out.missing.push(...uncovered(word, pairs).map((part) => ({ word: part, instead: [] })))
      continue
    }
    const instead = new Set<string>()
    for (const number of terms.filter((t) => t.said === word).flatMap((t) => t.from)) instead.add(await spelled(x, number))
    out.missing.push({ word, instead: [...instead].filter((spelling) => spelling !== '') })
  }
}

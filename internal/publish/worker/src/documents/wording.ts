import { bytesOf, lower, lowerOf, textOf } from '../text.ts'
import { cut, oneLine } from './excerpt.ts'
import { Filter, filtered, selects } from './filter.ts'
import { forHits, type Index } from './index.ts'
import type { Library } from './library.ts'
import { broaden, maxJoined, maxTerms, parse, type Term } from './query.ts'
import { rank, type Scored } from './rank.ts'
import { stem } from './stem.ts'
import { stopWords } from '../tables/words.ts'
import { spaceless, words } from './word.ts'

// Several wordings of a query, as in wording.go of internal/library/docs. All strings are bytes, except for phrases.

export const maxAlternatives = 5
const maxRanked = 100
const mergedAfter = 3
export const maxQuery = 4 << 10
const maxVerified = 2000

// maxStopped is how many documents are read to find a phrase of stop words.
const maxStopped = 200
const maxWritten = 32
const maxPhrases = 4
const spellings = 64
const hitsPerFile = 3
const aloneSure = 16 // how sure a page is of a query without alternatives, relative to its score
const signedBonus = 100 // puts pages that have a word with its signs before others
const otherShare = 0.5 // for pages that only an old version or another language has

const f = Math.fround

export interface Query {
  words: string
  alternatives: readonly string[]
  paths: readonly string[]
}

// A Wording is what one list of documents is found by.
export interface Wording {
  text: string
  phrases: string[] // in quotation marks
  signed: string[] // with signs at their edges, such as C++, .NET and --flag
  most: number // words that are looked up
}

export interface Wordings {
  all: Wording[]
  only?: Filter
  error?: string
}

// wordingsOf returns the wordings of a query and, if there are several, one of all their words.
export async function wordingsOf(library: Library, query: Query): Promise<Wordings> {
  const out: Wordings = { all: [] }
  const seen: string[] = []
  for (const [i, text] of [query.words, ...query.alternatives.slice(0, maxAlternatives)].entries()) {
    const { words: rest, only, error } = await filtered(library, cut(text, maxQuery))
    if (i === 0) Object.assign(out, { only, error })
    if (rest === '' || seen.includes(rest)) continue
    seen.push(rest)
    out.all.push(unquoted(rest))
  }
  if (out.all.length > 1) out.all.push({ text: out.all.map(({ text }) => `${text} . `).join(''), phrases: [], signed: [], most: maxJoined })
  for (const path of query.paths) await (out.only ??= new Filter()).add(library, path) // a pattern that is not valid selects nothing
  return out
}

// unquoted splits a text into its words and the phrases in quotation marks.
function unquoted(text: string): Wording {
  const parts = textOf(text).replace(/[“”]/g, '"').split('"')
  const phrases = parts.filter((_, i) => i % 2 === 1 && i < parts.length - 1).map(folded)
  const signed = parts.filter((_, i) => i % 2 === 0 || i === parts.length - 1).flatMap(signedWords).slice(0, maxPhrases)
  return { text: bytesOf(parts.join('')), phrases: [...new Set(phrases)].filter((phrase) => phrase !== '').slice(0, maxPhrases), signed, most: maxTerms }
}

// signedWords returns the words of a text that begin or end with a sign of ASCII that does not belong to the sentence, and signs that stand
// together.
function signedWords(text: string): string[] {
  const all = text.replaceAll('`', '').split(/\p{White_Space}+/u).map((word) => (/[\p{L}\p{M}\p{Nd}]/u.test(word) ? word.replace(/^[([{<']+|[.,;:!?()[\]{}<>']+$/g, '') : /^(?:.?|[-.]*)$/u.test(word) ? '' : word))
  return [...new Set(all.filter((word) => /^[!-/:-@[-`{-~]|[!-/:-@[-`{-~]$/.test(word)))]
}

// folded returns a text in the form in which phrases are compared.
export const folded = (text: string): string => lowerOf(textOf(oneLine(bytesOf(text.replaceAll('`', '')))).normalize('NFC'))

// A Page is a document that a wording found, and its best passages.
export interface Page {
  document: number
  same: number
  ranked: Scored[]
  score: number
  sure: number // the sum of its scores in its two best wordings, without the one of all words
  wording: number
  terms: Term[]
}

// termsOf returns the words of a wording, and reads their postings. alone says that no other wording has other words for the same.
export async function termsOf(x: Index, wording: Wording, alone: boolean, dropped: string[]): Promise<Term[]> {
  const terms = await parse(x, textOf(wording.text), wording.most, wording.most === maxTerms ? dropped : [])
  if (alone) await broaden(x, terms)
  await afford(x, terms)
  return terms
}

// look returns the best documents for a wording with these words, to which it adds phrases.
export async function look(x: Index, wording: Wording, number: number, terms: Term[], alone: boolean, only?: Filter): Promise<Page[]> {
  const writes = wording.most === maxTerms && wording.phrases.length === 0 && terms.filter((t) => t.said !== '').length > 1
  const written = writes ? await having(x, folded(textOf(wording.text).replace(/^[ .?!]+|[ .?!]+$/g, '')), only, 'in prose') : undefined
  let within: Set<number> | undefined
  let signed: number[] = []
  for (const [i, phrase] of [...wording.phrases, ...wording.signed].entries()) {
    const isSigned = i >= wording.phrases.length
    const passages = await having(x, folded(phrase), only, isSigned ? 'with signs' : '')
    if (!passages && isSigned) continue // the word without signs is reported, or not all documents were read
    const [found, said] = [passages ?? [], bytesOf(isSigned ? phrase : `"${phrase}"`)]
    terms.push({ word: bytesOf(phrase), stem: '', whole: false, said, from: [], share: [], same: 0, idf: x.rarity(found.length), replaced: found.length === 0, passages: found })
    const { first } = await x.tables()
    if (isSigned) for (const d of new Set(await Promise.all(found.map((p) => x.documentOf(p))))) for (let p = first[d] as number; p < (first[d + 1] ?? x.head.passages); p++) signed.push(p)
    else if (found.length > 0) within = new Set(within ? found.filter((p) => within?.has(p)) : found)
  }
  const exact = signed.length === 0 && within !== undefined // all pages have the phrases letter by letter
  signed = signed.filter((p) => within?.has(p) !== false)
  const pages: Page[] = []
  const seen = new Set<number>()
  for (const part of signed.length > 0 ? [new Set(signed), within] : [within]) {
    for (const ranked of await rank(x, terms, maxRanked, hitsPerFile, only, part, written ?? [])) {
      const document = await x.documentOf((ranked[0] as Scored).passage)
      const same = await x.sameAs(document)
      if (seen.has(same)) continue
      const tree = !only && x.head.trees.length > 0 ? x.head.trees[(await x.document(document)).tree] : undefined
      const other = tree !== undefined && !(tree.ofLanguage && tree.ofVersion)
      seen.add(same)
      const score = f(f((ranked[0] as Scored).score * (other ? otherShare : 1)) + (exact || part !== within ? signedBonus : 0))
      pages.push({ document, same, ranked, score, sure: alone ? f(score * aloneSure) : score, wording: number, terms })
    }
  }
  return pages.sort((a, b) => b.score - a.score)
}

// afford reads the postings of words within the budget of assets. Of very many words, it leaves out the least specific ones.
async function afford(x: Index, terms: Term[]): Promise<void> {
  const costs: { term: Term; number: number; worth: number; paths: string[] }[] = []
  for (const term of terms) {
    for (const [k, number] of term.from.entries()) {
      costs.push({ term, number, worth: (term.share[k] as number) * term.idf, paths: await x.pathsOf(number) })
    }
  }
  costs.sort((a, b) => b.worth - a.worth || a.number - b.number)
  const reads: Promise<Uint8Array>[] = []
  for (const { term, number, paths } of costs) {
    if (x.affords(paths, 1 + forHits)) {
      reads.push(...paths.map((path) => x.budget.read(path, 1, (data) => data)))
      continue
    }
    const index = term.from.indexOf(number)
    if (index >= term.from.length - term.same) term.same--
    term.from.splice(index, 1)
    term.share.splice(index, 1)
  }
  await Promise.all([x.tables(), ...reads])
}

// merged merges the lists of several wordings, the first of which counts twice. Each page is judged by the wording that has it highest; the
// last list, of all words, counts for that only if no other has the page. Its passages are merged from all lists in the same way.
export function merged(lists: Page[][]): Page[] {
  if (lists.length === 1) return lists[0] as Page[]
  const sums = new Map<number, { page: Page; found: Page[]; rank: number; score: number; sure: number; next: number }>()
  for (const [i, list] of lists.entries()) {
    for (const [rank, page] of list.entries()) {
      const s = sums.get(page.same) ?? { page, found: [], rank, score: 0, sure: 0, next: 0 }
      sums.set(page.same, s)
      s.score = f(f(s.score + f((i === 0 ? 2 : 1) / (mergedAfter + rank))) + (i === 0 && page.score >= signedBonus ? signedBonus : 0))
      s.found.push(page)
      if (i < lists.length - 1) [s.sure, s.next] = [Math.max(s.sure, page.sure), Math.max(s.next, Math.min(s.sure, page.sure))]
      if (rank < s.rank && i < lists.length - 1) [s.page, s.rank] = [page, rank]
    }
  }
  return [...sums.values()].sort((a, b) => b.score - a.score).map(({ page, found, score, sure, next }) => ({ ...page, score, sure: f(sure + next), ranked: together(page.document, found) }))
}

// together merges the passages of a document.
function together(document: number, found: readonly Page[]): Scored[] {
  const sums = new Map<number, Scored>()
  for (const { ranked } of found.filter((page) => page.document === document)) {
    for (const [rank, s] of ranked.entries()) sums.set(s.passage, { ...s, score: f((sums.get(s.passage)?.score ?? 0) + f(1 / (mergedAfter + rank))) })
  }
  return [...sums.values()].sort((a, b) => b.score - a.score || a.passage - b.passage).slice(0, hitsPerFile)
}

// having returns the passages that have a phrase letter by letter, except for the case of letters and the width of spaces, as far as the budget of
// assets goes: in prose it is not the text of a link, and the letters of one with signs are not parts of longer words. It returns nothing if a word
// is in no document, or if there are too many passages to read.
async function having(x: Index, phrase: string, only: Filter | undefined, as: 'in prose' | 'with signs' | ''): Promise<number[] | undefined> {
  const found: string[] = []
  words(bytesOf(phrase.normalize('NFKC')), (word) => void found.push(word))
  const stems: number[] = []
  for (const word of found) {
    const number = stopWords.has(word) ? -1 : await x.lookUp(stem(word))
    if (number >= 0) stems.push(number)
    else if (!stopWords.has(word)) return undefined
  }
  const candidates = await x.common(stems)
  if (as === 'in prose' && candidates.length > maxWritten) return undefined
  const passages: number[] = []
  let [last, read, selected] = [-1, 0, false]
  for (const passage of candidates) {
    const document = await x.documentOf(passage)
    if (document !== last) {
      last = document
      selected = !only || selects(only, await x.document(document), x.head.trees)
      if (selected && ++read > (stems.length === 0 && found.length > 0 ? maxStopped : maxVerified)) return orNone(passages)
    }
    if (!selected) continue
    if (!x.affords([x.textPath(passage)], forHits)) return orNone(passages)
    const { front, text } = await x.passage(passage)
    const parts = folded(textOf(front + text)).split(phrase)
    const states = (after: string, before: string): boolean =>
      as === 'in prose' ? !/^[^[]*?\]/.test(after) : as === '' || !((signless(phrase, 0) && isSpaced(before.at(-1))) || (signless(phrase, -1) && isSpaced(after[0])))
    if (parts.slice(1).some((after, i) => states(after, parts[i] as string))) passages.push(passage)
  }
  return passages
}

const orNone = (passages: number[]): number[] | undefined => (passages.length > 0 ? passages : undefined)
const signless = (phrase: string, at: number): boolean => !/[!-/:-@[-`{-~]/.test(phrase.at(at) as string)
const isSpaced = (letter = ' '): boolean => /[\p{L}\p{M}\p{Nd}]/u.test(letter) && !spaceless(letter.codePointAt(0) as number)

// spelled returns a term as a text writes it, or ''.
export async function spelled(x: Index, number: number): Promise<string> {
  const [postings, term] = [await x.postings(number), await x.term(number)]
  let spelling = ''
  for (let j = 0, left = spellings; j < postings.length && spelling === ''; j += 2) {
    const passage = postings[j] as number
    if (((postings[j + 1] as number) & 15) === 0) continue // only names above the passage have the word
    if (--left < 0 || !x.affords([x.textPath(passage)], forHits)) break
    const { text } = await x.passage(passage)
    words(text, (word, offset, end) => {
      if (spelling === '' && stem(word) === term) spelling = lower(text.slice(offset, end))
    })
  }
  return spelling
}

import { sameStems, stopWords, vagueWords } from '../tables/words.ts'
import { bytesOf, runeAt, textOf } from '../text.ts'
import type { Index } from './index.ts'
import { stem } from './stem.ts'
import { maxWord, spaceless, words } from './word.ts'

// The words of a query and the terms that they match, as in query.go of internal/library/docs.

export const maxTerms = 24
const maxParsed = 200 // from which they are chosen
export const maxJoined = 48
const maxPrefixed = 32
const shortestPart = 5 // letters of a word that is looked for in compounds
const longSpelling = 6 // letters of a word that may be misspelled
const maxRare = 10
const rarePart = 200
const maxMisspelled = 1
const misspelledPart = 1000

const f = Math.fround
const prefixShare = f(0.8)
const joinedShare = f(0.4)
const halfShare = f(0.4)
const similarShare = f(0.3)
const sameShare = f(0.5)
const vagueShare = f(0.4)

// A Term is a word of a query with the terms of the index that it matches.
export interface Term {
  word: string
  stem: string
  whole: boolean // an identifier whose parts are terms too
  said: string // the words of the user that it is from; '' for a stop word or a vague one
  replaced: boolean // no passage has it, and from are other words
  passages: readonly number[] // with the phrase that the term is; empty for a word
  from: number[]
  share: number[]
  same: number // how many of from, the last ones, mean the same
  idf: number
}

function add(t: Term, number: number, share: number): void {
  if (t.from.includes(number)) return
  t.from.push(number)
  t.share.push(share)
}

// parse finds the words of a query in the index. Stop words count only without others, and of more words than most those that most
// passages have are added to dropped.
export async function parse(x: Index, query: string, most: number, dropped: string[]): Promise<Term[]> {
  let terms: Term[] = []
  const stops: Term[] = []
  const seen = new Set<string>()
  let last = -1
  const bytes = bytesOf(query.normalize('NFKC'))
  words(bytes, (word, offset) => {
    const t: Term = { word, stem: stem(word), whole: offset <= last, said: '', replaced: false, passages: [], from: [], share: [], same: 0, idf: 0 }
    last = offset
    if (seen.has(t.stem) || terms.length >= maxParsed) return
    if (stopWords.has(word)) stops.push(t)
    else {
      const said = around(bytes, offset)
      if (!vagueWords.has(said.toLowerCase())) t.said = said
      terms.push(t)
    }
    seen.add(t.stem)
  })
  if (terms.length === 0) terms = stops
  if (terms.length > most) {
    const holders = new Map<Term, number>()
    for (const t of terms) {
      const number = await x.lookUp(t.stem)
      holders.set(t, (number < 0 ? 0 : await x.holding([number])) + (t.said === '' ? x.head.counted : 0))
    }
    while (terms.length > most) {
      const common = terms.reduce((a, b) => ((holders.get(b) as number) > (holders.get(a) as number) ? b : a))
      terms.splice(terms.indexOf(common), 1)
      if (common.said !== '' && !dropped.includes(common.said)) dropped.push(common.said)
    }
  }
  for (const [i, t] of terms.entries()) {
    const number = await x.lookUp(t.stem)
    if (number >= 0) add(t, number, 1)
    await extend(x, t, i === terms.length - 1)
  }
  for (let i = 1; i < terms.length; i++) await join(x, terms[i - 1] as Term, terms[i] as Term)
  for (const t of terms) {
    t.replaced = t.from.length === 0 && !(await compounds(x, t))
    const vague = vagueWords.has(t.word)
    if (!t.whole && !vague) await respell(x, t)
    t.idf = await x.idf(t.from)
    if (vague) t.idf = f(t.idf * vagueShare)
  }
  return terms
}

// broaden adds the words that mean the same to each term. A term that some passage has keeps its weight.
export async function broaden(x: Index, terms: readonly Term[]): Promise<void> {
  for (const t of terms) {
    const own = t.from.length
    for (const stem of sameStems.filter((group) => group.includes(t.stem)).flat()) {
      const number = await x.lookUp(stem)
      if (number >= 0) add(t, number, sameShare)
    }
    t.same = t.from.length - own
    if (own === 0) t.idf = await x.idf(t.from)
  }
}

// around returns the letters and digits around a place in a text, with the marks inside of an identifier.
function around(text: string, at: number): string {
  const before = /[\p{L}\p{M}\p{Nd}_\-.']*$/u.exec(textOf(text.slice(0, at)))?.[0] ?? ''
  const after = /^[\p{L}\p{M}\p{Nd}_\-.']*/u.exec(textOf(text.slice(at)))?.[0] ?? ''
  return bytesOf((before + after).replace(/^[_\-.']+|[_\-.']+$/g, ''))
}

const lengthOf = (word: string): number => [...textOf(word)].length

// extend adds the words that begin with a term that no passage has. A short one must be the last one of a query, which may not be complete, or
// a part between signs.
async function extend(x: Index, t: Term, last: boolean): Promise<void> {
  const { word } = t
  const [r, size] = runeAt(word, 0)
  const character = last && size === word.length && spaceless(r)
  if (word.length < 2 || (t.from.length > 0 && !character)) return
  const { number: from } = await x.find(word)
  const long = last || lengthOf(word) >= shortestPart
  await x.each(from, (term, number) => {
    if (number >= from + maxPrefixed || !term.startsWith(word)) return false
    if (long || !(word.length < term.length && /\p{L}/u.test(String.fromCodePoint(runeAt(term, word.length)[0])))) add(t, number, prefixShare)
    return true
  })
  if (character) {
    await x.each(0, (term, number) => {
      if (t.from.length >= maxPrefixed) return false
      if (term.endsWith(word)) add(t, number, prefixShare)
      return true
    })
  }
}

// compounds adds the words that a term ends, and reports whether a word has it between signs.
async function compounds(x: Index, t: Term): Promise<boolean> {
  const { word } = t
  const long = lengthOf(word) >= shortestPart
  let between = false
  await x.each(0, (term, number) => {
    const n = term.lastIndexOf(word)
    if (n <= 0) return true
    if (t.from.length === maxPrefixed) return false
    const dotted = term[n - 1] === '.'
    between ||= dotted
    if (dotted || (long && n + word.length === term.length)) add(t, number, halfShare)
    return true
  })
  return between
}

// join adds to two neighbouring words the word that they form together.
async function join(x: Index, a: Term, b: Term): Promise<void> {
  if (a.whole || b.whole || lengthOf(a.word + b.word) > maxWord) return
  const number = await x.lookUp(stem(a.word + b.word))
  if (number < 0) return
  add(a, number, joinedShare)
  add(b, number, joinedShare)
}

// respell adds to a rare word the two words that it consists of, or else similar words, because it may be misspelled.
async function respell(x: Index, t: Term): Promise<void> {
  const { word } = t
  if (lengthOf(word) < 4 || /[0-9]/.test(word)) return
  const holders = await x.holding(t.from)
  if (holders > Math.min(maxRare, Math.floor(x.head.counted / rarePart))) return
  const shortest = 3
  let first = 0
  let second = 0
  let most = 0
  for (let n = shortest; n <= word.length - shortest; n++) {
    const i = await x.lookUp(stem(word.slice(0, n)))
    if (i < 0) continue
    const j = await x.lookUp(stem(word.slice(n)))
    if (j < 0) continue
    const common = Math.min(await x.holding([i]), await x.holding([j]))
    if (common > most && (await together(x, i, j))) [first, second, most] = [i, j, common]
  }
  if (most > 0) {
    add(t, first, halfShare)
    add(t, second, halfShare)
    return
  }
  if (holders > Math.min(maxMisspelled, Math.floor(x.head.counted / misspelledPart))) return
  const initial = t.stem.slice(0, runeAt(t.stem, 0)[1])
  const { number: from } = await x.find(initial)
  const near: number[] = []
  await x.each(from, (term, number) => {
    if (!term.startsWith(initial)) return false
    if (similar(term, t.stem) && specific(term)) near.push(number)
    return true
  })
  if (near.length === 1 && t.from.length === 0 && lengthOf(word) >= longSpelling) add(t, near[0] as number, similarShare) // several words say nothing
}

const vague = new Set([...stopWords, ...vagueWords].map(stem))

// specific reports whether a stem is of a word that says what a document is about.
const specific = (term: string): boolean => !vague.has(term)

// together reports whether a passage has two words, both of which are specific.
async function together(x: Index, i: number, j: number): Promise<boolean> {
  return specific(await x.term(i)) && specific(await x.term(j)) && (await x.common([i, j])).length > 0
}

// similar reports whether two words differ by one letter, or by the order of two neighbours.
function similar(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 4) return false
  const x = [...textOf(a)]
  const y = [...textOf(b)]
  let start = 0
  while (start < x.length && start < y.length && x[start] === y[start]) start++
  let i = x.length
  let j = y.length
  while (i > start && j > start && x[i - 1] === y[j - 1]) {
    i--
    j--
  }
  const m = i - start
  const n = j - start
  return (m <= 1 && n <= 1) || (m === 2 && n === 2 && x[start] === y[start + 1] && x[start + 1] === y[start])
}

import { bisect } from './bisect.ts'
import type { Index, Tables } from './index.ts'
import { type Filter, selects } from './filter.ts'
import type { Term } from './query.ts'

// Ranking, as in rank.go of internal/library/docs. Scores are float32 in Go, so each step is rounded to a float32.

const f = Math.fround

const maxCount = 15
const inName = 16
const inTitle = 32
const inHeading = 64

const fewWords = 24
const mostWords = 0x7fff
const k1PlusOne = f(2.2)
const k1OneMinusB = f(0.6)
const k1TimesB = f(0.6)

// The number that each of the marks of a posting adds to the count of the word, by all marks.
const markedWeight = Array.from({ length: 16 }, (_, marks) => 2 * [1, 2, 4, 8].filter((mark) => marks & mark).length)

export interface Scored {
  passage: number
  score: number
}

const compare = (a: Scored, b: Scored): number => b.score - a.score || a.passage - b.passage

// insert inserts into a sorted list and keeps the best up to a limit.
function insert<T>(list: T[], s: T, limit: number, compare: (a: T, b: T) => number): void {
  if (list.length === limit && compare(s, list[limit - 1] as T) >= 0) return
  list.splice(bisect(list.length, (i) => compare(list[i] as T, s) >= 0), 0, s)
  if (list.length > limit) list.pop()
}

// A Board holds the sums of a search, by passage.
type Board = ReturnType<typeof boardOf>

const boardOf = (n: number) => ({
  score: new Float32Array(n),
  named: new Float32Array(n),
  name: new Float32Array(n),
  title: new Float32Array(n),
  head: new Float32Array(n),
  count: new Uint8Array(n), // twice the terms that the passage has, and once the terms of same
  latest: new Uint8Array(n),
  touched: new Uint32Array(n), // the passages that have a count
  size: 0, // the number of touched passages
})

// rank returns the best documents by their best passages that contain any of the terms, with at most perDocument passages of each. within
// are the only passages that count; written have the query word for word.
export async function rank(x: Index, terms: Term[], limit: number, perDocument: number, only?: Filter, within?: Set<number>, written: readonly number[] = []): Promise<Scored[][]> {
  const n = x.head.passages
  let all = 0
  for (const t of terms) all = f(all + t.idf)
  if (n === 0 || !terms.some((t) => t.from.length + t.passages.length > 0)) return []
  const tables = await x.tables()
  const board = boardOf(n)
  for (const [i, t] of terms.entries()) await addUp(x, tables, board, t, i + 1)
  const touched = board.touched.subarray(0, board.size).sort()
  const scale = f(0.5 / f(all * k1PlusOne))
  const best: Scored[][] = []
  const { first } = tables
  let document = 0
  for (let next = 0; next < touched.length; ) {
    const start = next
    while (document + 1 < first.length && (first[document + 1] as number) <= (touched[next] as number)) document++
    const end = first[document + 1] ?? n
    let sum = 0
    let found = 0
    for (; next < touched.length; next++) {
      const p = touched[next] as number
      if (p >= end) break
      if (within && !within.has(p)) board.count[p] = board.score[p] = 0
      const count = board.count[p] as number
      if (count === 0) continue
      const share = f(count / (2 * terms.length))
      let score = f((board.score[p] as number) * f(scale * f(1 + f(share / 2))))
      const named = board.named[p] as number
      if (named > 0) score = f(score + f(share * bonus(board, tables, document, p, f(named / all))))
      if (written.includes(p)) score = f(score + 0.5)
      sum = f(sum + toOthers(score, count, terms))
      found++
      board.score[p] = score
    }
    if (sum === 0) continue
    if (only && !selects(only, await x.document(document), x.head.trees)) continue
    const ofDocument: Scored[] = []
    const others = f(f(0.4) / f(Math.sqrt(found)))
    for (let i = start; i < next; i++) {
      const passage = touched[i] as number
      const score = board.score[passage] as number
      const count = board.count[passage] as number
      if (count === 0) continue
      const together = f(score + f(others * f(sum - toOthers(score, count, terms))))
      insert(ofDocument, { passage, score: f(crowded(together, found, 2 * terms.length - count) * (tables.share[document] as number)) }, perDocument, compare)
    }
    insert(best, ofDocument, limit, (a, b) => compare(a[0] as Scored, b[0] as Scored))
  }
  return best
}

// toOthers returns how much of the score of a passage counts for other passages of the document.
const toOthers = (score: number, count: number, terms: readonly Term[]): number => f(score * Math.min(1, f(count / terms.length)))

// crowded returns what remains of the score of one of n passages of a document that lacks some terms, which count twice.
function crowded(score: number, n: number, lacking: number): number {
  let root = n
  for (let i = 0; i < 6; i++) root = Math.sqrt(root)
  for (let i = 0; i < lacking; i++) score = f(score / f(root))
  return score
}

// bonus returns the score of a passage for its names.
function bonus(board: Board, tables: Tables, document: number, p: number, share: number): number {
  const ofQuery = Math.min(share, 1)
  const overlap = (found: number, name: number): number => {
    if (found === 0 || name === 0) return 0
    const ofName = Math.min(f(found / name), 1)
    return f(f(f(2 * ofQuery) * ofName) / f(ofQuery + ofName))
  }
  const [name, title] = tables.first[document] === p ? [tables.name[document] as number, tables.title[document] as number] : [0, 0]
  const ofTitle = Math.max(overlap(board.name[p] as number, name), overlap(board.title[p] as number, title))
  const heading = overlap(board.head[p] as number, tables.heading[p] as number)
  return f(f(f(f(2.4) * ofTitle) * ofTitle) + f(heading * heading))
}

// addUp adds the score of a term to the passages that contain it.
async function addUp(x: Index, tables: Tables, board: Board, t: Term, number: number): Promise<void> {
  const { counted, words } = x.head
  for (const p of t.passages) {
    board.score[p] = (board.score[p] as number) + t.idf
    if (board.count[p] === 0) board.touched[board.size++] = p
    board.count[p] = (board.count[p] as number) + 2
  }
  const perWord = f(f(k1TimesB * f(counted)) / f(Math.max(words, fewWords * counted)))
  for (const [k, i] of t.from.entries()) {
    const share = t.share[k] as number
    const worth = f(f(share * t.idf) * k1PlusOne)
    const weighted = f(share * f(3 + (await x.idf([i]))))
    const named = f(share * t.idf)
    const same = k >= t.from.length - t.same
    const postings = await x.postings(i)
    for (let j = 0; j < postings.length; j += 2) {
      const p = postings[j] as number
      if (same && board.latest[p] === number) continue
      const weight = postings[j + 1] as number
      const often = (weight & maxCount) + (markedWeight[weight >>> 4] as number)
      const length = f(f(often + k1OneMinusB) + f(perWord * Math.max((tables.words[p] as number) & mostWords, fewWords)))
      board.score[p] = (board.score[p] as number) + f(f(worth * often) / length)
      if (board.latest[p] !== number) {
        board.latest[p] = number
        if (board.count[p] === 0) board.touched[board.size++] = p
        board.count[p] = (board.count[p] as number) + (same ? 1 : 2)
      }
      if (weight <= maxCount || same) continue
      board.named[p] = (board.named[p] as number) + named
      if (t.whole) continue // its parts count
      if (weight & inName) board.name[p] = (board.name[p] as number) + weighted
      if (weight & inTitle) board.title[p] = (board.title[p] as number) + weighted
      if (weight & inHeading) board.head[p] = (board.head[p] as number) + weighted
    }
  }
}

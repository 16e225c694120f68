import { countOf, trimLeft } from './excerpt.ts'
import type { Index } from './index.ts'
import { compactRows, fenceAfter, frontMatter, type Part, shownFrom } from './snippet.ts'
import type { Page } from './wording.ts'

// The page that an answer shows most of, as in lead.go of internal/library/docs. All strings are bytes.

export const leadSize = 1000

// sectionOf returns the best passage of a page with what follows it in its section. If that is little, what precedes it is shown too.
export async function sectionOf(x: Index, { ranked, document }: Page, best: Part): Promise<Part> {
  const { first: firsts, words } = await x.tables()
  const number = ranked[0]?.passage ?? 0
  const later = (n: number): boolean => ((words[n] as number) & 0x8000) !== 0
  let [first, at] = [number, best.start]
  while (first > (firsts[document] as number) && later(first) && x.affords([x.textPath(first - 1)], 0)) at += (await x.passage(--first)).text.length
  const { text: begin, line, code } = await x.passage(first)
  const front = line === 1 ? frontMatter(begin) : 0
  const top = begin.length - trimLeft(begin.slice(front)).length
  const level = levelOf(begin.slice(top))
  let text = begin
  for (let n = first + 1; n < (firsts[document + 1] ?? x.head.passages) && text.length < at + leadSize && x.affords([x.textPath(n)], 0); n++) {
    const { text: more } = await x.passage(n)
    if (n > number && !later(n) && levelOf(more) <= level) break
    text += more
  }
  const head = compactRows(text.slice(0, at), code, text.length)
  text = head + compactRows(text.slice(at), fenceAfter(text.slice(0, at), code ? '```' : '') !== '', text.length)
  at = head.length
  let from = Math.max(top, text.length - leadSize / 2)
  if (from < at) {
    if (from > top) from += `${text.slice(from, at)}\n`.indexOf('\n') + 1
    at = Math.min(from, at)
  }
  const before = text.slice(0, at)
  const inCode = fenceAfter(before, code ? '```' : '') !== ''
  return { ...best, line: line + countOf(before, '\n'), start: at, inCode, text: shownFrom(text.slice(at), best.heading, inCode) }
}

// levelOf returns the level of the heading that begins a text, or 0.
function levelOf(text: string): number {
  const [line, under = ''] = text.split('\n', 2) as [string, string?]
  return /^#*/.exec(line)?.[0].length || (under.startsWith('==') ? 1 : under.startsWith('--') ? 2 : 0)
}

import { countOf, trimLeft } from './excerpt.ts'
import type { Index } from './index.ts'
import { frontMatter, type Part, shownFrom } from './snippet.ts'
import type { Page } from './wording.ts'

// The page that an answer shows most of, as in lead.go of internal/library/docs. All strings are bytes.

export const leadSize = 1000

// leads reports whether the first page has most of the words of a wording, so that more of it is shown.
export const leads = ([first]: readonly Page[]): boolean => first !== undefined && 3 * (first.ranked[0]?.count ?? 0) >= 2 * first.terms.length

// sectionOf returns the best passage of a page with what follows it in its section, and with what precedes it unless that is long.
export async function sectionOf(x: Index, { ranked, document }: Page, best: Part): Promise<Part> {
  const { first: firsts, words } = await x.tables()
  const number = ranked[0]?.passage ?? 0
  const later = (n: number): boolean => ((words[n] as number) & 0x8000) !== 0
  let [first, before] = [number, best.start]
  while (first > (firsts[document] as number) && later(first) && x.affords([x.textPath(first - 1)], 0)) before += (await x.passage(--first)).text.length
  const { text, line, lines } = await x.passage(first)
  const front = line === 1 ? frontMatter(text) : 0
  let start = text.length - trimLeft(text.slice(front)).length
  const level = levelOf(text.slice(start))
  const out = { ...best, text: '' }
  if (before > leadSize / 2) [first, start] = [number, best.start]
  else {
    const skipped = countOf(text.slice(0, start), '\n')
    out.line = lines[skipped] ?? line + skipped
    out.inCode = false
  }
  for (let n = first; n < (firsts[document + 1] ?? x.head.passages) && out.text.length < start + leadSize && x.affords([x.textPath(n)], 0); n++) {
    const { text } = await x.passage(n)
    if (n > number && !later(n) && levelOf(text) <= level) break
    out.text += text
  }
  return { ...out, text: shownFrom(out.text.slice(start), best.heading, out.inCode) }
}

// levelOf returns the level of the heading that begins a text, or 0.
function levelOf(text: string): number {
  const [line, under = ''] = text.split('\n', 2) as [string, string?]
  return /^#*/.exec(line)?.[0].length || (under.startsWith('==') ? 1 : under.startsWith('--') ? 2 : 0)
}

import { countOf, trim } from './excerpt.ts'
import type { Index, Unit } from './index.ts'
import type { Part } from './snippet.ts'
import type { Page } from './wording.ts'

// The page that an answer shows most of, as in hit.go of internal/library/docs. All strings are bytes.

export const leadSize = 1000

// sectionOf returns the best passage of a page with the rest of its section around it, as far as an answer may show it.
export async function sectionOf(x: Index, { ranked, document }: Page, best: Part): Promise<Part> {
  const { first: firsts, words } = await x.tables()
  const number = ranked[0]?.passage ?? 0
  const later = (n: number): boolean => ((words[n] as number) & 0x8000) !== 0
  const out = { ...best }
  const affordable = (n: number): boolean => x.affords([x.textPath(n)], 0)
  for (let first = number; first > (firsts[document] as number) && later(first) && out.start < leadSize && affordable(first - 1); ) {
    const passage = await x.passage(--first)
    const { text, top, units } = passage
    Object.assign(out, { text: text + out.text, start: out.start + text.length, match: out.match + text.length, top, units: join(units, text.length, out.units) })
  }
  const level = levelOf(out.text)
  for (let n = number + 1; n < (firsts[document + 1] ?? x.head.passages) && out.text.length < out.start + leadSize && affordable(n); n++) {
    const { text: more, units } = await x.passage(n)
    if (!later(n) && levelOf(more) <= level) break
    out.units = join(out.units, out.text.length, units)
    out.text += more
  }
  out.last = out.top + countOf(trim(out.text), '\n')
  return out
}

const join = (units: readonly Unit[], size: number, more: readonly Unit[]): Unit[] => [...units, ...more.map((u) => ({ ...u, start: u.start + size, end: u.end + size }))]

// levelOf returns the level of the heading that begins a text, or 0.
function levelOf(text: string): number {
  const [line, under = ''] = text.replace(/^[\r\n \t]+/, '').split('\n', 2) as [string, string?]
  return /^#*/.exec(line)?.[0].length || (under.startsWith('==') ? 1 : under.startsWith('--') ? 2 : 0)
}

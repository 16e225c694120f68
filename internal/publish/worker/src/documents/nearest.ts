import { lowerRune } from '../characters.ts'
import { runeAt } from '../text.ts'

// Similar names, as in internal/text/nearest. All strings are bytes.

const maxBytes = 256
const maxEdits = 6
const minShared = 3

interface Match {
  name: string
  rank: number
  gap: number
}

// nearest returns at most limit candidates close to a word, closest first and each once.
export function nearest(word: string, candidates: readonly string[], limit: number): string[] {
  const w = fold(word)
  const found: Match[] = []
  for (const name of candidates) {
    const match = compare(w, name)
    if (match) found.push(match)
  }
  found.sort((a, b) => a.rank - b.rank || a.gap - b.gap || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return [...new Set(found.map((m) => m.name))].slice(0, limit)
}

function compare(w: number[], name: string): Match | undefined {
  const c = fold(name)
  const gap = Math.abs(w.length - c.length)
  const limit = Math.min(Math.max(1, Math.floor(w.length / 3)), maxEdits, Math.max(w.length, c.length) - 1)
  const d = distance(w, c, limit)
  if (d !== undefined) return { name, gap, rank: d }
  const [short, long] = w.length > c.length ? [c, w] : [w, c]
  if (short.length < minShared) return undefined
  const index = indexOf(long, short)
  if (index < 0) return undefined
  return { name, gap, rank: index === 0 ? maxEdits + 1 : maxEdits + 2 }
}

function indexOf(long: number[], short: number[]): number {
  for (let i = 0; i + short.length <= long.length; i++) if (short.every((r, k) => long[i + k] === r)) return i
  return -1
}

function fold(s: string): number[] {
  let end = s.length
  if (end > maxBytes) {
    end = maxBytes
    while (end > maxBytes - 4 && (s.charCodeAt(end) & 0xc0) === 0x80) end--
  }
  const out: number[] = []
  const text = s.slice(0, end)
  for (let i = 0; i < text.length; ) {
    const [r, size] = runeAt(text, i)
    out.push(lowerRune(r))
    i += size
  }
  return out
}

// distance returns the number of edits if no character is edited twice, or undefined beyond the limit.
function distance(a: number[], b: number[], limit: number): number | undefined {
  if (limit < 0 || Math.abs(a.length - b.length) > limit) return undefined
  const over = limit + 1
  let before = new Array<number>(b.length + 1).fill(over)
  let last = Array.from(before, (_, j) => Math.min(j, over))
  let row = [...before]
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - limit)
    const to = Math.min(b.length, i + limit)
    row[from - 1] = from === 1 ? Math.min(i, over) : over
    let best = row[from - 1] as number
    for (let j = from; j <= to; j++) {
      let d = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      d = Math.min(d, (row[j - 1] as number) + 1, (last[j] as number) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, (before[j - 2] as number) + 1)
      row[j] = Math.min(d, over)
      best = Math.min(best, row[j] as number)
    }
    if (to < b.length) row[to + 1] = over
    if (best === over && Math.min(...last) === over) return undefined
    ;[before, last, row] = [last, row, before]
  }
  const d = last[b.length] as number
  return d <= limit ? d : undefined
}

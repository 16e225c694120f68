import { textOf } from '../assets.ts'
import { bytesOf, cut, lowerOf } from '../text.ts'
import type { Context } from '../context.ts'
import { decode, maxLength, segmentsOf } from '../uri.ts'
import { find, type Folder, linesOf, namesOf } from './lookup.ts'
import { uriIn } from './list.ts'

// URIs that a client may have meant, as in loader and in internal/text/nearest.

const most = 3
const maxCompared = 1000
const maxEdits = 6
const minShared = 3 // characters that a prefix or a contained word needs

// closeTo returns URIs that are close to one that names nothing: in its innermost folder that exists, then elsewhere.
export async function closeTo(context: Context, requested: string): Promise<string[]> {
  const segments = segmentsOf(decode(bytesOf(requested)))
  if (!segments || requested.length > maxLength || Number.isFinite(context.assets.most)) return [] // a Worker would fetch too much
  let rest = segments
  let folder: Folder | undefined
  for (let depth = segments.length - 1; depth > 0 && !folder; depth--) {
    const known = (await find(context, 'd', segments.slice(0, depth))) as Folder | undefined
    if (known && !known.virtual) [folder, rest] = [known, segments.slice(depth)]
  }
  const { pages } = context.manifest.resources
  const all: string[] = []
  for (const { items } of pages) {
    if (all.length < maxCompared) all.push(...(await textOf(context.assets, items)).split('\n').map(uriIn))
  }
  const inside = folder ? (await linesOf(context, folder.children)).map((line) => uriIn(line.slice(1)) + (line[0] === 'd' ? '/' : '')) : all.map((uri) => uri.slice(0, uri.indexOf('://') + 3))
  const named = new Map<string, string>()
  for (const uri of inside.slice(0, maxCompared)) named.set(namesOf(uri)[segments.length - rest.length] as string, uri)
  if (rest.length === 1) named.delete(rest[0] as string)
  const found = nearest(rest[0] as string, [...named.keys()]).map((name) => named.get(name) as string)
  return [...new Set([...found, ...nearest(requested, all.slice(0, maxCompared))])].slice(0, most)
}

const fold = (text: string): string[] => [...lowerOf(cut(text, 256))]

function nearest(word: string, names: string[]): string[] {
  const w = fold(word)
  const found: { name: string; rank: number; gap: number }[] = []
  for (const name of names) {
    const c = fold(name)
    const gap = Math.abs(w.length - c.length)
    const limit = Math.min(Math.max(1, Math.floor(w.length / 3)), maxEdits, Math.max(w.length, c.length) - 1)
    let rank = gap > limit ? limit + 1 : distance(w, c)
    if (rank > limit) {
      const [short, long] = w.length > c.length ? [c, w] : [w, c]
      const at = short.length < minShared ? -1 : long.join('').indexOf(short.join(''))
      if (at < 0) continue
      rank = maxEdits + (at === 0 ? 1 : 2)
    }
    found.push({ name, rank, gap })
  }
  return found.sort((a, b) => a.rank - b.rank || a.gap - b.gap || (a.name < b.name ? -1 : 1)).slice(0, most).map(({ name }) => name)
}

// distance returns the number of edits between words in which no character is edited twice.
function distance(a: string[], b: string[]): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      let d = Math.min((last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1), (row[j - 1] as number) + 1, (last[j] as number) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, (before[j - 2] as number) + 1)
      row.push(d)
    }
    ;[before, last] = [last, row]
  }
  return last[b.length] as number
}

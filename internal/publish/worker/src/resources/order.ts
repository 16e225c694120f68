import { decode, split } from '../uri.ts'

// The order of lists: by folder, with the resources of a folder before its subfolders, then by name. Names are compared as bytes.

function keyOf(canonical: string): string[] {
  if (canonical === '') return []
  const parts = split(decode(canonical))
  return parts ? [parts[0], ...parts[1].split('/')] : [canonical]
}

export function compare(a: string, b: string): number {
  return a === b ? 0 : compareKeys(keyOf(a), keyOf(b))
}

function compareKeys(a: string[], b: string[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const lastA = i === a.length - 1
    const lastB = i === b.length - 1
    if (lastA !== lastB) return lastA ? -1 : 1
    const [nameA, nameB] = [a[i] as string, b[i] as string]
    if (nameA !== nameB) return nameA < nameB ? -1 : 1
  }
  return a.length - b.length
}

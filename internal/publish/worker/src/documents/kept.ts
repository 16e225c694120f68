import type { Assets } from '../assets.ts'

// Decoded assets that requests of an isolate share. They are immutable, and an isolate serves one deployment. Only values are kept:
// what waits for the network belongs to the request that began it.

const most = 24 << 20 // bytes, as far as they can be estimated

interface Entry {
  value: unknown
  size: number
}

const entries = new Map<string, Entry>() // the one that was used last is last
let total = 0

// kept returns an asset, decoded. Decoded, it takes about as many times its size as factor says.
export async function kept<T>(assets: Assets, path: string, factor: number, decode: (data: Uint8Array) => T): Promise<T> {
  const entry = entries.get(path)
  if (entry) {
    entries.delete(path)
    entries.set(path, entry)
    return entry.value as T
  }
  const data = await assets.get(path)
  if (!data) throw new Error(`asset ${path} is missing`)
  const value = decode(data)
  keep(path, { value, size: data.length * factor })
  return value
}

function keep(path: string, entry: Entry): void {
  if (entry.size > most / 4 || entries.has(path)) return
  entries.set(path, entry)
  total += entry.size
  for (const [oldest, { size }] of entries) {
    if (total <= most) break
    entries.delete(oldest)
    total -= size
  }
}

// A Budget bounds how many assets a query reads. Those that are kept count too, so that a query has the same answer each time.
export class Budget {
  readonly #assets: Assets
  readonly #paths = new Set<string>()
  readonly #most: number

  constructor(assets: Assets, most: number) {
    this.#assets = assets
    this.#most = most
  }

  get left(): number {
    return this.#most - this.#paths.size
  }

  // has reports whether reading an asset costs nothing any more.
  has(path: string): boolean {
    return this.#paths.has(path)
  }

  // read is kept for a query.
  read<T>(path: string, factor: number, decode: (data: Uint8Array) => T): Promise<T> {
    this.#paths.add(path)
    return kept(this.#assets, path, factor, decode)
  }
}

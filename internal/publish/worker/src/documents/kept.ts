import { type Assets, bytesIn } from '../assets.ts'

// A cache of decoded assets that requests of an isolate share. They are immutable, and an isolate serves one deployment. The cache holds
// values, not promises: a promise belongs to the request that created it.

const most = 24 << 20 // bytes, as far as they can be estimated

interface Entry {
  value: unknown
  size: number
}

const entries = new Map<string, Entry>() // the most recently used is last
let total = 0

// kept returns a decoded asset. factor estimates the memory of the decoded value as a multiple of the size of the asset.
export async function kept<T>(assets: Assets, path: string, factor: number, decode: (data: Uint8Array) => T): Promise<T> {
  const entry = entries.get(path)
  if (entry) {
    entries.delete(path)
    entries.set(path, entry)
    return entry.value as T
  }
  const data = await bytesIn(assets, path)
  const [value, size] = [decode(data), data.length * factor]
  if (size > most / 4 || entries.has(path)) return value
  entries.set(path, { value, size })
  total += size
  for (const [oldest, { size }] of entries) {
    if (total <= most) break
    entries.delete(oldest)
    total -= size
  }
  return value
}

// A Budget limits the number of assets that a query reads. Cached assets count too, so that a query always has the same answer.
export class Budget {
  readonly #paths = new Set<string>()

  constructor(private readonly assets: Assets) {}

  get left(): number {
    return this.assets.most - 2 - this.#paths.size // the manifest and the head of the index have been read
  }

  // has reports whether the query has read an asset, so that reading it again costs nothing.
  has(path: string): boolean {
    return this.#paths.has(path)
  }

  // read is the function kept with the budget of the query.
  read<T>(path: string, factor: number, decode: (data: Uint8Array) => T): Promise<T> {
    this.#paths.add(path)
    return kept(this.assets, path, factor, decode)
  }
}

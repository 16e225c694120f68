// Assets are the files that the build wrote, by path in the folder of the assets.
export interface Assets {
  readonly most: number // assets that a search, a call of a tool or a lookup may read
  get(path: string): Promise<Uint8Array | null>
}

// Binding is the part of Cloudflare's ASSETS binding that the Worker uses.
export interface Binding {
  fetch(url: string): Promise<Response>
}

// A Store reads assets through the binding. It belongs to one request, and fetches each asset once.
export class Store implements Assets {
  readonly most = 40 // Cloudflare limits the fetches of a request
  readonly #fetched = new Map<string, Promise<Uint8Array | null>>()

  constructor(private readonly binding: Binding) {}

  get(path: string): Promise<Uint8Array | null> {
    const asset = this.#fetched.get(path) ?? this.#fetch(path)
    this.#fetched.set(path, asset)
    return asset
  }

  async #fetch(path: string): Promise<Uint8Array | null> {
    const response = await this.binding.fetch(`https://assets.local/${path}`)
    if (response.status === 404) return null
    if (!response.ok) throw new Error(`asset ${path}: status ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

// textOf returns the text of an asset that the build refers to.
export const textOf = async (assets: Assets, path: string): Promise<string> => decoder.decode(await bytesIn(assets, path))

// bytesIn returns the bytes of such an asset.
export async function bytesIn(assets: Assets, path: string): Promise<Uint8Array> {
  const data = await assets.get(path)
  if (!data) throw new Error(`asset ${path} is missing`)
  return data
}

// jsonOf returns the JSON of an asset that the build refers to.
export const jsonOf = async <T>(assets: Assets, path: string): Promise<T> => JSON.parse(await textOf(assets, path)) as T

// jsonIn returns the JSON in the bytes of an asset.
export const jsonIn = <T>(data: Uint8Array): T => JSON.parse(decoder.decode(data)) as T

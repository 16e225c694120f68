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
  readonly #binding: Binding
  readonly #fetched = new Map<string, Promise<Uint8Array | null>>()

  constructor(binding: Binding) {
    this.#binding = binding
  }

  get(path: string): Promise<Uint8Array | null> {
    let asset = this.#fetched.get(path)
    if (!asset) {
      asset = this.#fetch(path)
      this.#fetched.set(path, asset)
    }
    return asset
  }

  async #fetch(path: string): Promise<Uint8Array | null> {
    const response = await this.#binding.fetch(`https://assets.local/${path}`)
    if (response.status === 404) return null
    if (!response.ok) throw new Error(`asset ${path}: status ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

// textOf returns the text of an asset that the build refers to.
export async function textOf(assets: Assets, path: string): Promise<string> {
  const data = await assets.get(path)
  if (!data) throw new Error(`asset ${path} is missing`)
  return decoder.decode(data)
}

// jsonOf returns the JSON of an asset that the build refers to.
export async function jsonOf<T>(assets: Assets, path: string): Promise<T> {
  return JSON.parse(await textOf(assets, path)) as T
}

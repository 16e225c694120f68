import { type Assets, textOf } from './assets.ts'
import type { Documents } from './documents/library.ts'
import type { OutlineShard } from './documents/outline.ts'
import type { Json } from './json.ts'

// A Manifest is what the build wrote about the project. It is an asset, named by its digest, and does not change.
export interface Manifest {
  instructions: string
  serverInfo: Json
  capabilities: Json
  limits: Limits
  resources: Resources
  templates: string // asset
  tools: Tool[]
  documents?: Documents
  outlines: OutlineShard[]
  prompts: string // asset
}

export interface Limits {
  page: number // items of a page of a list
  frame: number // bytes of an answer
}

export interface Resources {
  pages: ListPage[] // of resources/list, in order
  shards: string[] // assets of the lookup table, a power of two
  fragile: boolean // whether any name has a spelling that clients change in transit
  schemes: string[] // of files
  others: string[] // URIs of the resources that are no files
  skills: string // asset
  index?: { [type: string]: string } // assets: elements of the capability index
}

export interface ListPage {
  items: string // asset: items of the list, each on a line of its own
  lines?: string // asset: the lines that list_resources has for them
  last: string // URI of the last item
}

export interface Tool {
  item: Json & { name: string } // of tools/list
  kind: 'documents' | 'list_resources' | 'read_resource' | 'search' | 'fetch'
}

// An isolate serves one deployment, so the manifest that it has read once stays true. What is kept is the frozen value, never a promise
// of it: that would belong to the request that began it, and end with it.
let kept: { path: string; manifest: Manifest } | undefined

export async function manifestOf(assets: Assets, path: string): Promise<Manifest> {
  if (kept?.path !== path) {
    const manifest = freeze(JSON.parse(await textOf(assets, path)) as Manifest)
    kept = Object.freeze({ path, manifest })
  }
  return kept.manifest
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}

import { type Assets, jsonOf } from './assets.ts'
import type { Documents } from './documents/library.ts'
import type { OutlineShard } from './documents/outline.ts'
import type { Json } from './json.ts'

// A Manifest describes the project. The build writes it as an asset, which is named by its digest and does not change.
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
  fragile: boolean // clients change the spelling of some name in transit
  skills: string // asset
}

export interface ListPage {
  items: string // asset: one item of the list a line
  last: string // URI of the last item
}

export interface Tool {
  item: Json & { name: string } // of tools/list
  kind: 'documents' | 'list_resources' | 'read_resource' | 'search' | 'fetch'
}

// An isolate serves one deployment, so it caches the manifest. It caches the value, not a promise: a promise belongs to the request that created
// it, and ends with that request.
let kept: { path: string; manifest: Manifest } | undefined

export async function manifestOf(assets: Assets, path: string): Promise<Manifest> {
  if (kept?.path !== path) kept = { path, manifest: await jsonOf<Manifest>(assets, path) }
  return kept.manifest
}

import { textOf } from '../assets.ts'
import type { Context } from '../context.ts'
import type { Chunk } from './lookup.ts'

// linesOf returns the lines of a chunk.
export async function linesOf(context: Context, chunk: Chunk): Promise<string[]> {
  if (chunk.asset) return (await textOf(context.assets, chunk.asset)).split('\n')
  return chunk.lines ?? []
}

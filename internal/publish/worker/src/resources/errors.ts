import type { Context } from '../context.ts'
import type { JsonObject } from '../json.ts'
import { code, Failure } from '../protocol.ts'
import { cut, lengthOf, shown } from '../text.ts'
import { maxLength } from '../uri.ts'
import { closeTo } from './close.ts'
import { type FailureOf, folderOf } from './lookup.ts'

// dataOf returns the data of an error about a resource.
export function dataOf(requested: string, more: JsonObject = {}): JsonObject {
  return { uri: lengthOf(requested) > maxLength ? cut(requested, 200) : requested, ...more }
}

// failureOf returns an error that the build recorded.
export function failureOf(failure: FailureOf, requested: string): Failure {
  const message = failure.message.replace('\0', () => shown(requested))
  const data = failure.located ? dataOf(requested, failure.data) : failure.data
  return new Failure(failure.code, message, data)
}

// missing returns what is wrong with a URI that names no resource.
export async function missing(context: Context, requested: string, close?: string[]): Promise<string> {
  const folder = await folderOf(context, requested, false)
  if (folder) return `${shown(requested)} is a folder: the URIs of what is in it begin with ${cut(folder.base, 200)}`
  const meant = close ?? (await closeTo(context, requested))
  return `resource not found: ${shown(requested)}${meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : ''}`
}

// notFound returns the error of a URI that names no resource. The official client of the stateless era recognizes it by data that holds
// only the URI.
export async function notFound(context: Context, requested: string): Promise<Failure> {
  const close = await closeTo(context, requested)
  const message = await missing(context, requested, close)
  if (context.era === 'stateless') return new Failure(code.invalidParams, message, dataOf(requested))
  return new Failure(code.resourceNotFound, message, dataOf(requested, close.length > 0 ? { closeMatches: close } : {}))
}

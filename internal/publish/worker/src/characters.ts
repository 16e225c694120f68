import { folds, lower } from './tables/characters.ts'
import { mapped } from './tables/ranges.ts'

// What Go knows of characters. JavaScript knows another version of Unicode, and lower case that depends on the neighbours.

// lowerOf returns a text in lower case, character by character.
export function lowerOf(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase()
  let out = ''
  for (const character of text) out += String.fromCodePoint(lowerRune(character.codePointAt(0) as number))
  return out
}

export function lowerRune(code: number): number {
  if (code < 0x80) return code >= 65 && code <= 90 ? code + 32 : code
  return mapped(lower, code)
}

// foldRune returns the same character for all that differ in case only.
export function foldRune(code: number): number {
  return mapped(folds, code)
}

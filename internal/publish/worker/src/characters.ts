import { folds, lower } from './tables/characters.ts'
import { mapped } from './tables/ranges.ts'

// Case conversion of characters as in Go. JavaScript has another version of Unicode, and its lower case depends on neighbouring characters.

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

// foldRune returns the same character for all characters that differ only in case.
export function foldRune(code: number): number {
  return mapped(folds, code)
}

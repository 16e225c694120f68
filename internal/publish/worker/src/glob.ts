import { runeAt } from './text.ts'

// Glob patterns, as in internal/text/glob: braces are expanded, and each resulting pattern matches as in doublestar. Patterns and names
// are strings of bytes.

const maxBytes = 1000
const maxPatterns = 500
const maxSize = 16 * maxBytes

const slash = 0x2f

// A GlobError says what is wrong with a pattern. It completes "the pattern is".
export class GlobError extends Error {}

// A Glob is a compiled pattern.
export type Glob = (name: string) => boolean

// parseGlob checks a pattern. It throws a GlobError.
export function parseGlob(pattern: string): Glob {
  if (pattern.length > maxBytes) throw new GlobError(`too complex: it has ${pattern.length} bytes, may have ${maxBytes}`)
  if (!isValid(pattern)) {
    throw new GlobError('not a valid pattern: a bracket or brace has no counterpart, or a backslash is the last character')
  }
  const patterns = new Parser(pattern).sequence(0)
  return (name) => patterns.some((each) => match(each, name))
}

// A Parser expands the braces of a valid pattern, which it reads from the left.
class Parser {
  #rest: string

  constructor(pattern: string) {
    this.#rest = pattern
  }

  // sequence expands the rest of the pattern or, in braces, the rest of the alternative.
  sequence(depth: number): string[] {
    let out = ['']
    while (this.#rest !== '') {
      const c = this.#rest[0]
      if (c === '{') {
        const alternatives: string[] = []
        do {
          this.#rest = this.#rest.slice(1) // the brace or comma
          alternatives.push(...this.sequence(depth + 1))
        } while (this.#rest[0] === ',')
        this.#rest = this.#rest.slice(1)
        out = product(out, alternatives)
      } else if (depth > 0 && (c === ',' || c === '}')) return out
      else {
        const literal = (depth > 0 ? inBraces : outside).exec(this.#rest)?.[0] as string
        out = product(out, [literal])
        this.#rest = this.#rest.slice(literal.length)
      }
    }
    return out
  }
}

// The literal part of a pattern before braces, and in braces before the end of an alternative.
const outside = /^(?:\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^{[\\])*/
const inBraces = /^(?:\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^{},[\\])*/

// product appends each ending to each pattern.
function product(patterns: readonly string[], endings: readonly string[]): string[] {
  const out: string[] = []
  let size = 0
  for (const pattern of patterns) {
    for (const ending of endings) {
      size += pattern.length + ending.length
      if (out.length === maxPatterns || size > maxSize) {
        throw new GlobError(`too complex: its braces expand to more than ${maxPatterns} patterns or ${maxSize} bytes`)
      }
      out.push(pattern + ending)
    }
  }
  return out
}

function isValid(s: string): boolean {
  let depth = 0
  for (let i = 0; i < s.length; i++) {
    const c = s[i]
    if (c === '\\') {
      if (++i >= s.length) return false
    } else if (c === '[') {
      if (++i >= s.length) return false
      if (s[i] === '^' || s[i] === '!') i++
      if (i >= s.length || s[i] === ']') return false
      for (; i < s.length && s[i] !== ']'; i++) if (s[i] === '\\') i++
      if (i >= s.length) return false
    } else if (c === '{') depth++
    else if (c === '}' && depth-- === 0) return false
  }
  return depth === 0
}

// match matches a valid pattern without braces, as doublestar does.
function match(pattern: string, name: string): boolean {
  let afterDouble = -1
  let nameAtDouble = -1
  let afterStar = -1
  let nameAtStar = -1
  let p = 0
  let n = 0
  let start = true // of a segment of the pattern
  for (;;) {
    if (n >= name.length) return ['', '*', '**', '/**', '**/', '/**/'].includes(pattern.slice(p))
    if (p < pattern.length) {
      const c = pattern[p]
      const [r, size] = runeAt(name, n)
      if (c === '*') {
        p++
        if (pattern[p] === '*') {
          p++
          if (start) {
            if (p >= pattern.length) return true
            if (pattern[p] === '/') {
              p++
              afterDouble = p
              nameAtDouble = n
              afterStar = -1
              continue
            }
          }
        }
        start = false
        afterStar = p
        nameAtStar = n
        continue
      }
      if (c === '?') {
        start = false
        if (r !== slash) {
          p++
          n += size
          continue
        }
      } else if (c === '[') {
        start = false
        const [matches, end] = classAt(pattern, p, r)
        if (matches) {
          p = end
          n += size
          continue
        }
      } else {
        const index = c === '\\' ? p + 1 : p
        const [wanted, width] = runeAt(pattern, index)
        if (wanted === r) {
          p = index + width
          n += size
          start = r === slash
          continue
        }
      }
    }
    if (afterStar >= 0) {
      const [r, size] = runeAt(name, nameAtStar)
      if (r !== slash) {
        nameAtStar += size
        p = afterStar
        n = nameAtStar
        start = false
        continue
      }
    }
    if (afterDouble < 0) return false
    const next = name.indexOf('/', nameAtDouble)
    if (next < 0) return false
    nameAtDouble = next + 1
    n = nameAtDouble
    p = afterDouble
    start = true
  }
}

// classAt reports whether the class at start contains a character, and where the class ends.
function classAt(pattern: string, start: number, r: number): [matches: boolean, end: number] {
  let p = start + 1
  const negated = pattern[p] === '!' || pattern[p] === '^'
  if (negated) p++
  let found = false
  const character = (): number => {
    if (pattern[p] === '\\') p++
    const [code, size] = runeAt(pattern, p)
    p += size
    return code
  }
  for (let last = -1; pattern[p] !== ']'; ) {
    const isRange = pattern[p] === '-' && last >= 0 && pattern[p + 1] !== ']'
    if (isRange) p++
    const code = character()
    if (isRange ? last <= r && r <= code : code === r) found = true
    last = isRange ? -1 : code // another dash is literal
  }
  return [found !== negated, p + 1]
}

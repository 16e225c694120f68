import { textOf } from './text.ts'

// Glob patterns, as in internal/text/glob: braces are expanded, and each resulting pattern matches as in doublestar. Patterns and names
// are strings of bytes.

const maxBytes = 1000
const maxPatterns = 500
const maxSize = 16 * maxBytes // parts of all patterns

// A GlobError says what is wrong with a pattern. It completes "the pattern is".
export class GlobError extends Error {}

// A Glob is a compiled pattern. patterns is the number of patterns without braces that it stands for.
export type Glob = ((name: string) => boolean) & { patterns: number }

// The parts of a pattern: an escaped character, a class, or any other character.
const parts = /\\[^]|\[(?![!^]?\])(?:\\[^]|[^\]\\])+\]|[^]/gu

// parseGlob checks a pattern. It throws a GlobError.
export function parseGlob(pattern: string): Glob {
  if (pattern.length > maxBytes) throw new GlobError(`too complex: it has ${pattern.length} bytes, may have ${maxBytes}`)
  const all: string[] = textOf(pattern).match(parts) ?? []
  let depth = 0
  for (const part of all) {
    if (part === '{') depth++
    else if (part === '}') depth--
    if (depth < 0 || part === '[' || part === '\\') break
  }
  if (depth !== 0 || all.includes('[') || all.includes('\\')) {
    throw new GlobError('not a valid pattern: a bracket or brace has no counterpart, or a backslash is the last character')
  }
  const patterns = expand(all, 0).map((each) => new Pattern(each))
  const glob = (name: string): boolean => {
    const characters = [...textOf(name)]
    return patterns.some((each) => each.matches(characters))
  }
  return Object.assign(glob, { patterns: patterns.length })
}

// expand expands the braces in the rest of a valid pattern or, in braces, in the rest of the alternative. It removes what it has read.
function expand(rest: string[], depth: number): string[][] {
  let out: string[][] = [[]]
  while (rest.length > 0 && !(depth > 0 && (rest[0] === ',' || rest[0] === '}'))) {
    const part = rest.shift() as string
    const alternatives: string[][] = []
    if (part === '{') {
      do {
        alternatives.push(...expand(rest, depth + 1))
      } while (rest.shift() === ',')
    } else alternatives.push([part])
    const size = sizeOf(out) * alternatives.length + sizeOf(alternatives) * out.length
    if (out.length * alternatives.length > maxPatterns || size > maxSize) {
      throw new GlobError(`too complex: its braces expand to more than ${maxPatterns} patterns or ${maxSize} bytes`)
    }
    out = out.flatMap((each) => alternatives.map((ending) => [...each, ...ending]))
  }
  return out
}

const sizeOf = (patterns: readonly string[][]): number => patterns.reduce((n, pattern) => n + pattern.length, 0)

// A Step matches a character, or any number of characters.
interface Step {
  kind: 'one' | 'any' | 'folders' // folders: no characters, or any that end with a slash
  fits: (character: string) => boolean
  from: number // the first part of the step
}

// What is left of a pattern that matches the end of a name.
const endings = ['', '*', '**', '/**', '**/', '/**/']

// A Pattern is a pattern without braces. It reads each character of a name once, and keeps all steps that may match the next character.
class Pattern {
  readonly #steps: Step[] = []

  constructor(private readonly all: readonly string[]) {
    let start = true // of a segment
    for (let i = 0; i < all.length; i++) {
      const [from, part] = [i, all[i] as string]
      if (part === '*' && all[i + 1] === '*') {
        i++
        if (start && all[i + 1] === '/') {
          i++
          this.#steps.push({ kind: 'folders', fits: () => true, from })
          continue
        }
        if (start && i + 1 === all.length) {
          this.#steps.push({ kind: 'any', fits: () => true, from })
          continue
        }
      }
      if (part === '*' && this.#steps.at(-1)?.kind === 'any') continue
      this.#steps.push({ kind: part === '*' ? 'any' : 'one', fits: part === '*' || part === '?' ? (c) => c !== '/' : fitting(part), from })
      start = part.endsWith('/')
    }
  }

  matches(name: readonly string[]): boolean {
    let active = new Set<number>() // the numbers of steps; in the middle of folders, their complements
    let reached = new Set([0]) // steps after one that has matched the last character
    this.#enter(active, 0)
    for (const character of name) {
      const next = new Set<number>()
      reached = new Set()
      for (const state of active) {
        const i = state < 0 ? ~state : state
        const step = this.#steps[i]
        if (!step?.fits(character)) continue
        if (step.kind === 'folders' && character !== '/') next.add(~i)
        else {
          this.#enter(next, step.kind === 'one' ? i + 1 : i)
          reached.add(i + 1)
        }
      }
      if (next.size === 0) return false
      active = next
    }
    return [...reached].some((i) => endings.includes(this.all.slice(this.#steps[i]?.from ?? this.all.length).join('')))
  }

  // enter adds a step, and those after it as long as a step may match nothing.
  #enter(states: Set<number>, i: number): void {
    states.add(i)
    const step = this.#steps[i]
    if (step && step.kind !== 'one') this.#enter(states, i + 1)
  }
}

// fitting returns the test of a character, an escaped character or a class.
function fitting(part: string): (character: string) => boolean {
  if (part[0] === '\\') return (c) => c === part.slice(1)
  if (part[0] !== '[' || part === '[') return (c) => c === part
  const negated = part[1] === '!' || part[1] === '^'
  const characters = part.slice(negated ? 2 : 1, -1).match(/\\?[^]/gu) ?? []
  const codeAt = (i: number): number => (characters[i] as string).replace(/^\\(?=[^])/, '').codePointAt(0) as number
  const ranges: [low: number, high: number][] = []
  for (let i = 0; i < characters.length; i++) {
    const low = i
    if (characters[i + 1] === '-' && i + 2 < characters.length) i += 2
    ranges.push([codeAt(low), codeAt(i)])
  }
  return (c) => {
    const code = c.codePointAt(0) as number
    return ranges.some(([low, high]) => low <= code && code <= high) !== negated
  }
}

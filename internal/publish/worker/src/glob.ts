import { runeAt } from './text.ts'

// Glob patterns: internal/text/glob, which is doublestar for patterns without braces, and expressions of linear time for those with braces.
// Patterns and names are strings of bytes.

const maxBytes = 1000
const maxDepth = 100
const maxAlternatives = 64
const maxSize = 4 * maxBytes
const maxStates = 20_000
const maxNodes = 1000 // sets of states that are kept
const maxSteps = 20_000 // from one to another

const slash = 0x2f

// A GlobError says what is wrong with a pattern. It completes "the pattern is".
export class GlobError extends Error {}

// A Glob is a compiled pattern.
export type Glob = (name: string) => boolean

// parseGlob checks a pattern. It throws a GlobError.
export function parseGlob(pattern: string): Glob {
  if (pattern.length > maxBytes) throw new GlobError(`too complex: it has ${pattern.length} bytes, may have ${maxBytes}`)
  if (pattern.includes('{') && !isUTF8(pattern)) throw new GlobError('not a valid pattern: it has braces and is not UTF-8')
  if (!isValid(pattern)) {
    throw new GlobError('not a valid pattern: a bracket or brace has no counterpart, or a backslash is the last character')
  }
  const parser = new Parser(pattern)
  const whole = parser.sequence(0)
  if (parser.deep) throw new GlobError(`too complex: its braces are nested more than ${maxDepth - 1} deep`)
  const expansion = new Expansion()
  const sequences = expansion.expand(whole)
  if (expansion.excess()) {
    throw new GlobError(`too complex: its braces beside stars expand to more than ${maxAlternatives} patterns or ${maxSize} bytes`)
  }
  if (!whole.some((t) => t.alternatives)) return (name) => match(pattern, name)
  const machine = new Machine(sequences)
  return (name) => machine.matches(name)
}

function isUTF8(s: string): boolean {
  for (let i = 0; i < s.length; ) {
    const [r, size] = runeAt(s, i)
    if (r === 0xfffd && size === 1) return false
    i += size
  }
  return true
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
        const parser = new Parser(pattern.slice(p))
        const { test } = parser.class()
        if (test?.(r)) {
          p = pattern.length - parser.rest.length
          n += size
          continue
        }
      } else {
        const at = c === '\\' ? p + 1 : p
        const [wanted, width] = runeAt(pattern, at)
        if (wanted === r) {
          p = at + width
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

// A Token is one part of a pattern: a test of one character, a run of stars, or braces.
interface Token {
  test?: (r: number) => boolean
  slash?: boolean
  escaped?: boolean // the slash follows a backslash
  wide?: boolean // a class or braces that may match a slash
  stars?: number
  alternatives?: Token[][]
  edge?: boolean // braces with a star at an end
}

class Parser {
  rest: string
  deep = false

  constructor(pattern: string) {
    this.rest = pattern
  }

  sequence(depth: number): Token[] {
    const out: Token[] = []
    while (this.rest !== '' && !this.deep) {
      const c = this.rest[0]
      if (c === '*') {
        const stars = (/^\*+/.exec(this.rest) as RegExpExecArray)[0].length
        this.rest = this.rest.slice(stars)
        out.push({ stars })
      } else if (c === '?') {
        this.rest = this.rest.slice(1)
        out.push({ test: (r) => r !== slash })
      } else if (c === '[') out.push(this.class())
      else if (c === '{') out.push(this.braces(depth + 1))
      else if (depth > 0 && (c === ',' || c === '}')) return out
      else {
        const escaped = c === '\\'
        const wanted = this.character()
        out.push({ test: (r) => r === wanted, slash: wanted === slash, escaped })
      }
    }
    return out
  }

  braces(depth: number): Token {
    const t: Token = { alternatives: [] }
    if (depth > maxDepth) {
      this.deep = true
      return t
    }
    for (let closed = false; !closed && this.rest !== '' && !this.deep; ) {
      this.rest = this.rest.slice(1) // the brace or comma
      const s = this.sequence(depth)
      t.alternatives?.push(s)
      t.edge = t.edge || beside(s, -1, 1) || beside(s, s.length, -1)
      t.wide = t.wide || s.some((inner) => inner.slash || inner.wide)
      closed = this.rest.startsWith('}')
    }
    if (this.rest.startsWith('}')) this.rest = this.rest.slice(1)
    return t
  }

  character(): number {
    if (this.rest[0] === '\\') this.rest = this.rest.slice(1)
    const [r, size] = runeAt(this.rest, 0)
    this.rest = this.rest.slice(size)
    return r
  }

  class(): Token {
    this.rest = this.rest.slice(1)
    const negated = this.rest[0] === '!' || this.rest[0] === '^'
    if (negated) this.rest = this.rest.slice(1)
    const ranges: [number, number][] = []
    for (let last = -1; this.rest[0] !== ']'; ) {
      const dash = this.rest[0] === '-'
      let r = this.character()
      if (dash && last >= 0 && this.rest[0] !== ']') {
        r = this.character()
        if (last <= r) ranges.push([last, r])
        last = -1 // another dash is literal
        continue
      }
      ranges.push([r, r])
      last = r
    }
    this.rest = this.rest.slice(1)
    const has = (r: number): boolean => ranges.some(([from, to]) => from <= r && r <= to)
    return { test: (r) => has(r) !== negated, wide: has(slash) !== negated }
  }
}

// beside reports whether a star may be next to the part at i, in that direction.
function beside(s: Token[], at: number, step: number): boolean {
  for (let i = at + step; i >= 0 && i < s.length; i += step) {
    const t = s[i] as Token
    if (t.stars || t.edge) return true
    if (!t.alternatives) return false
  }
  return false
}

// An Expansion expands braces if a star may be next to another star, a slash or an end in some of the alternatives only.
class Expansion {
  #extra = 0
  #size = 0

  expand(s: Token[]): Token[][] {
    for (const [i, t] of s.entries()) {
      if (!t.alternatives || (!t.edge && !beside(s, i, -1) && !beside(s, i, 1))) continue
      const out: Token[][] = []
      for (const [k, alternative] of t.alternatives.entries()) {
        if (k > 0) this.#extra++
        if (this.excess()) return []
        out.push(...this.expand(joined(s.slice(0, i), alternative, s.slice(i + 1))))
      }
      return out
    }
    this.#size += s.length
    return [s.map((t) => (t.alternatives ? { ...t, alternatives: t.alternatives.flatMap((a) => this.expand(a)) } : t))]
  }

  excess(): boolean {
    return this.#extra >= maxAlternatives || this.#size > maxSize
  }
}

// joined joins sequences, and runs of stars that meet.
function joined(...parts: Token[][]): Token[] {
  const out: Token[] = []
  for (const t of parts.flat()) {
    const last = out.at(-1)
    if (t.stars && last?.stars) out[out.length - 1] = { stars: last.stars + t.stars }
    else out.push(t)
  }
  return out
}

// spans reports whether the stars at i are "**" and a whole segment.
function spans(s: Token[], i: number): boolean {
  if (s[i]?.stars !== 2) return false
  const next = s[i + 1]
  return (i === 0 || s[i - 1]?.slash === true) && (!next || (next.slash === true && !next.escaped))
}

const inSegment = (r: number): boolean => r !== slash
const isSlash = (r: number): boolean => r === slash
const anything = (): boolean => true

// A State reads a character that its test allows, or goes on as others.
// A Node is the states that a machine can be in at the same time.
interface Node {
  states: State[]
  next: Map<number, Node> // by the character that leads there
  end: boolean
}

interface State {
  id: number
  test?: (r: number) => boolean
  next: State[]
  seen: number // the step in which it was reached last
}

// A Machine matches names in a time that is linear in them.
class Machine {
  readonly #start: State[]
  readonly #end: State = { id: 0, next: [], seen: -1 }
  readonly #nodes = new Map<string, Node>()
  #first: Node | undefined
  #states = 0
  #step = 0
  #steps = 0 // that are kept

  constructor(sequences: Token[][]) {
    this.#start = sequences.map((s) => this.#sequence(s, this.#end))
  }

  #state(state: Omit<State, 'seen' | 'id'>): State {
    if (++this.#states > maxStates) throw new GlobError('too complex: it has too many braces')
    return { ...state, id: this.#states, seen: -1 }
  }

  #reads(test: (r: number) => boolean, next: State): State {
    return this.#state({ test, next: [next] })
  }

  // #repeats returns a state that goes on, or through what body makes and back.
  #repeats(body: (back: State) => State, next: State): State {
    const loop = this.#state({ next: [next] })
    loop.next.push(body(loop))
    return loop
  }

  #sequence(s: Token[], end: State): State {
    const parts: ((next: State) => State)[] = []
    for (let i = 0; i < s.length; i++) {
      const t = s[i] as Token
      const first = i === 0 && spans(s, 0)
      if (t.slash && spans(s, i + 1)) i++
      if (spans(s, i)) {
        while (i + 1 < s.length && spans(s, i + 2)) i += 2 // "**/**" is "**"
        if (first && i + 1 === s.length) parts.push((next) => this.#repeats((back) => this.#reads(anything, back), next))
        else if (first) {
          parts.push((next) => this.#repeats((back) => this.#segment(this.#reads(isSlash, back)), next))
          i++
        } else parts.push((next) => this.#repeats((back) => this.#reads(isSlash, this.#segment(back)), next))
      } else if (t.stars) parts.push((next) => this.#segment(next))
      else if (t.alternatives) {
        const { alternatives } = t
        parts.push((next) => this.#state({ next: alternatives.map((a) => this.#sequence(a, next)) }))
      } else {
        const { test } = t
        if (test) parts.push((next) => this.#reads(test, next))
      }
    }
    return parts.reduceRight((next, part) => part(next), end)
  }

  #segment(next: State): State {
    return this.#repeats((back) => this.#reads(inSegment, back), next)
  }

  matches(name: string): boolean {
    let at = (this.#first ??= this.#node(this.#reached(this.#start)))
    for (let i = 0; i < name.length && at.states.length > 0; ) {
      const [r, size] = runeAt(name, i)
      at = at.next.get(r) ?? this.#follow(at, r)
      i += size
    }
    return at.end
  }

  // #follow returns where a character leads. What was found is kept, within bounds: names of one project are alike.
  #follow(at: Node, r: number): Node {
    const next = this.#node(this.#reached(at.states.filter((s) => s.test?.(r)).flatMap((s) => s.next)))
    if (++this.#steps <= maxSteps) at.next.set(r, next)
    return next
  }

  #node(states: State[]): Node {
    const key = states.map((s) => s.id).sort((a, b) => a - b).join(' ')
    const known = this.#nodes.get(key)
    if (known) return known
    const node = { states, next: new Map<number, Node>(), end: states.includes(this.#end) }
    if (this.#nodes.size < maxNodes) this.#nodes.set(key, node)
    return node
  }

  // #reached returns the states that read a character, and the end, from others.
  #reached(from: State[]): State[] {
    const step = ++this.#step
    const out: State[] = []
    const stack = [...from]
    for (let s = stack.pop(); s; s = stack.pop()) {
      if (s.seen === step) continue
      s.seen = step
      if (s.test || s === this.#end) out.push(s)
      else stack.push(...s.next)
    }
    return out
  }
}

import { runeAt } from './text.ts'

// Estimates of tokens, as in internal/text/tokens. Texts are bytes.

export const maxTokens = 18_000 // of an answer of a tool
const free = 32

const [letter, digit, space, line, sign] = [1, 2, 3, 4, 5]

// kindOf returns the kind of a character, which of one beyond ASCII is the hundredths of tokens that it takes.
function kindOf(r: number): number {
  if (r < 0x80) return r === 9 || r === 32 ? space : r === 10 || r === 13 ? line : r >= 48 && r < 58 ? digit : (r | 32) > 96 && (r | 32) < 123 && r > 64 ? letter : sign
  if (r >= 0x2e80) return r < 0x10000 ? 84 : 220
  return r >= 0x370 && r < 0x530 ? 35 : r >= 0x900 && r < 0xe00 ? 44 : r >= 0x1200 && r < 0x13a0 ? 215 : 50
}

// estimate returns about how many tokens a text takes.
export const estimate = (text: string): number => Math.ceil(scan(text, Number.POSITIVE_INFINITY)[0] / 100)

// fit returns the length of the longest beginning of a text whose estimate is at most n.
export const fit = (text: string, n: number): number => scan(text, 100 * n)[1]

function scan(text: string, most: number): [sum: number, end: number] {
  let [sum, was, idle, length, run, changes, before, last, end] = [0, 0, 0, 0, 0, 0, space, 32, 0]
  for (let i = 0; i < text.length; ) {
    idle = sum > was ? 0 : idle + 1
    if (idle === free) [sum, idle] = [sum + 100, 0]
    was = sum
    if (sum > most) return [sum, end]
    end = i
    const [r, size] = runeAt(text, i)
    i += size
    const kind = kindOf(r)
    if (kind !== before) length = 0
    if (kind === letter || kind === digit) {
      run++
      if ((last > 96 && last < 123 && r > 64 && r < 91) || (last > 64 && last < 91 && r > 96)) changes++
      if (run > 24 && changes * 5 > run) sum += 20
    } else if (r !== 43 && r !== 47) run = changes = 0
    if (kind === letter) {
      if (length === 0 || (last > 96 && r < 97)) [sum, length] = [sum + 104, 0]
      if (++length > 7) sum += 28
    } else if (kind === digit) {
      if (length === 0) sum += before === space ? 80 : before === sign ? 12 : 0
      if (length++ % 3 === 0) sum += 120
    } else if (kind === line) sum += kind === before ? 0 : 100
    else if (kind === sign) sum += kind !== before ? 62 : r === last ? 0 : 53
    else if (kind > sign) sum += kind
    ;[before, last] = [kind, r]
  }
  return sum > most ? [sum, end] : [sum, text.length]
}

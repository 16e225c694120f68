import { bisect } from './documents/bisect.ts'
import { runeAt } from './text.ts'

// Estimates of tokens, as in internal/text/tokens. Texts are bytes.

export const maxTokens = 18_000 // of an answer of a tool
const free = 32

const [letter, digit, space, line, sign, other] = [1, 2, 3, 4, 5, 6]

function kindOf(r: number): number {
  if (r >= 0x80) return other
  return r === 9 || r === 32 ? space : r === 10 || r === 13 ? line : r >= 48 && r < 58 ? digit : (r | 32) > 96 && (r | 32) < 123 && r > 64 ? letter : sign
}

// ends of ranges of characters, and the hundredths of tokens of each character before them
const ends = [0x370, 0x400, 0x530, 0x700, 0x900, 0xd80, 0xe80, 0x1000, 0x10a0, 0x1100, 0x1200, 0x1380, 0x1780, 0x1800, 0x1e00, 0x2000, 0x2800, 0x2900, 0x2e80, 0xa000, 0xac00, 0x10000]
const each = [100, 43, 34, 43, 215, 44, 57, 190, 80, 33, 313, 234, 313, 68, 313, 140, 75, 300, 75, 89, 313, 89, 225]

// estimate returns about how many tokens a text takes.
export const estimate = (text: string): number => Math.ceil(scan(text, Number.POSITIVE_INFINITY)[0] / 100)

// fit returns the length of the longest beginning of a text whose estimate is at most n.
export const fit = (text: string, n: number): number => scan(text, 100 * n)[1]

function scan(text: string, most: number): [sum: number, end: number] {
  let [sum, was, idle, length, consonants, before, last, end] = [0, 0, 0, 0, 0, space, 32, 0]
  for (let i = 0; i < text.length; ) {
    idle = sum > was ? 0 : idle + 1
    if (idle === free) [sum, idle] = [sum + 100, 0]
    was = sum
    if (sum > most) return [sum, end]
    end = i
    const [r, size] = runeAt(text, i)
    i += size
    const kind = kindOf(r)
    if (kind !== before) length = consonants = 0
    if (kind === letter) {
      if (length === 0) sum += before === sign || before === digit ? 77 : 112
      else if (last > 96 && r < 97) [sum, length] = [sum + 147, 0]
      else if (r < 97) sum += 22
      if (++length > 7) sum += 25
      consonants = 'aeiouy'.includes(String.fromCharCode(r | 32)) ? 0 : consonants + 1
      if (consonants > 3) sum += 110
    } else if (kind === digit) {
      if (length === 0) sum += before === space ? 143 : 26
      if (length++ % 3 === 0) sum += 109
    } else if (kind === line) sum += before === sign ? 109 : before === line ? 0 : 162
    else if (kind === sign) sum += before !== sign ? 67 : r === last ? 13 : 62
    else if (kind === other) sum += each[bisect(ends.length, (n) => r < (ends[n] as number))] as number
    ;[before, last] = [kind, r]
  }
  return sum > most ? [sum, end] : [sum, text.length]
}

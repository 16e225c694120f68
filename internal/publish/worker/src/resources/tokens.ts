import { letters } from '../tables/characters.ts'
import { contains } from '../tables/ranges.ts'

// Estimates the number of tokens of a text, as in internal/text/tokens.

type Class = 'stray' | 'small' | 'capital' | 'digit' | 'blank' | 'line' | 'mark' | 'accented' | 'ideograph' | 'kana' | 'hangul' | 'letter' | 'sign' | 'picture'

const weights = {
  words: 103,
  middle: 14,
  late: 34,
  capitals: 25,
  numbers: 144,
  marks: 54,
  moreMarks: 55,
  sameMarks: 11,
  lines: 84,
  indents: 58,
  accented: 29,
  foreign: 8,
  ideograph: 80,
  kana: 60,
  hangul: 71,
  letter: 47,
  sign: 25,
  picture: 223,
  stray: 100,
}

function classOf(code: number): Class {
  if (code >= 97 && code <= 122) return 'small'
  if (code >= 65 && code <= 90) return 'capital'
  if (code >= 48 && code <= 57) return 'digit'
  if (code === 32 || code === 9) return 'blank'
  if (code === 10 || code === 13) return 'line'
  if (code < 0x80) return code > 32 && code < 127 ? 'mark' : 'stray'
  if ((code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) || (code >= 0x20000 && code <= 0x3ffff)) return 'ideograph'
  if (code >= 0x3040 && code <= 0x30ff) return 'kana'
  if ((code >= 0x1100 && code <= 0x11ff) || (code >= 0x3130 && code <= 0x318f) || (code >= 0xac00 && code <= 0xd7af)) return 'hangul'
  if (contains(letters, code)) return code < 0x590 || (code >= 0x1e00 && code < 0x2000) ? 'accented' : 'letter'
  return code >= 0x10000 ? 'picture' : 'sign'
}

export function estimate(text: string): number {
  let sum = 0
  let before: Class = 'blank'
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) as number
    const c = classOf(code)
    let size = code < 0x10000 ? 1 : 2
    const run = (from: number, kind: Class): number => {
      let n = from
      while (n < text.length && text.charCodeAt(n) < 0x80 && classOf(text.charCodeAt(n)) === kind) n++
      return n - from
    }
    switch (c) {
      case 'small':
      case 'capital': {
        let upper = run(i, 'capital')
        let lower = run(i + upper, 'small')
        if (upper > 1 && lower > 0) [upper, lower] = [upper - 1, 0]
        size = upper + lower
        sum += weights.words
        if (lower === 0) sum += weights.capitals * Math.max(0, size - 2)
        else sum += weights.middle * Math.max(0, Math.min(size, 12) - 6) + weights.late * Math.max(0, size - 12)
        break
      }
      case 'digit':
        size = run(i, c)
        sum += weights.numbers * Math.floor((size + 2) / 3)
        break
      case 'blank':
        size = run(i, c)
        if (size > 1) sum += weights.indents * (1 + Math.floor(size / 64))
        break
      case 'line':
        size = run(i, c)
        sum += weights.lines * (1 + Math.floor(size / 8))
        break
      case 'mark':
        size = run(i, c)
        sum += weights.marks
        for (let k = i + 1; k < i + size; k++) sum += text[k] === text[k - 1] ? weights.sameMarks : weights.moreMarks
        break
      case 'accented':
        sum += weights.accented
        if (before !== 'accented') sum += weights.foreign
        break
      default:
        sum += weights[c]
    }
    before = c
    i += size
  }
  return Math.floor((sum + 99) / 100)
}
